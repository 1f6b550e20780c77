// Equilibration in logarithms, which neither overflow nor underflow.
#include "millrace/precond/equilibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace millrace {
namespace {

constexpr double well_scaled = 0.1;  // as LAPACK's xLAQGE
constexpr int max_sweeps = 20;
constexpr double nothing = -std::numeric_limits<double>::infinity();  // the logarithm of a zero entry

double value_times(double value, int exponent) { return std::ldexp(value, exponent); }
float value_times(float value, int exponent) { return std::ldexp(value, exponent); }
template <class R>
std::complex<R> value_times(std::complex<R> value, int exponent) {
  return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
}

// log2 of the largest entry of every row and column of 2^rows A 2^cols.
struct Norms {
  std::vector<double> rows, cols;
};

template <class T>
Norms log_norms(const Csr<T>& a, const std::vector<double>& logs, const std::vector<double>& rows,
                const std::vector<double>& cols) {
  Norms norms{std::vector<double>(rows.size(), nothing), std::vector<double>(cols.size(), nothing)};
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const auto i = static_cast<std::size_t>(r), j = static_cast<std::size_t>(a.cols.data()[k]);
      const double log = logs[static_cast<std::size_t>(k)] + rows[i] + cols[j];
      norms.rows[i] = std::max(norms.rows[i], log);
      norms.cols[j] = std::max(norms.cols[j], log);
    }
  return norms;
}

// Smallest over largest; empty rows do not count.
double spread_of(std::span<const double> norms, const OtherRanks& others) {
  double least = -nothing, most = 0;
  for (const double norm : norms) {
    if (norm == 0) continue;
    least = std::min(least, norm);
    most = std::max(most, norm);
  }
  double ends[] = {-least, most};
  if (others.largest) others.largest(ends);
  return ends[1] == 0 ? 1 : std::max(-ends[0] / ends[1], std::numeric_limits<double>::min());
}

template <class T>
double entry_size(const T& value) {
  return std::abs(std::complex<double>(value));
}

double farthest_from_one(std::span<const double> logs) {
  double most = 0;
  for (const double log : logs)
    if (log != nothing) most = std::max(most, std::abs(log));
  return most;
}

std::vector<int> rounded(const std::vector<double>& logs) {
  std::vector<int> result(logs.size());
  std::transform(logs.begin(), logs.end(), result.begin(),
                 [](double log) { return static_cast<int>(std::lrint(log)); });
  return result;
}

}  // namespace

std::string Scaling::text() const {
  if (!needed() || rows.empty()) return "not scaled";
  const auto [least_row, most_row] = std::minmax_element(rows.begin(), rows.end());
  const auto [least_col, most_col] = std::minmax_element(cols.begin(), cols.end());
  return fmt::format("rows scaled by 2^{} to 2^{}, columns by 2^{} to 2^{}", *least_row, *most_row, *least_col,
                     *most_col);
}

template <class T>
Scaling measure_scaling(const Csr<T>& a, bool symmetric, const OtherRanks& others) {
  std::vector<double> rows(static_cast<std::size_t>(a.num_rows)), cols(static_cast<std::size_t>(a.num_cols));
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      rows[static_cast<std::size_t>(r)] = std::max(rows[static_cast<std::size_t>(r)], entry_size(a.vals.data()[k]));
  Scaling scaling;
  scaling.row_spread = scaling.col_spread = spread_of(rows, others);
  if (symmetric) return scaling;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      double& col = cols[static_cast<std::size_t>(a.cols.data()[k])];
      const double size = entry_size(a.vals.data()[k]);
      if (size > 0) col = std::max(col, size / rows[static_cast<std::size_t>(r)]);
    }
  if (others.join_columns) others.join_columns(cols);
  scaling.col_spread = spread_of(cols, others);  // a column twice does no harm
  return scaling;
}

template <class T>
Scaling equilibrate(const Csr<T>& a, bool symmetric, const OtherRanks& others) {
  Scaling scaling = measure_scaling(a, symmetric, others);
  if (scaling.row_spread >= well_scaled && scaling.col_spread >= well_scaled) return scaling;
  std::vector<double> logs(static_cast<std::size_t>(a.num_entries()));
  for (std::size_t k = 0; k < logs.size(); ++k) logs[k] = std::log2(entry_size(a.vals.data()[k]));
  std::vector<double> rows(static_cast<std::size_t>(a.num_rows)), cols(static_cast<std::size_t>(a.num_cols));
  const auto norms_now = [&] {
    Norms norms = log_norms(a, logs, rows, cols);
    if (others.join_columns && !symmetric) others.join_columns(norms.cols);
    return norms;
  };
  Norms norms = norms_now();
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    const auto halve = [](const std::vector<double>& by, std::vector<double>& factors) {
      for (std::size_t i = 0; i < factors.size(); ++i)
        if (by[i] != nothing) factors[i] -= by[i] / 2;
    };
    halve(norms.rows, rows);
    if (symmetric) {
      std::fill(std::copy(rows.begin(), rows.end(), cols.begin()), cols.end(), nothing);
      if (others.join_columns) others.join_columns(cols);
    } else {
      halve(norms.cols, cols);
    }
    norms = norms_now();
    constexpr double close = 0.1;  // of a power of two
    double far[] = {std::max(farthest_from_one(norms.rows), symmetric ? 0.0 : farthest_from_one(norms.cols))};
    if (others.largest) others.largest(far);
    if (far[0] < close) break;
  }
  scaling.scales = true;
  scaling.rows = rounded(rows);
  scaling.cols = rounded(cols);
  return scaling;
}

template <class T>
Csr<T> scaled(const Csr<T>& a, const Scaling& scaling) {
  Csr<T> result = a.clone();
  if (!scaling.needed()) return result;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const int exponent =
          scaling.rows[static_cast<std::size_t>(r)] + scaling.cols[static_cast<std::size_t>(a.cols.data()[k])];
      result.vals.data()[k] = value_times(a.vals.data()[k], exponent);
    }
  return result;
}

template <class T>
void scale_by(std::vector<T>& v, const std::vector<int>& exponents) {
  for (std::size_t i = 0; i < exponents.size(); ++i) v[i] = value_times(v[i], exponents[i]);
}

#define MILLRACE_INSTANTIATE(T)                                             \
  template Scaling measure_scaling(const Csr<T>&, bool, const OtherRanks&); \
  template Scaling equilibrate(const Csr<T>&, bool, const OtherRanks&);     \
  template Csr<T> scaled(const Csr<T>&, const Scaling&);                    \
  template void scale_by(std::vector<T>&, const std::vector<int>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
