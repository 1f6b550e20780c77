// Eigenvalues of a small dense Hermitian matrix: Householder's reflections to a tridiagonal one (A. S. Householder
// 1958) and the implicit QL method (A. Dubrulle, R. S. Martin and J. H. Wilkinson 1968). For the projected matrices of
// Lanczos' method, on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "millrace/base/scalar.hpp"

namespace millrace::detail {

template <class W>
struct SmallEigen {
  std::vector<double> values;  // [n] rising
  std::vector<W> vectors;      // [n, n] eigenvector after eigenvector
};

/// A = Q T Q^H with T real, symmetric and tridiagonal.
template <class W>
struct Tridiagonal {
  std::vector<double> diagonal, beside;  // [n], [n]: the last of `beside` is 0
  std::vector<W> reflectors;             // [n, n] reflector k, from entry k + 1 on
  std::vector<double> factors;           // [n] 2 / |reflector|^2, 0: none
  std::vector<W> phases;                 // [n] of the unknowns of T
};

/// The Hermitian matrix [n, n] becomes tridiagonal from its first column on; 4/3 n^3 operations.
template <class W>
Tridiagonal<W> tridiagonalise(int n, std::vector<W> matrix) {
  const auto size = static_cast<std::size_t>(n);
  Tridiagonal<W> t{std::vector<double>(size), std::vector<double>(size), std::vector<W>(size * size),
                   std::vector<double>(size), std::vector<W>(size, one<W>())};
  const auto column = [&](std::vector<W>& m, int k) { return m.data() + static_cast<std::size_t>(k) * size; };
  std::vector<W> product(size);
  for (int k = 0; k + 1 < n; ++k) {
    W *from = column(matrix, k), *v = column(t.reflectors, k);
    double below = 0;  // of the square of the column, without the entry that stays
    for (int i = k + 2; i < n; ++i) below += norm_square(from[i]);
    W entry = from[k + 1];
    if (below > 0) {
      const double head = magnitude(entry), norm = std::sqrt(below + head * head);
      const W phase = head > 0 ? (1 / head) * entry : one<W>();
      std::copy(from + k + 1, from + n, v + k + 1);
      v[k + 1] = entry + norm * phase;
      entry = -norm * phase;
      const double factor = 1 / (norm * (norm + head));
      t.factors[static_cast<std::size_t>(k)] = factor;
      std::fill(product.begin(), product.end(), W{});
      for (int j = k + 1; j < n; ++j) {  // the reflection from both sides: A - v p^H - p v^H
        const W* a = column(matrix, j);
        const W scale = factor * v[j];
#pragma GCC ivdep
        for (int i = k + 1; i < n; ++i) product[static_cast<std::size_t>(i)] += scale * a[i];
      }
      W overlap{};
      for (int i = k + 1; i < n; ++i) overlap += conjugate(v[i]) * product[static_cast<std::size_t>(i)];
      const W half = (0.5 * factor) * overlap;
      for (int i = k + 1; i < n; ++i)
        product[static_cast<std::size_t>(i)] = product[static_cast<std::size_t>(i)] - half * v[i];
      for (int j = k + 1; j < n; ++j) {
        W* a = column(matrix, j);
        const W left = conjugate(product[static_cast<std::size_t>(j)]), right = conjugate(v[j]);
#pragma GCC ivdep
        for (int i = k + 1; i < n; ++i) a[i] = a[i] - (v[i] * left + product[static_cast<std::size_t>(i)] * right);
      }
    }
    const double length = magnitude(entry);
    t.beside[static_cast<std::size_t>(k)] = length;
    const W before = t.phases[static_cast<std::size_t>(k)];
    t.phases[static_cast<std::size_t>(k) + 1] = length > 0 ? (1 / length) * (entry * before) : before;
  }
  for (int k = 0; k < n; ++k) t.diagonal[static_cast<std::size_t>(k)] = real_part(column(matrix, k)[k]);
  return t;
}

/// Diagonalises T; the columns of `vectors` [n, n] turn with it.
inline void implicit_ql(std::vector<double>& diagonal, std::vector<double>& beside, std::vector<double>& vectors) {
  const auto n = diagonal.size();
  for (std::size_t l = 0; l < n; ++l)
    for (int turn = 0; turn < 60; ++turn) {
      std::size_t m = l;
      for (; m + 1 < n; ++m)
        if (std::abs(beside[m]) <=
            std::numeric_limits<double>::epsilon() * (std::abs(diagonal[m]) + std::abs(diagonal[m + 1])))
          break;
      if (m == l) break;
      double g = (diagonal[l + 1] - diagonal[l]) / (2 * beside[l]), r = std::hypot(g, 1.0);
      g = diagonal[m] - diagonal[l] + beside[l] / (g + std::copysign(r, g));
      double s = 1, c = 1, p = 0;
      bool split = false;
      for (std::size_t i = m; i-- > l;) {
        const double f = s * beside[i], b = c * beside[i];
        beside[i + 1] = r = std::hypot(f, g);
        if (r == 0) {
          diagonal[i + 1] -= p;
          beside[m] = 0;
          split = true;
          break;
        }
        s = f / r, c = g / r;
        g = diagonal[i + 1] - p;
        r = (diagonal[i] - g) * s + 2 * c * b;
        p = s * r;
        diagonal[i + 1] = g + p;
        g = c * r - b;
        double *left = vectors.data() + i * n, *right = left + n;
#pragma GCC ivdep
        for (std::size_t k = 0; k < n; ++k) {
          const double x = left[k], y = right[k];
          right[k] = s * x + c * y;
          left[k] = c * x - s * y;
        }
      }
      if (split) continue;
      diagonal[l] -= p;
      beside[l] = g;
      beside[m] = 0;
    }
}

/// Of matrix [n, n], of which the Hermitian part counts. W: double or Complex<double>.
template <class W>
SmallEigen<W> small_eigen(int n, std::vector<W> matrix) {
  const auto size = static_cast<std::size_t>(n);
  double largest = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const W mean = 0.5 * (matrix[j * size + i] + conjugate(matrix[i * size + j]));
      matrix[j * size + i] = mean;
      matrix[i * size + j] = conjugate(mean);
      largest = std::max(largest, magnitude(mean));
    }
  if (largest == 0) largest = 1;  // squares of the entries must not overflow
  for (W& value : matrix) value = (1 / largest) * value;
  Tridiagonal<W> t = tridiagonalise(n, std::move(matrix));
  std::vector<double> turned(size * size);
  for (std::size_t k = 0; k < size; ++k) turned[k * size + k] = 1;
  implicit_ql(t.diagonal, t.beside, turned);
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return t.diagonal[a] < t.diagonal[b]; });
  SmallEigen<W> result{{}, std::vector<W>(size * size)};
  for (std::size_t place = 0; place < size; ++place) {
    result.values.push_back(largest * t.diagonal[order[place]]);
    W* x = result.vectors.data() + place * size;
    for (std::size_t i = 0; i < size; ++i) x[i] = turned[order[place] * size + i] * t.phases[i];
    for (std::size_t k = size; k-- > 0;) {
      if (t.factors[k] == 0) continue;
      const W* v = t.reflectors.data() + k * size;
      W overlap{};
      for (std::size_t i = k + 1; i < size; ++i) overlap += conjugate(v[i]) * x[i];
      overlap = t.factors[k] * overlap;
#pragma GCC ivdep
      for (std::size_t i = k + 1; i < size; ++i) x[i] = x[i] - overlap * v[i];
    }
  }
  return result;
}

}  // namespace millrace::detail
