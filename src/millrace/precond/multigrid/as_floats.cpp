// Patterns are borrowed from the matrix that comes in; only values are converted.
#include "millrace/precond/multigrid/as_floats.hpp"

#include "millrace/base/read_back.hpp"
#include "millrace/precond/multigrid/steps.hpp"

namespace millrace::multigrid {
namespace {

/// Rounds to floats. False: one of them is not finite.
bool to_floats(Queue& queue, const double* from, Offset n, float* to) {
  if (n == 0) return true;
  const auto sum = queue.scratch<double>(1);
  detail::sweep(queue, Comm(), n, FloatStep{from, to, sum.data()});
  return read_back(queue, sum.data()) == 0;
}

}  // namespace

void with_floats(Queue& queue, const Csr<double>& a, const std::function<void(const Csr<float>&)>& f) {
  const Offset n = a.num_entries();
  const auto values = queue.scratch<float>(n);
  require(
      to_floats(queue, a.vals.data(), n, values.data()),
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
