// Patterns are borrowed from the matrix that comes in; only values are converted.
#include "millrace/precond/multigrid/as_floats.hpp"

#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/steps.hpp"

namespace millrace::multigrid {
namespace {

bool all_finite(Queue& queue, const float* values, Offset n) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::all_finite(queue, values, n);
  std::atomic<bool> finite = true;
  parallel_for(queue.num_threads(), n, [&](std::int64_t begin, std::int64_t end) {
    float sum = 0;  // what is not finite stays so when it is added to zeros
    for (std::int64_t i = begin; i < end; ++i) sum += 0 * values[i];
    if (!is_finite(sum)) finite = false;
  });
  return finite;
}

}  // namespace

void with_floats(Queue& queue, const Csr<double>& a, const std::function<void(const Csr<float>&)>& f) {
  const Offset n = a.num_entries();
  const auto values = queue.scratch<float>(n);
  detail::sweep(queue, Comm(), n, ConvertStep<double, float>(1.0F, a.vals.data(), 0.0F, values.data()));
  require(
      all_finite(queue, values.data(), n),
      "amg: the matrix has numbers that are not finite, or beyond the range of a float; for large ones ask for full "
      "precision");
  std::visit(
      [&]<class RowOffset>(const Array<RowOffset>& row_ptr) {
        f(Csr<float>::wrap(a.num_rows, a.num_cols, row_ptr.device_span(), a.cols.device_span(),
                           DeviceSpan<const float>(a.device(), values.data(), n), trust));
      },
      a.row_ptr);
}

}  // namespace millrace::multigrid
