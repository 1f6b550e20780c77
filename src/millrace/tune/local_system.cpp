// The order of a system on one rank: words one after another, then the format.
#include "millrace/tune/local_system.hpp"

#include <cmath>

#include "millrace/solve/by_name.hpp"
#include "millrace/sparse/matching.hpp"
#include "millrace/sparse/order.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

// A permutation after another, both new to old; an empty one changes nothing.
std::vector<Index> after(const std::vector<Index>& first, const std::vector<Index>& then) {
  if (first.empty()) return then;
  std::vector<Index> both(then.size());
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = first[static_cast<std::size_t>(then[i])];
  return both;
}

/// In a format, on the device of the queue.
template <class T>
class FormattedMatrix final : public SystemMatrix<T> {
 public:
  /// `host` must live longer than this; or it comes to stay.
  FormattedMatrix(Queue& queue, const Csr<T>& host, const MatrixOptions& options) : host_(&host) {
    const Device device = queue.device();
    if (!device.on_host()) own_ = host.to(device);
    a_ = std::make_unique<SparseMatrix<T>>(make_matrix(queue, entries(), options, &format_));
    if (const Array<Index>* basis = a_->permutation()) {
      const std::vector<Index> p = basis->to_vector();
      own_ = sort_rows(permute(host, p, p)).to(device);
    }
  }
  FormattedMatrix(Queue& queue, std::unique_ptr<const Csr<T>> host, const MatrixOptions& options)
      : FormattedMatrix(queue, *host, options) {
    kept_ = std::move(host);
  }
  const Operator<T>& a() const override { return *a_; }
  const FormatChoice& format() const override { return format_; }
  Preconditioner<T> preconditioner(Queue& queue, const SolvePlan& plan) const override {
    return make_preconditioner(queue, plan.precond, entries(), *a_,
                               precond_options(queue, plan, host_->num_rows, a_->permutation() ? "" : format_.format));
  }

 private:
  const Csr<T>& entries() const { return own_.num_rows > 0 ? own_ : *host_; }  // on the device, in the basis of a()

  std::unique_ptr<const Csr<T>> kept_;
  const Csr<T>* host_;
  Csr<T> own_;  // where it is not the matrix that was given
  FormatChoice format_;
  std::unique_ptr<SparseMatrix<T>> a_;
};

}  // namespace

template <class T>
void measure_residual(const Csr<T>& a, const std::vector<T>& b, const std::vector<T>& x, SolveReport& report) {
  double residual = 0, rhs = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    T sum = b[static_cast<std::size_t>(r)];
    rhs = std::hypot(rhs, std::abs(sum));
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      sum -= a.vals.data()[k] * x[static_cast<std::size_t>(a.cols.data()[k])];
    residual = std::hypot(residual, std::abs(sum));
  }
  report.rhs_norm = rhs;
  report.residual = residual;
  report.relative = rhs > 0 ? residual / rhs : residual;
}

template <class T>
auto LocalSystem<T>::build(const std::string& order) -> std::unique_ptr<Built> {
  auto next = std::make_unique<Reordered>();
  const Csr<T>* now = &csr_;
  for (const std::string& word : order_words(order)) {
    if (word == "scale") {
      require(next->rows.empty() && next->cols.empty(), "order '", order,
              "': scale comes before the words that reorder");
      next->scaling = equilibrate(*now, asymmetry(*now) <= max_asymmetry);
      next->csr = scaled(*now, next->scaling);
    } else if (word == "negate") {
      next->negated = true;
      next->csr = now->clone();
      for (T& value : next->csr.vals.span()) value = -value;
    } else if (word == "match") {
      const std::vector<Index> matched = match_diagonal(*now).rows;
      next->csr = sort_rows(permute_rows(*now, matched));
      next->rows = after(next->rows, matched);
    } else {
      const std::vector<Index> both = make_ordering(*now, parse_ordering(word));
      next->csr = sort_rows(permute(*now, both, both));
      next->rows = after(next->rows, both);
      next->cols = after(next->cols, both);
    }
    now = &next->csr;
  }
  next->matrix = std::make_unique<FormattedMatrix<T>>(queue_, *now, options_);
  return next;
}

template <class T>
auto LocalSystem<T>::build_narrow(const Built& built) -> std::unique_ptr<SystemMatrix<Narrow>> {
  const Csr<T>& csr = built.order.empty() ? csr_ : static_cast<const Reordered&>(built).csr;
  auto narrow = std::make_unique<const Csr<Narrow>>(convert_values<Narrow>(csr));
  return std::make_unique<FormattedMatrix<Narrow>>(queue_, std::move(narrow), options_);
}

#define MILLRACE_INSTANTIATE(T)                                                                              \
  template void measure_residual(const Csr<T>&, const std::vector<T>&, const std::vector<T>&, SolveReport&); \
  template class LocalSystem<T>
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
