// Doors of narrow_slices_cuda.cu; a build without CUDA makes none of these.
#include "millrace/precond/multigrid/narrow_slices.hpp"

#include "millrace/precond/multigrid/few_entries.hpp"
#include "millrace/precond/multigrid/set_narrow.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {
namespace {

template <class W, class To>
void multiply(Queue& queue, const NarrowSlices<W>& slices, const W* x, const To& to) {
  if constexpr (build::cuda) cuda::multiply_slices(queue, slices, x, to);
}

template <class W>
void multiply_all(Queue& queue, const NarrowSlices<W>& slices, const ApplyRequest<W>& request) {
  for (int v = 0; v < request.x.num; ++v)
    multiply(queue, slices, request.x.data + v * request.x.stride,
             FusedUpdate<W>{request.alpha, request.beta, request.y.data + v * request.y.stride});
}

}  // namespace

template <class T>
bool pays_in_slices([[maybe_unused]] Queue& queue, [[maybe_unused]] const Csr<T>& a) {
  // A row that is far longer than others holds its slice up.
  constexpr double alike = 8;
  if constexpr (build::cuda)
    return !queue.device().on_host() && a.num_entries() >= few_entries &&
           static_cast<double>(cuda::longest_row(queue, a)) * a.num_rows < alike * static_cast<double>(a.num_entries());
  else
    return false;
}

template <class W>
SlicedMatrix<W>::SlicedMatrix(Queue& queue, const Csr<W>& a) : NarrowMatrix<W>(queue, 0) {
  slices_.num_rows = a.num_rows, slices_.num_cols = a.num_cols;
  if constexpr (build::cuda) require_in_range(cuda::make_slices(queue, a, slices_));
}

template <class W>
void SlicedMatrix<W>::update(Queue& queue, const Csr<W>& a) {
  if constexpr (build::cuda) require_in_range(cuda::set_slices(queue, a, slices_));
}

template <class W>
void SlicedMatrix<W>::step(Queue& queue, const FusedStep<W>& step) const {
  multiply(queue, slices_, step.x, step);
}

template <class W>
void SlicedMatrix<W>::residual(Queue& queue, const W* x, const FusedResidual<W>& residual) const {
  multiply(queue, slices_, x, residual);
}

template <class W>
void SlicedMatrix<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  multiply_all(queue, slices_, request);
}

template <class W>
SlicedTransfer<W>::SlicedTransfer(Queue& queue, const RowPattern& pattern, const Offset* entries, const W* values) {
  slices_.num_rows = pattern.num_rows, slices_.num_cols = pattern.num_cols;
  if constexpr (build::cuda) require_in_range(cuda::make_slices(queue, pattern, entries, values, slices_));
}

template <class W>
void SlicedTransfer<W>::update(Queue& queue, const RowPattern& pattern, const Offset* entries, const W* values) {
  if constexpr (build::cuda) require_in_range(cuda::set_slices(queue, pattern, entries, values, slices_));
}

template <class W>
void SlicedTransfer<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  multiply_all(queue, slices_, request);
}

template bool pays_in_slices(Queue&, const Csr<float>&);
template bool pays_in_slices(Queue&, const Csr<double>&);
template class SlicedMatrix<float>;
template class SlicedMatrix<double>;
template class SlicedTransfer<float>;
template class SlicedTransfer<double>;

}  // namespace millrace::multigrid
