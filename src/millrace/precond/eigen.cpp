// Shifts, their factorisations, and counts of eigenvalues by inertia.
#include "millrace/precond/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/direct.hpp"
#include "millrace/precond/direct/add_multiple.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace {
namespace {

/// The largest sum of magnitudes in a row.
template <class T>
double norm_of(const Csr<T>& a) {
  double norm = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    double sum = 0;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) sum += std::abs(a.vals.data()[k]);
    norm = std::max(norm, sum);
  }
  return norm;
}

/// A - x M for many x, on the host, and what its factorisations say.
template <class T>
class Pencil {
 public:
  Pencil(Queue& queue, const Csr<T>& a, const Csr<T>* mass)
      : queue_(queue), a_(sort_rows(a.to(Device::host()))), has_mass_(mass != nullptr) {
    require(a.num_rows == a.num_cols && a.num_rows > 0, "eigenvalues: A is ", a.num_rows, " x ", a.num_cols,
            "; it must be square, with at least one row");
    require(queue.device() == a.device() && (!mass || mass->device() == a.device()),
            "eigenvalues: the queue, A and M must be on one device");
    require(!mass || (mass->num_rows == a.num_rows && mass->num_cols == a.num_cols), "eigenvalues: A is ", a.num_rows,
            " x ", a.num_cols, ", so M must be; it is ", mass ? mass->num_rows : 0, " x ", mass ? mass->num_cols : 0);
    if (mass) m_ = sort_rows(mass->to(Device::host()));
    const double mass_norm = has_mass_ ? norm_of(m_) : 1;
    const double norm = norm_of(a_);
    require(std::isfinite(norm) && std::isfinite(mass_norm), "eigenvalues: A or M holds NaN or Inf");
    scale_ = norm > 0 && mass_norm > 0 ? norm / mass_norm : 1;
  }

  double scale() const { return scale_; }  // |A| over |M|
  Index num_rows() const { return a_.num_rows; }
  int num_factorisations() const { return num_; }

  Direct<T> factorise(double x, Factorisation kind = Factorisation::automatic) {
    ++num_;
    return Direct<T>(queue_, shifted(x).to(queue_.device()), {.kind = kind});
  }
  /// Eigenvalues below x (J. J. Sylvester's law of inertia); -1: LDL^T fails, or is too inexact to say.
  std::int64_t count_below(double x) try {
    if (!std::isfinite(x)) return -1;
    const Direct<T> factors = factorise(x, Factorisation::ldl);
    return factors.report().num_negative ? std::int64_t{*factors.report().num_negative} : -1;
  } catch (const Error&) {
    return -1;
  }
  /// Is M positive definite?
  void check_mass() {
    if (!has_mass_) return;
    ++num_;
    try {
      const Direct<T> factors(queue_, m_.to(queue_.device()), {.kind = Factorisation::cholesky});
    } catch (const Unsupported&) {  // without CHOLMOD nothing tells
    } catch (const Error& error) {
      throw Error(join("M of A x = lambda M x must be positive definite; ", error.what()));
    }
  }

 private:
  Csr<T> shifted(double x) const {
    return detail::add_multiple(a_, T(static_cast<RealOf<T>>(-x)), has_mass_ ? &m_ : nullptr);
  }

  Queue& queue_;
  Csr<T> a_, m_;
  bool has_mass_;
  double scale_ = 1;
  int num_ = 0;
};

/// Closer to an eigenvalue than this (as the condition tells) a shift drowns the others in rounding.
template <class T>
constexpr double min_shift_rcond = 1e3 * double{epsilon<T>};

/// Is the shift so close to an eigenvalue that rounding errors of that one disturb the others?
template <class T>
bool too_close(const FactorisedEigenReport& report, double tolerance) {
  double nearest = INFINITY, farthest = 0;
  for (const double value : report.values) {
    nearest = std::min(nearest, std::abs(value - report.sigma));
    farthest = std::max(farthest, std::abs(value - report.sigma));
  }
  return double{epsilon<T>} * farthest > tolerance * nearest;
}

