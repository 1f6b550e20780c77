// Products of CSR matrices on a GPU: by hot columns where some stand out, by marked rows where long ones are cut, by
// tiles where they were made, else by some lanes a row.
#include "millrace/sparse/product/csr/csr_cuda.cuh"

#include <algorithm>

#include "millrace/base/dispatch.hpp"
#include "millrace/sparse/product/csr/tiles_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace::cuda {

CsrTiles make_tiles(const RowOffsets& row_ptr, Index num_rows, Offset num_entries, Device device) {
  const DeviceGuard guard(device);
  const Offset count = num_tiles(num_rows, num_entries);
  CsrTiles made{Array<CsrTile>(device, count + 1)};
  Array<Index> longest = Array<Index>(1, 0).to(device);
  std::visit(
      [&](const auto& offsets) {
        find_tiles<<<num_blocks(count + 1, 256), 256>>>(tiling(num_entries), offsets.data(), num_rows, count,
                                                        made.tiles.data());
        if (num_rows > 0) find_longest<<<num_blocks(num_rows, 256), 256>>>(offsets.data(), num_rows, longest.data());
      },
      row_ptr);
  check_launch("find_tiles", nullptr);
  made.longest_row = longest.to_vector()[0];
  const std::vector<CsrTile> tiles = made.tiles.to_vector();
  made.cuts_rows = std::any_of(tiles.begin(), tiles.end(), [](const CsrTile& tile) { return tile.cut != 0; });
  return made;
}

template <class A, class RowOffset>
void multiply(Queue& queue, const CsrView<A, RowOffset>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y) {
  if (a.num_rows == 0) return;
  if (!a.tiles || rows_are_better(a)) return multiply_rows_of(queue, a, alpha, x, beta, y);
  if constexpr (!is_complex<A>)
    if (y.num == 1) {
      if (a.hot) return multiply_hot_columns(queue, *a.hot, a.vals, a.num_entries, alpha, x.data, beta, y.data);
      if (a.marks)
        return multiply_marked_rows(queue, *a.marks, a.cols, a.vals, a.num_entries, alpha, x.data, beta, y.data);
    }
  const cudaStream_t stream = queue.stream();
  const std::int64_t cut = a.cuts_rows ? y.num * a.num_tiles : 0;
  const auto pieces = queue.scratch<A>(2 * cut);
  const auto arrived = queue.zeros(cut);
  const auto launch = [&]<int Items, bool Several>() {
    multiply_tiles<Items, Several><<<static_cast<unsigned>(a.num_tiles), tile_threads, 0, stream>>>(
        a, tiling(a.num_entries), alpha, x.data, x.stride, beta, y.data, y.stride, y.num,
        CutRows<A>{pieces.data(), arrived.data()});
  };
  dispatch<2, 6>("entries a thread", tile_items(a.num_entries), [&]<int Items>() {
    if (y.num == 1)
      launch.template operator()<Items, false>();
    else
      launch.template operator()<Items, true>();
  });
  check_launch("multiply_tiles", stream);
}

#define MILLRACE_INSTANTIATE(A)                                                                                      \
  template void multiply(Queue&, const CsrView<A, std::int32_t>&, A, const Vectors<const A>&, A, const Vectors<A>&); \
  template void multiply(Queue&, const CsrView<A, std::int64_t>&, A, const Vectors<const A>&, A, const Vectors<A>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>);

}  // namespace millrace::cuda
