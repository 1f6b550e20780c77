// Rows of the irregular matrices.
#include "millrace/sparse/gallery/irregular.hpp"

#include <cmath>

#include "millrace/base/sort_unique.hpp"
#include "millrace/sparse/gallery/random.hpp"
#include "millrace/sparse/gallery/rows.hpp"

namespace millrace::gallery {
namespace {

/// Rows made of the diagonal and of what draw(row, k) yields for k = 1..count(row)-1, repeated columns once.
template <class Count, class Draw>
Csr<double> from_draws(Index n, double diagonal, const Values& values, const Progress& progress, Count&& count,
                       Draw&& draw) {
  const Random random(values.seed(), 1);
  const auto columns = [&](Index row) {
    std::vector<Index> cols(static_cast<std::size_t>(count(row)), row);
    for (std::size_t k = 1; k < cols.size(); ++k) cols[k] = draw(row, static_cast<std::int64_t>(k));
    sort_unique(cols);
    return cols;
  };
  const auto length = [&](Index row) { return std::ssize(columns(row)); };
  const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
    const std::vector<Index> drawn = columns(row);
    std::copy(drawn.begin(), drawn.end(), cols.begin());
    for (std::size_t k = 0; k < cols.size(); ++k)
      vals[k] = cols[k] == row ? diagonal : random.signed_unit(row, cols[k]);
  };
  return from_rows(n, values, progress, length, fill);
}

}  // namespace

Csr<double> make_powerlaw(const Values& values, const Progress& progress) {
  const auto n = static_cast<Index>(values.integer("n"));
  const double mean = values.real("mean"), most = static_cast<double>(n) / 16;
  require(mean - 1 <= most / 4, values.name(), ": a mean of ", mean, " needs n >= ", 64 * (mean - 1), "; n is ", n);
  values.require_memory(n, mean * n);
  const Random lengths(values.seed(), 2), places(values.seed(), 3);
  const auto weight = [&](std::int64_t row) {  // u^(-7/8), from exactly rounded operations only
    const double half = std::sqrt(1 - lengths.unit(row)), quarter = std::sqrt(half), eighth = std::sqrt(quarter);
    return std::min(most, 1 / (half * quarter * eighth));
  };
  double sum = 0;
  for (std::int64_t row = 0; row < n; ++row) sum += weight(row);
  const double scale = (mean - 1) * n / sum;
  const auto count = [&](Index row) {
    return 1 + static_cast<std::int64_t>(std::min(weight(row) * scale, most) + lengths.unit(row, 1));
  };
  constexpr std::uint64_t multiplier = 2654435761u;  // Knuth's, a prime: spreads the hot columns over all
  const auto draw = [&](Index row, std::int64_t k) {
    const double u = places.unit(row, k);
    const auto rank = static_cast<std::uint64_t>(u * u * u * n);
    return static_cast<Index>(rank * multiplier % static_cast<std::uint64_t>(n));
  };
  return from_draws(n, 4, values, progress, count, draw);
}

Csr<double> make_hugerow(const Values& values, const Progress& progress) {
  const auto n = static_cast<Index>(values.integer("n"));
  const std::int64_t k = values.integer("k");
  values.require_memory(n, static_cast<double>(k + 1) * n);
  const Index full = n / 2;
  const Random places(values.seed(), 3);
  const auto count = [&](Index row) { return row == full ? std::int64_t{n} : k; };
  const auto draw = [&](Index row, std::int64_t i) {
    if (row == full) return static_cast<Index>(i <= full ? i - 1 : i);  // all but the diagonal
    return static_cast<Index>(std::clamp<std::int64_t>(row + places.below(64, row, i) - 32, 0, n - 1));
  };
  return from_draws(n, static_cast<double>(k), values, progress, count, draw);
}

Csr<double> make_random(const Values& values, const Progress& progress) {
  const auto n = static_cast<Index>(values.integer("n"));
  const std::int64_t k = values.integer("k");
  require(k <= n, values.name(), ": k = ", k, " entries a row do not fit into n = ", n, " columns");
  values.require_memory(n, static_cast<double>(k) * n);
  const Random places(values.seed(), 3);
  const auto count = [&](Index) { return k; };
  const auto draw = [&](Index row, std::int64_t i) { return static_cast<Index>(places.below(n, row, i)); };
  return from_draws(n, static_cast<double>(k), values, progress, count, draw);
}

}  // namespace millrace::gallery
