// Sorted tiles on the host: products of a tile into their places, then row by row. Rows that tiles cut leave a piece in
// each of them, and the pieces are added in order.
#include <algorithm>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/scsr.hpp"

namespace millrace::host {

template <class A, class RowOffset, class I>
void multiply(int num_threads, const ScsrView<A, RowOffset, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y) {
  if (a.num_rows == 0) return;
  std::vector<A> pieces(static_cast<std::size_t>(2 * a.num_tiles));  // [num_tiles, 2], the one that ends a tile last
  const int threads = static_cast<int>(std::clamp<Offset>(a.num_tiles, 1, num_threads));
  const auto multiply_tile = [&](Offset t, const A* in, A* out, std::vector<A>& products) {
    const CsrTile here = a.tiles[t], next = a.tiles[t + 1];
    for (Offset s = here.begin; s < next.begin; ++s) products[a.slots[s]] = a.vals[s] * in[a.cols(s)];
    for (Index r = here.row - here.cut; r < next.row; ++r) {
      const Offset begin = std::max<Offset>(a.row_ptr[r], here.begin);
      const Offset end = std::min<Offset>(a.row_ptr[r + 1], next.begin);
      A sum{};
      for (Offset p = begin; p < end; ++p) sum += products[static_cast<std::size_t>(p - here.begin)];
      if (r < here.row)
        pieces[static_cast<std::size_t>(2 * t)] = sum;
      else if (r == next.row - 1 && next.cut)
        pieces[static_cast<std::size_t>(2 * t + 1)] = sum;
      else
        update(out[r], alpha, sum, beta);
    }
  };
  for (int v = 0; v < x.num; ++v) {
    A* out = y.data + v * y.stride;
    parallel(threads, [&](int thread, int count) {
      std::vector<A> products(static_cast<std::size_t>(a.tiling.capacity()));
      const auto [first, last] = even_part(a.num_tiles, thread, count);
      for (Offset t = first; t < last; ++t) multiply_tile(t, x.data + v * x.stride, out, products);
    });
    for (Offset t = 1; t < a.num_tiles; ++t) {  // a row that is cut here first
      const Index r = a.tiles[t].row - 1;
      if (!a.tiles[t].cut || (a.tiles[t - 1].cut && a.tiles[t - 1].row == r + 1)) continue;
      A sum = pieces[static_cast<std::size_t>(2 * t - 1)];
      for (Offset u = t; u < a.num_tiles && a.tiles[u].cut && a.tiles[u].row == r + 1; ++u)
        sum += pieces[static_cast<std::size_t>(2 * u)];
      update(out[r], alpha, sum, beta);
    }
  }
}

#define MILLRACE_INSTANTIATE_WITH(A, RowOffset, I) \
  template void multiply(int, const ScsrView<A, RowOffset, I>&, A, const Vectors<const A>&, A, const Vectors<A>&)
#define MILLRACE_INSTANTIATE(A)                              \
  MILLRACE_INSTANTIATE_WITH(A, std::int32_t, std::uint16_t); \
  MILLRACE_INSTANTIATE_WITH(A, std::int64_t, std::uint16_t); \
  MILLRACE_INSTANTIATE_WITH(A, std::int32_t, Index);         \
  MILLRACE_INSTANTIATE_WITH(A, std::int64_t, Index)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>);

}  // namespace millrace::host
