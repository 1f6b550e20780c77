// Eigenvalues nearest to a shift, also of A x = lambda M x: block Lanczos on the shifted inverse.
#include "millrace/solve/methods/eigen_search.hpp"

#include "millrace/base/thread_limit.hpp"

namespace millrace {

using namespace detail;

namespace {

/// y = inverse M x.
template <class T>
class InverseTimesMass final : public Operator<T> {
 public:
  InverseTimesMass(const Operator<T>& inverse, const Operator<T>& mass) : inverse_(inverse), mass_(mass) {}
  Shape shape() const override { return inverse_.shape(); }
  Device device() const override { return inverse_.device(); }
  Comm comm() const override { return inverse_.comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    Traffic both = inverse_.traffic(num_vectors, reads_y);
    const Traffic other = mass_.traffic(num_vectors);
    both.matrix += other.matrix, both.vectors += other.vectors, both.minimum += other.minimum;
    return both;
  }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override {
    Array<T> between(queue, request.x.size * request.x.num);
    const Vectors<T> product(between, request.x.num);
    mass_.apply(queue, {.x = request.x, .y = product});
    inverse_.apply(queue, {.alpha = request.alpha, .x = product, .beta = request.beta, .y = request.y});
  }
  const Operator<T>& inverse_;
  const Operator<T>& mass_;
};

}  // namespace

template <class T>
EigenReport shift_invert(Queue& queue, const Operator<T>& a, const Operator<T>& inverse, double sigma, int num,
                         const EigenOptions& options, const std::type_identity_t<Operator<T>>* mass,
                         std::type_identity_t<Vectors<T>> vectors, std::type_identity_t<Vectors<const T>> start) {
  const ThreadLimit limit(queue);
  check_eigen("shift_invert", queue, a, num, options, vectors, start);
  const auto same = [&](const Operator<T>& other) {
    return other.shape() == a.shape() && other.device() == a.device() && !other.permutation();
  };
  require(!a.permutation() && same(inverse) && (!mass || same(*mass)),
          "shift_invert: A, M and the inverse must have the same shape, live on the same device and work in the user's "
          "order of the unknowns");
  require(std::isfinite(sigma), "shift_invert: the shift ", sigma, " is not a number");
  const auto begin = Clock::now();
  const Range range("shift_invert");
  EigenReport report;
  const auto lambda_of = [&](double theta) { return sigma + 1 / theta; };
  Missing missing;
  if (options.count_below)
    missing = [&](const std::vector<double>& thetas) -> std::optional<std::int64_t> {
      const double radius = (1 - 10 * std::max(options.tolerance, 10 * double{epsilon<T>})) / std::abs(thetas.back());
      const std::int64_t low = options.count_below(sigma - radius), high = options.count_below(sigma + radius);
      if (low < 0 || high < 0) return std::nullopt;
      std::int64_t seen = 0;
      for (const double theta : thetas) seen += 1 < radius * std::abs(theta) ? 1 : 0;
      return high - low - seen;
    };
  std::optional<InverseTimesMass<T>> both;
  if (mass) both.emplace(inverse, *mass);
  Search<T> search(queue, mass ? static_cast<const Operator<T>&>(*both) : inverse, mass, num, options,
                   EigenOrder::largest, true, missing, start);
  search.run(report);
  // A shift close to an eigenvalue makes that one's theta so large that rounding errors of it disturb the others.
  const auto inexact = [&](double theta) {
    return double{epsilon<T>} * report.norm > options.tolerance * std::abs(theta);
  };
  finish(search, report, a, mass, num, 0, vectors, lambda_of, options.end == SpectrumEnd::highest, inexact);
  report.norm = 0;
  for (const double value : report.values) report.norm = std::max(report.norm, std::abs(value));
  report.seconds = seconds_since(begin);
  return report;
}

template EigenReport shift_invert(Queue&, const Operator<float>&, const Operator<float>&, double, int,
                                  const EigenOptions&, const Operator<float>*, Vectors<float>, Vectors<const float>);
template EigenReport shift_invert(Queue&, const Operator<double>&, const Operator<double>&, double, int,
                                  const EigenOptions&, const Operator<double>*, Vectors<double>, Vectors<const double>);
template EigenReport shift_invert(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                                  double, int, const EigenOptions&, const Operator<std::complex<float>>*,
                                  Vectors<std::complex<float>>, Vectors<const std::complex<float>>);
template EigenReport shift_invert(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                                  double, int, const EigenOptions&, const Operator<std::complex<double>>*,
                                  Vectors<std::complex<double>>, Vectors<const std::complex<double>>);

}  // namespace millrace
