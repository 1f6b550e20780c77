// Products of CSR matrices with marked rows on a GPU: marking them once, and launching.
#include "millrace/sparse/product/csr/split_cuda.cuh"

#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/product/csr/csr_cuda.cuh"
#include "millrace/sparse/product/csr/make_row_ends.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace::cuda {

// Measured on an H200: real matrices with long rows are 1.1 to 2 times as fast as by tiles, up to 3 million entries;
// where tiles cut no row they are faster.
template <class T>
RowMarks make_row_marks(const Csr<T>& a) {
  constexpr Offset max_entries = 8'000'000;
  const auto aligned = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
  if (!a.tiling.cuts_rows || !a.tiling.hot.empty() || a.num_entries() > max_entries || !aligned(a.cols.data()) ||
      !aligned(a.vals.data()) || a.visit_view([](const auto& view) { return rows_are_better(view); }))
    return {};
  const DeviceGuard guard(a.device());
  return on_stage(a.device(),
                  [&](DeviceStage& stage) { return convert::make_marks(stage, convert::rows_of(a), marked_chunk); });
}

template <class A>
void multiply_marked_rows(Queue& queue, const RowMarks& rows, const Index* cols, const A* vals, Offset num_entries,
                          A alpha, const A* x, A beta, A* y) {
  const RowMarksView marks = rows.view();
  const std::int64_t words = (marks.num_chunks + std::int64_t{1}) * (sizeof(PieceWord<A>) / sizeof(unsigned));
  const auto pieces = queue.scratch<A>(2 * std::int64_t{marks.num_chunks});
  const auto zeros = queue.zeros(words + marks.num_chunks);
  const MarkedProduct<A> product{.marks = marks,
                                 .num_entries = num_entries,
                                 .cols = cols,
                                 .vals = vals,
                                 .x = x,
                                 .alpha = alpha,
                                 .beta = beta,
                                 .y = y,
                                 .cut = {pieces.data(), zeros.data() + words},
                                 .meeting = reinterpret_cast<PieceWord<A>*>(zeros.data())};
  const unsigned blocks = static_cast<unsigned>(marks.num_chunks) + num_blocks(marks.num_vacant, marked_threads);
  multiply_marked<<<blocks, marked_threads, 0, queue.stream()>>>(product);
  check_launch("multiply_marked", queue.stream());
}

#define MILLRACE_INSTANTIATE(A)                    \
  template RowMarks make_row_marks(const Csr<A>&); \
  template void multiply_marked_rows(Queue&, const RowMarks&, const Index*, const A*, Offset, A, const A*, A, A*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
