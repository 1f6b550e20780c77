// Eigenvalues at the ends of a spectrum, and bounds of it, by block Lanczos.
#include "millrace/solve/lanczos.hpp"

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

}  // namespace

template <class T>
EigenReport lanczos(Queue& queue, const Operator<T>& a, int num, const EigenOptions& options,
                    std::type_identity_t<Vectors<T>> vectors, std::type_identity_t<Vectors<const T>> start) {
  check_eigen("lanczos", queue, a, num, options, vectors, start);
  const auto begin = std::chrono::steady_clock::now();
  const Range range("lanczos");
  const bool highest = options.end == SpectrumEnd::highest;
  EigenReport report;
  Missing missing;
  if (options.count_below)
    missing = [&](const std::vector<double>& found) {
      const double error = 10 * std::max(options.tolerance, 10 * double{epsilon<T>}) * report.norm;
      return missing_at_end(found, highest, a.shape().rows, error, options.count_below);
    };
  Search<T> search(queue, a, nullptr, num, options, highest ? EigenOrder::highest : EigenOrder::lowest, false, missing,
                   start);
  search.run(report);
  const double limit = 1.5 * std::max(options.tolerance, 10 * double{epsilon<T>}) * report.norm;
  finish(
      search, report, a, static_cast<const Operator<T>*>(nullptr), num, limit, vectors,
      [](double theta) { return theta; }, highest);
  report.seconds = seconds_since(begin);
  return report;
}

template <class T>
std::pair<double, double> spectral_bounds(Queue& queue, const Operator<T>& a, int steps, std::uint64_t seed) {
  check_eigen("spectral_bounds", queue, a, 1, {}, Vectors<T>{}, Vectors<const T>{});
  require(steps >= 1 && steps <= most_vectors, "spectral_bounds: ", steps, " steps were asked for; 1 to ", most_vectors,
          " are accepted");
  std::int64_t global = a.shape().rows;
  a.comm().sum(std::span(&global, 1));
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
