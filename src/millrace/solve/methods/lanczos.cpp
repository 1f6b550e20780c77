// Eigenvalues at the ends of a spectrum, and bounds of it, by block Lanczos.
#include "millrace/solve/lanczos.hpp"

#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/methods/eigen_search.hpp"

namespace millrace {

using namespace detail;

namespace {

/// How many eigenvalues at the sought end are missing before the last one found; a little less, so that it does not
/// matter on which side of x rounding errors have put the last.
std::optional<std::int64_t> missing_at_end(const std::vector<double>& found, bool highest, std::int64_t n, double error,
                                           const std::function<std::int64_t(double)>& count_below) {
  const double x = highest ? found.back() + error : found.back() - error;
  const std::int64_t below = count_below(x);
  if (below < 0) return std::nullopt;
  std::int64_t seen = 0;
  for (const double value : found) seen += (highest ? value > x : value < x) ? 1 : 0;
  return (highest ? n - below : below) - seen;
}

/// y = scale A x.
template <class T>
class ScaledOperator final : public Operator<T> {
 public:
  ScaledOperator(const Operator<T>& a, double scale) : a_(a), scale_(static_cast<RealOf<T>>(scale)) {}
  Shape shape() const override { return a_.shape(); }
  Device device() const override { return a_.device(); }
  Comm comm() const override { return a_.comm(); }
  const Array<Index>* permutation() const override { return a_.permutation(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override { return a_.traffic(num_vectors, reads_y); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override {
    ApplyRequest<T> scaled = request;
    scaled.alpha = scale_ * request.alpha;
    scaled.dot = DotWith::none;  // left to the base
    a_.apply(queue, scaled);
  }
  const Operator<T>& a_;
  RealOf<T> scale_;
};

template <class T>
EigenReport at_end(Queue& queue, const Operator<T>& a, int num, const EigenOptions& options, const Vectors<T>& vectors,
                   const Vectors<const T>& start) {
  const bool highest = options.end == SpectrumEnd::highest;
  const std::int64_t all = all_rows(a.comm(), a.shape().rows);
  EigenReport report;
  Missing missing;
  if (options.count_below)
    missing = [&](const std::vector<double>& found) {
      const double error = 10 * std::max(options.tolerance, 10 * double{epsilon<T>}) * report.norm;
      return missing_at_end(found, highest, all, error, options.count_below);
    };
  Search<T> search(queue, a, nullptr, num, options, highest ? EigenOrder::highest : EigenOrder::lowest, false, missing,
                   start);
  search.run(report);
  const double limit = 1.5 * std::max(options.tolerance, 10 * double{epsilon<T>}) * report.norm;
  finish(
      search, report, a, static_cast<const Operator<T>*>(nullptr), num, limit, vectors,
      [](double theta) { return theta; }, highest);
  return report;
}

/// A power of two that brings A's numbers where their squares neither overflow nor vanish; 1: they are there.
template <class T>
double rescuing_scale(const EigenReport& report) {
  constexpr bool is_float = sizeof(RealOf<T>) == 4;
  if (report.end == SolveEnd::not_a_number) return is_float ? 0x1p-90 : 0x1p-664;
  if (report.norm == 0 || report.norm > (is_float ? 1e-12 : 1e-130)) return 1;
  return std::exp2(std::min(-std::floor(std::log2(report.norm)), is_float ? 120.0 : 1000.0));
}

}  // namespace

template <class T>
EigenReport lanczos(Queue& queue, const Operator<T>& a, int num, const EigenOptions& options,
                    std::type_identity_t<Vectors<T>> vectors, std::type_identity_t<Vectors<const T>> start) {
  const ThreadLimit limit(queue);
  check_eigen("lanczos", queue, a, num, options, vectors, start);
  const auto begin = Clock::now();
  const Range range("lanczos");
  EigenReport report = at_end(queue, a, num, options, vectors, start);
  if (const double scale = rescuing_scale<T>(report); scale != 1) {
    EigenOptions scaled = options;
    if (options.count_below) scaled.count_below = [&](double x) { return options.count_below(x / scale); };
    EigenReport again = at_end(queue, ScaledOperator<T>(a, scale), num, scaled, vectors, start);
    if (again.end != SolveEnd::not_a_number) {
      for (double& value : again.values) value /= scale;
      for (double& residual : again.residuals) residual /= scale;
      again.norm /= scale;
      again.iterations += report.iterations;
      again.reason += join(" of A times ", scale);
      report = std::move(again);
    }
  }
  report.seconds = seconds_since(begin);
  return report;
}

template <class T>
std::pair<double, double> spectral_bounds(Queue& queue, const Operator<T>& a, int steps, std::uint64_t seed) {
  const ThreadLimit limit(queue);
  check_eigen("spectral_bounds", queue, a, 1, {}, Vectors<T>{}, Vectors<const T>{});
  require(steps >= 1 && steps <= most_vectors, "spectral_bounds: ", steps, " steps were asked for; 1 to ", most_vectors,
          " are accepted");
  const std::int64_t global = all_rows(a.comm(), a.shape().rows);
  BlockLanczos<T> p(queue, a, nullptr, static_cast<int>(std::min<std::int64_t>(global, steps)), 1, Precision::full,
                    seed);
  p.begin();
  require(p.fill(steps), "spectral_bounds: the operator made NaN or Inf");
  const auto pairs = p.ritz(EigenOrder::lowest);
  const double outside = p.beyond();
  return {pairs.values.front() - outside, pairs.values.back() + outside};
}

template EigenReport lanczos(Queue&, const Operator<float>&, int, const EigenOptions&, Vectors<float>,
                             Vectors<const float>);
template EigenReport lanczos(Queue&, const Operator<double>&, int, const EigenOptions&, Vectors<double>,
                             Vectors<const double>);
template EigenReport lanczos(Queue&, const Operator<std::complex<float>>&, int, const EigenOptions&,
                             Vectors<std::complex<float>>, Vectors<const std::complex<float>>);
template EigenReport lanczos(Queue&, const Operator<std::complex<double>>&, int, const EigenOptions&,
                             Vectors<std::complex<double>>, Vectors<const std::complex<double>>);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<float>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<double>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<std::complex<float>>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<std::complex<double>>&, int, std::uint64_t);

}  // namespace millrace
