// Products of CSR matrices on a GPU: launches the schedule that the plan names.
#include "millrace/sparse/product/csr/csr_cuda.cuh"

#include "millrace/base/dispatch.hpp"
#include "millrace/sparse/product/csr/tiles_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {
namespace {

template <class A, class RowOffset>
void multiply_by_tiles(Queue& queue, const CsrView<A, RowOffset>& a, const CsrTiles& made, A alpha,
                       const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const cudaStream_t stream = queue.stream();
  const CsrTilesView tiles = made.view();
  const std::int64_t num_partial = made.cuts_rows ? y.num * tiles.num_tiles : 0;
  const auto sums = queue.scratch<A>(2 * num_partial);
  const auto arrived = queue.zeros(num_partial);
  const auto launch = [&]<int Items, bool Several>() {
    multiply_tiles<Items, Several><<<static_cast<unsigned>(tiles.num_tiles), CsrTiling::threads, 0, stream>>>(
        a, tiles, alpha, x.data, x.stride, beta, y.data, y.stride, y.num, PartialSums<A>{sums.data(), arrived.data()});
  };
  dispatch<2, 6>("entries per thread", CsrTiling::items_per_thread(a.num_entries), [&]<int Items>() {
    if (y.num == 1)
      launch.template operator()<Items, false>();
    else
      launch.template operator()<Items, true>();
  });
  check_launch("multiply_tiles", stream);
}

}  // namespace

template <class A, class RowOffset>
void multiply(Queue& queue, const CsrView<A, RowOffset>& a, const CsrPlan* plan, A alpha, const Vectors<const A>& x,
              A beta, const Vectors<A>& y) {
  if (a.num_rows == 0) return;
  if (!plan || plan->choice.schedule == CsrSchedule::rows) return multiply_rows_of(queue, a, alpha, x, beta, y);
  if constexpr (!is_complex<A>)
    if (y.num == 1) {
      if (const auto* split = std::get_if<NnzSplit>(&plan->data))
        return multiply_nnz_split(queue, *split, a.cols, a.vals, a.num_entries, alpha, x.data, beta, y.data);
      if (const auto* cached = std::get_if<CachedColumns>(&plan->data))
        return multiply_cached_columns(queue, *cached, a.vals, a.num_entries, alpha, x.data, beta, y.data);
    }
  multiply_by_tiles(queue, a, plan->tiles, alpha, x, beta, y);
}

#define MILLRACE_INSTANTIATE(A)                                                                                  \
  template void multiply(Queue&, const CsrView<A, std::int32_t>&, const CsrPlan*, A, const Vectors<const A>&, A, \
                         const Vectors<A>&);                                                                     \
  template void multiply(Queue&, const CsrView<A, std::int64_t>&, const CsrPlan*, A, const Vectors<const A>&, A, \
                         const Vectors<A>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>);

}  // namespace millrace::cuda
