// What the tests of preconditioners share: matrices with known factors, and products of factors.
#pragma once

#include <algorithm>

#include "millrace/precond/incomplete.hpp"
#include "millrace/sparse/dbf.hpp"
#include "support.hpp"

namespace millrace::testing {

template <class T>
inline constexpr double eps = epsilon<T>;

template <class T>
Csr<T> csr_of(Index n, const std::vector<std::vector<std::pair<Index, T>>>& rows) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> cols;
  std::vector<T> vals;
  for (const auto& row : rows) {
    for (const auto& [c, v] : row) cols.push_back(c), vals.push_back(v);
    row_ptr.push_back(std::ssize(cols));
  }
  return {n, n, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)), Array<Index>(std::span<const Index>(cols)),
          Array<T>(std::span<const T>(vals))};
}

/// A grid of nx x ny points, 5-point pattern, numbered at random unless natural; entries at random, the diagonal
/// dominant. `hermitian`: the matrix equals its conjugate transpose.
template <class T>
Csr<T> grid_matrix(Index nx, Index ny, std::uint64_t seed, bool hermitian, bool natural = true) {
  const Index n = nx * ny;
  Random random(seed);
  std::vector<Index> number(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) number[static_cast<std::size_t>(i)] = i;
  if (!natural)
    for (Index i = n - 1; i > 0; --i)
      std::swap(number[static_cast<std::size_t>(i)], number[static_cast<std::size_t>(random.below(i + 1))]);
  std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(n));
  const auto add = [&](Index p, Index q) {
    const Index i = number[static_cast<std::size_t>(p)], j = number[static_cast<std::size_t>(q)];
    const T ij = random.value<T>();
    T ji = random.value<T>();
    if (hermitian) {
      if constexpr (is_complex<T>)
        ji = std::conj(ij);
      else
        ji = ij;
    }
    rows[static_cast<std::size_t>(i)].push_back({j, ij});
    rows[static_cast<std::size_t>(j)].push_back({i, ji});
  };
  for (Index y = 0; y < ny; ++y)
    for (Index x = 0; x < nx; ++x) {
      const Index p = y * nx + x;
      if (x + 1 < nx) add(p, p + 1);
      if (y + 1 < ny) add(p, p + nx);
    }
  for (Index i = 0; i < n; ++i) rows[static_cast<std::size_t>(i)].push_back({i, T(6)});
  return csr_of<T>(n, rows);  // columns of a row in no order
}

/// A band of 1 on each side: its factors have no fill, so they are exact.
template <class T>
Csr<T> tridiagonal(Index n, std::uint64_t seed, bool hermitian) {
  return grid_matrix<T>(n, 1, seed, hermitian);
}

/// Every entry of a matrix becomes a full block of b x b; the diagonal stays dominant.
template <class T>
Csr<T> blown_up(const Csr<T>& a, Index b) {
  Random random(77);
  std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(a.num_rows * b));
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      for (Index i = 0; i < b; ++i)
        for (Index j = 0; j < b; ++j) {
          const bool diagonal = a.cols.data()[s] == r && i == j;
          rows[static_cast<std::size_t>(r * b + i)].push_back(
              {a.cols.data()[s] * b + j, random.value<T>() + (diagonal ? T(static_cast<RealOf<T>>(6 * b)) : T(0))});
        }
  return csr_of<T>(a.num_rows * b, rows);
}

/// A chain of full blocks, each coupled to the one before and the one after, numbered at random.
template <class T>
Csr<T> shuffled_chain(Index n, Index block, std::uint64_t seed) {
  Random random(seed);
  const Csr<T> a = tridiagonal<T>(n, seed, false);
  std::vector<Index> number(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) number[static_cast<std::size_t>(i)] = i;
  for (Index i = n - 1; i > 0; --i)
    std::swap(number[static_cast<std::size_t>(i)], number[static_cast<std::size_t>(random.below(i + 1))]);
  std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(n));
  for (Index r = 0; r < n; ++r)
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      rows[static_cast<std::size_t>(number[static_cast<std::size_t>(r)])].push_back(
          {number[static_cast<std::size_t>(a.cols.data()[s])], a.vals.data()[s]});
  return blown_up(csr_of<T>(n, rows), block);
}

