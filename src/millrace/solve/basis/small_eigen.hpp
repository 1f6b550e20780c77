// Eigenvalues of a small dense Hermitian matrix by cyclic Jacobi rotations (C. G. J. Jacobi 1846; cyclic: G. E.
// Forsythe and P. Henrici 1960). Slow for large matrices, simple and accurate for the projected ones of Lanczos'
// method.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "millrace/base/scalar.hpp"

namespace millrace::detail {

template <class W>
struct SmallEigen {
  std::vector<double> values;  // [n] rising
  std::vector<W> vectors;      // [n, n] eigenvector after eigenvector
};

/// Of matrix [n, n], of which the Hermitian part counts. W: double or Complex<double>.
template <class W>
SmallEigen<W> small_eigen(int n, std::vector<W> matrix) {
  const auto at = [n](std::vector<W>& m, int row, int column) -> W& {
    return m[static_cast<std::size_t>(column * n + row)];
  };
  std::vector<W> rows(matrix.size());  // eigenvectors so far, one after another
  for (int i = 0; i < n; ++i) {
    at(rows, i, i) = one<W>();
    for (int j = 0; j <= i; ++j) {
      const W mean = 0.5 * (at(matrix, i, j) + conjugate(at(matrix, j, i)));
      at(matrix, i, j) = mean;
      at(matrix, j, i) = conjugate(mean);
    }
  }
  double total = 0;
  for (const W& value : matrix) total += norm_square(value);
  for (int round = 0; round < 60; ++round) {
    double outside = 0;
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < p; ++q) outside += norm_square(at(matrix, p, q));
    if (!(outside > 1e-34 * total)) break;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const W coupling = at(matrix, p, q);
        const double size = magnitude(coupling);
        if (size == 0) continue;
        const double half = (real_part(at(matrix, q, q)) - real_part(at(matrix, p, p))) / (2 * size);
        const double tangent = (half >= 0 ? 1 : -1) / (std::abs(half) + std::sqrt(half * half + 1));
        const double c = 1 / std::sqrt(tangent * tangent + 1);
        const W s = (tangent * c / size) * coupling;  // carries the phase of the coupling
        for (int i = 0; i < n; ++i) {                 // columns p and q
          const W a = at(matrix, i, p), b = at(matrix, i, q), v = at(rows, i, p), w = at(rows, i, q);
          at(matrix, i, p) = c * a - conjugate(s) * b;
          at(matrix, i, q) = s * a + c * b;
          at(rows, i, p) = c * v - conjugate(s) * w;
          at(rows, i, q) = s * v + c * w;
        }
        for (int i = 0; i < n; ++i) {  // rows p and q
          const W a = at(matrix, p, i), b = at(matrix, q, i);
          at(matrix, p, i) = c * a - s * b;
          at(matrix, q, i) = conjugate(s) * a + c * b;
        }
      }
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return real_part(at(matrix, a, a)) < real_part(at(matrix, b, b)); });
  SmallEigen<W> result;
  for (const int k : order) {
    result.values.push_back(real_part(at(matrix, k, k)));
    for (int i = 0; i < n; ++i) result.vectors.push_back(at(rows, i, k));
  }
  return result;
}

}  // namespace millrace::detail