template <class T>
FactorisedEigenReport find(Queue& queue, Pencil<T>& pencil, const Csr<T>& a, double sigma, int num,
                           EigenOptions options, const Csr<T>* mass, const Vectors<T>& vectors,
                           const Vectors<const T>& start) {
  if (!options.count_below) options.count_below = [&](double x) { return pencil.count_below(x); };
  const SparseMatrix<T> matrix(a.clone(), "csr");
  std::optional<SparseMatrix<T>> mass_matrix;
  if (mass) mass_matrix.emplace(mass->clone(), "csr");
  const double limit = 1.5 * std::max(options.tolerance, 10 * double{epsilon<T>}) * pencil.scale();
  FactorisedEigenReport report;
  report.sigma = sigma;
  for (double step = std::sqrt(double{epsilon<T>});; step *= 64) {  // away from an eigenvalue, relative to |A| / |M|
    const bool last = step > 0.05;
    const Direct<T> inverse = pencil.factorise(report.sigma);
    if (inverse.report().rcond > min_shift_rcond<T> || last) {
      static_cast<EigenReport&>(report) = shift_invert(queue, matrix, inverse, report.sigma, num, options,
                                                       mass ? &*mass_matrix : nullptr, vectors, start);
      report.factorisation = inverse.report().text();
      const double worst =
          report.residuals.empty() ? 0 : *std::max_element(report.residuals.begin(), report.residuals.end());
      if (!report.ok() || mass || worst <= limit) break;
      if (last || !too_close<T>(report, options.tolerance)) {
        report.end = SolveEnd::stagnation;
        report.reason += join("; a residual is more than ", limit, ": rounding errors allow no less");
        break;
      }
    }
    report.sigma = sigma + (options.end == SpectrumEnd::highest ? step : -step) * pencil.scale();
  }
  report.num_factorisations = pencil.num_factorisations();
  if (report.sigma != sigma)
    report.reason +=
        join("; ", sigma, " is an eigenvalue or close to one, so the shift was moved by ", report.sigma - sigma);
  return report;
}

}  // namespace

template <class T>
FactorisedEigenReport eigen_near(Queue& queue, const Csr<T>& a, double sigma, int num, const EigenOptions& options,
                                 const std::type_identity_t<Csr<T>>* mass, std::type_identity_t<Vectors<T>> vectors,
                                 std::type_identity_t<Vectors<const T>> start) {
  const ThreadLimit limit(queue);
  require(std::isfinite(sigma), "eigenvalues: near ", sigma, " were asked for; a finite number is accepted");
  Pencil<T> pencil(queue, a, mass);
  pencil.check_mass();
  return find(queue, pencil, a, sigma, num, options, mass, vectors, start);
}

template <class T>
FactorisedEigenReport eigen_at_end(Queue& queue, const Csr<T>& a, int num, const EigenOptions& options,
                                   const std::type_identity_t<Csr<T>>* mass, std::type_identity_t<Vectors<T>> vectors,
                                   std::type_identity_t<Vectors<const T>> start) {
  const ThreadLimit limit(queue);
  Pencil<T> pencil(queue, a, mass);
  pencil.check_mass();
  const bool highest = options.end == SpectrumEnd::highest;
  const std::int64_t all = pencil.num_rows(), beyond = highest ? all : 0;
  // 0 where it is beyond the end (a definite A), else the first of some falling or rising numbers that is.
  const double sign = highest ? 1 : -1, near_zero = sign * std::sqrt(double{epsilon<T>}) * pencil.scale(),
               step = sign * 1e-3 * pencil.scale();
  double sigma = 0;
  for (int tries = 0; pencil.count_below(sigma) != beyond; ++tries) {
    require(tries < 40, "eigenvalues: no shift ", highest ? "above" : "below",
            " the spectrum was found: LDL^T failed or was too inexact for all that were tried (it needs CHOLMOD)");
    sigma = tries == 0 ? near_zero : tries == 1 ? step : 4 * sigma;
  }
  return find(queue, pencil, a, sigma, num, options, mass, vectors, start);
}

template FactorisedEigenReport eigen_near(Queue&, const Csr<float>&, double, int, const EigenOptions&,
                                          const Csr<float>*, Vectors<float>, Vectors<const float>);
template FactorisedEigenReport eigen_near(Queue&, const Csr<double>&, double, int, const EigenOptions&,
                                          const Csr<double>*, Vectors<double>, Vectors<const double>);
template FactorisedEigenReport eigen_near(Queue&, const Csr<std::complex<float>>&, double, int, const EigenOptions&,
                                          const Csr<std::complex<float>>*, Vectors<std::complex<float>>,
                                          Vectors<const std::complex<float>>);
template FactorisedEigenReport eigen_near(Queue&, const Csr<std::complex<double>>&, double, int, const EigenOptions&,
                                          const Csr<std::complex<double>>*, Vectors<std::complex<double>>,
                                          Vectors<const std::complex<double>>);
template FactorisedEigenReport eigen_at_end(Queue&, const Csr<float>&, int, const EigenOptions&, const Csr<float>*,
                                            Vectors<float>, Vectors<const float>);
template FactorisedEigenReport eigen_at_end(Queue&, const Csr<double>&, int, const EigenOptions&, const Csr<double>*,
                                            Vectors<double>, Vectors<const double>);
template FactorisedEigenReport eigen_at_end(Queue&, const Csr<std::complex<float>>&, int, const EigenOptions&,
                                            const Csr<std::complex<float>>*, Vectors<std::complex<float>>,
                                            Vectors<const std::complex<float>>);
template FactorisedEigenReport eigen_at_end(Queue&, const Csr<std::complex<double>>&, int, const EigenOptions&,
                                            const Csr<std::complex<double>>*, Vectors<std::complex<double>>,
                                            Vectors<const std::complex<double>>);

}  // namespace millrace