/// The matrix as dense blocks: dbf_of(a, "dbf-4").
template <class T>
Dbf<T> dbf_of(const Csr<T>& a, const std::string& format) {
  return Dbf<T>::from_csr(a, parse_format_spec(format));
}

template <class T>
using Wide = typename Expected<T>::Wide;

/// Dense L D U from the factors, in the order of the matrix; [n, n] row by row. block = 1.
template <class T>
std::vector<Wide<T>> product_of_factors(const Incomplete<T>& m) {
  const FactorView v = m.pattern().view();
  const auto n = static_cast<std::size_t>(v.num_rows);
  std::vector<Wide<T>> values(static_cast<std::size_t>(m.factors().size()));
  m.factors().visit([&](const auto* stored) {
    for (std::size_t s = 0; s < values.size(); ++s)
      values[s] = Wide<T>(from_arith<T>(change_type<Arith<T>>(stored[s])));
  });
  std::vector<Wide<T>> lower(n * n), upper(n * n), product(n * n);
  for (Index i = 0; i < v.num_rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    lower[at * n + at] = Wide<T>(1);
    const Wide<T> d = Wide<T>(1) / values[static_cast<std::size_t>(v.diagonal_slot(i))];
    upper[at * n + at] = d;
    for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e)
      lower[at * n + static_cast<std::size_t>(v.lower_cols[e])] = values[e];
    for (auto e = v.upper_ptr[i]; e < v.upper_ptr[i + 1]; ++e)
      upper[at * n + static_cast<std::size_t>(v.upper_cols[e])] = d * values[static_cast<std::size_t>(v.upper_slot(e))];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      if (lower[i * n + k] != Wide<T>(0))
        for (std::size_t j = 0; j < n; ++j)
          product[static_cast<std::size_t>(v.order[i]) * n + static_cast<std::size_t>(v.order[j])] +=
              lower[i * n + k] * upper[k * n + j];
  return product;
}

/// |A x - b| over |b|, in long double.
template <class T>
double residual(const Csr<T>& a, std::span<const T> x, std::span<const T> b) {
  const Expected<T> ax = reference<T>(a, Op::none, T{1}, x, T{0}, b);
  long double error = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    error += std::norm(ax.value[i] - Wide<T>(b[i]));
    size += std::norm(Wide<T>(b[i]));
  }
  return static_cast<double>(std::sqrt(error / (size > 0 ? size : 1)));
}

template <class T>
std::vector<T> apply_to(const Operator<T>& m, const std::vector<T>& x, int num_threads = 1) {
  Queue queue(Device::host(), num_threads);
  std::vector<T> y(static_cast<std::size_t>(m.shape().rows), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
  m.apply(queue, {.x = x, .y = y});
  return y;
}

/// y = alpha M x + beta y for two vectors with a stride against the plain application of each.
template <class T>
void expect_scaled_application(const Operator<T>& m, double bound) {
  const auto n = static_cast<std::size_t>(m.shape().rows);
  const std::vector<T> x = random_vector<T>(2 * std::ssize(std::vector<T>(n)) + 3, 91);
  std::vector<T> y = random_vector<T>(std::ssize(x), 92);
  const std::vector<T> before = y;
  const auto size = static_cast<std::int64_t>(n), stride = size + 3;
  Queue queue(Device::host(), 2);
  m.apply(queue, {.alpha = T(2),
                  .x = {Device::host(), x.data(), size, 2, stride},
                  .beta = T(-1),
                  .y = {Device::host(), y.data(), size, 2, stride}});
  for (std::size_t v = 0; v < 2; ++v) {
    const auto first = static_cast<std::ptrdiff_t>(v) * stride;
    const std::vector<T> plain = apply_to(m, std::vector<T>(x.begin() + first, x.begin() + first + size));
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = static_cast<std::size_t>(first) + i;
      EXPECT_LE(std::abs(y[at] - (T(2) * plain[i] - before[at])),
                bound * (2 * std::abs(plain[i]) + std::abs(before[at])));
    }
  }
}

}  // namespace millrace::testing
