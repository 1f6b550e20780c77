// What the tests of matrices share: random matrices, the reference product, and the rounding bound.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "expect.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::testing {

/// Rows of 0 to 2 mean entries in any order of columns, without repeated columns; one row may be full.
template <class T>
Csr<T> random_csr(Index rows, Index cols, Index mean, std::uint64_t seed, Index full_row = -1) {
  Random random(seed);
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> col;
  for (Index r = 0; r < rows; ++r) {
    const Index length = cols == 0 ? 0 : r == full_row ? cols : std::min(cols, random.below(2 * mean + 1));
    const Index step = length == 0 ? 1 : cols / length;
    const Index first = cols == 0 ? 0 : random.below(cols);
    for (Index k = 0; k < length; ++k) col.push_back((first + k * step) % cols);
    row_ptr.push_back(std::ssize(col));
  }
  Array<T> vals(std::span<const T>(random_vector<T>(std::ssize(col), seed + 1)));
  return {rows, cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(col)), std::move(vals)};
}

/// About half of the positions near the diagonal, in falling order of columns: what blocks and diagonals can hold.
template <class T>
Csr<T> banded_csr(Index rows, Index cols, Index half_band, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> col;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = std::min(r + half_band, cols - 1); c >= std::max(r - half_band, 0); --c)
      if (random.below(2) == 0) col.push_back(c);
    row_ptr.push_back(std::ssize(col));
  }
  Array<T> vals(std::span<const T>(random_vector<T>(std::ssize(col), seed + 1)));
  return {rows, cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(col)), std::move(vals)};
}

/// One entry of the exact answer and the bound of its rounding errors:
/// (n + 2) eps (|alpha| sum |a||x| + |beta||y|) with n entries in the row, 4 n for complex numbers.
template <class T>
struct Expected {
  using Wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;
  std::vector<Wide> value;
  std::vector<long double> bound;
};

template <class T>
Expected<T> reference(const Csr<T>& a, Op op, T alpha, std::span<const T> x, T beta, std::span<const T> y) {
  using Wide = typename Expected<T>::Wide;
  const std::size_t size = y.size();
  std::vector<Wide> sum(size);
  std::vector<long double> magnitude(size), count(size);
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const Index c = a.cols.data()[k];
      const auto to = static_cast<std::size_t>(op == Op::none ? r : c),
                 from = static_cast<std::size_t>(op == Op::none ? c : r);
      Wide value(a.vals.data()[k]);
      if constexpr (is_complex<T>)
        if (op == Op::conjugate_transpose) value = std::conj(value);
      sum[to] += value * Wide(x[from]);
      magnitude[to] += std::abs(value) * std::abs(Wide(x[from]));
      count[to] += is_complex<T> ? 4 : 1;
    }
  Expected<T> expected{std::vector<Wide>(size), std::vector<long double>(size)};
  for (std::size_t i = 0; i < size; ++i) {
    const bool reads = beta != T{0};
    expected.value[i] = Wide(alpha) * sum[i] + (reads ? Wide(beta) * Wide(y[i]) : Wide(0));
    expected.bound[i] =
        (count[i] + (is_complex<T> ? 8 : 2)) * std::numeric_limits<RealOf<T>>::epsilon() *
        (std::abs(Wide(alpha)) * magnitude[i] + (reads ? std::abs(Wide(beta)) * std::abs(Wide(y[i])) : 0));
  }
  return expected;
}

template <class T>
void expect_within(const Expected<T>& expected, std::span<const T> found, const std::string& what) {
  using Wide = typename Expected<T>::Wide;
  ASSERT_EQ(expected.value.size(), found.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(Wide(found[i]) - expected.value[i]), expected.bound[i])
        << what << ", entry " << i << ": found " << found[i];  // a NaN fails too
}

template <class T>
void expect_same(const Csr<T>& a, const Csr<T>& b, const std::string& what = "") {
  ASSERT_EQ(a.shape(), b.shape()) << what;
  for (Index r = 0; r <= a.num_rows; ++r) ASSERT_EQ(a.row_begin(r), b.row_begin(r)) << what << ", row " << r;
  EXPECT_TRUE(same_bits<Index>(a.cols.span(), b.cols.span())) << what << ": columns differ";
  EXPECT_TRUE(same_bits<T>(a.vals.span(), b.vals.span())) << what << ": values differ";
}

/// Every format of the list, with its default parameters and with some others.
inline std::vector<std::string> format_specs() {
  std::vector<std::string> specs;
  for_each_format<double>([&]<class Format>() { specs.emplace_back(Format::name); });
  for (const char* spec :
       {"sell-1-1", "sell-8-64",   "sell-8-1-full", "sell-32-1000000", "sell-64-1", "rgcsr-32",  "rgcsr-256-full",
        "pjds-1",   "bsr-1",       "bsr-3",         "bsr-32",          "dia-1",     "dia-32",    "dbf-1",
        "dbf-1-4",  "dbf-1-apart", "tcoo-16",       "pjds-8-full",     "hyb-1",     "hyb-3-full"})
    specs.emplace_back(spec);
  return specs;
}

/// The matrix in a format, or nothing when the format refuses it for the memory it would need.
template <class T>
std::optional<SparseMatrix<T>> in_format(const Csr<T>& a, const std::string& spec) {
  try {
    return SparseMatrix<T>(a, spec);
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find(" times the "), std::string::npos) << spec << ": " << error.what();
    return {};
  }
}

/// Formats for the caches of a CPU stay there.
inline bool can_live_on(const std::string& spec, Device device) {
  bool can = true;
  for_each_format<double>([&]<class Format>() {
    if (parse_format_spec(spec).name == Format::name && is_host_only<Format>) can = device.on_host();
  });
  return can;
}

/// Does the format multiply zeros of its own, inside blocks or along diagonals, with entries of x?
template <class T>
bool fills_up(const SparseMatrix<T>& m) {
  return std::visit([]<class Format>(const Format&) { return has_fill<Format>; }, m.format());
}

using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;

}  // namespace millrace::testing
