// Small systems for the tests of the solvers: matrices, right-hand sides and the true residual.
#pragma once

#include "millrace/solve/bicgstab.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/solve/inverse.hpp"
#include "millrace/solve/minres.hpp"
#include "millrace/sparse/assemble.hpp"
#include "support.hpp"

namespace millrace::testing {

/// A diagonal and both its neighbours: lower, diagonal, upper.
template <class T>
Csr<T> tridiagonal(Index n, T lower, T diagonal, T upper) {
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < n; ++i) {
    if (i > 0) entries.push_back({i, i - 1, lower});
    entries.push_back({i, i, diagonal});
    if (i + 1 < n) entries.push_back({i, i + 1, upper});
  }
  return make_csr(n, n, entries);
}

/// The 5-point Laplacian on m x m points plus `shift`; with `wind` an unsymmetric term, and for complex T couplings
/// with a phase, which keep it Hermitian.
template <class T>
Csr<T> laplacian(Index m, RealOf<T> shift = 0, RealOf<T> wind = 0) {
  using R = RealOf<T>;
  std::vector<Triplet<T>> entries;
  const auto coupling = [&](R sign) -> T {
    if constexpr (is_complex<T>)
      return std::polar(R(1), sign * R(0.3)) * R(-1) + sign * wind;
    else
      return R(-1) + sign * wind;
  };
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) {
      const Index row = j * m + i;
      entries.push_back({row, row, T(R(4) + shift)});
      if (i > 0) entries.push_back({row, row - 1, coupling(-1)});
      if (i + 1 < m) entries.push_back({row, row + 1, coupling(1)});
      if (j > 0) entries.push_back({row, row - m, coupling(-1)});
      if (j + 1 < m) entries.push_back({row, row + m, coupling(1)});
    }
  return make_csr(m * m, m * m, entries);
}

/// |b - A x| / |b| in long double.
template <class T>
double relative_residual(const Csr<T>& a, std::span<const T> b, std::span<const T> x) {
  using Wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;
  long double residual = 0, rhs = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    Wide value(b[static_cast<std::size_t>(r)]);
    rhs += std::norm(value);
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      value -= Wide(a.vals.data()[k]) * Wide(x[static_cast<std::size_t>(a.cols.data()[k])]);
    residual += std::norm(value);
  }
  return static_cast<double>(std::sqrt(residual / rhs));
}

/// A tolerance that T can reach on the small systems here.
template <class T>
double reachable() {
  return sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-10;
}

/// Multiplies by the inverse of the diagonal: the simplest preconditioner, as a matrix of one diagonal.
template <class T>
SparseMatrix<T> inverse_diagonal(const Csr<T>& a) {
  std::vector<Triplet<T>> entries;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      if (a.cols.data()[k] == r) entries.push_back({r, r, T(1) / a.vals.data()[k]});
  return SparseMatrix<T>(make_csr(a.num_rows, a.num_rows, entries), "csr");
}

/// D A D with a D that makes A awkward without a preconditioner.
template <class T>
Csr<T> scaled(Csr<T> a) {
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      a.vals.data()[k] *= RealOf<T>((1 + r % 7) * (1 + a.cols.data()[k] % 7));
  return a;
}

/// The solvers that all tests walk over; each with a matrix of m x m unknowns that it must solve.
template <class T>
struct Case {
  std::string name;
  Solver<T> solver;
  RealOf<T> shift, wind;
  Csr<T> matrix(Index m) const { return laplacian<T>(m, shift, wind); }
};

template <class T>
std::vector<Case<T>> cases() {
  using R = RealOf<T>;
  std::vector<Case<T>> all;
  all.push_back({"cg", cg<T>, R(0.2), R(0)});
  all.push_back({"bicgstab", bicgstab<T>, R(0.2), R(0.3)});
  all.push_back({"bicgstab, left",
                 [](Queue& q, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b, Vectors<T> x,
                    SolveOptions options) {
                   options.side = Side::left;
                   return bicgstab(q, a, m, b, x, options);
                 },
                 R(0.2), R(0.3)});
  all.push_back({"minres", minres<T>, R(-1.05), R(0)});
  all.push_back({"chebyshev",
                 [](Queue& q, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b, Vectors<T> x,
                    const SolveOptions& options) {
                   const bool plain = dynamic_cast<const Identity<T>*>(&m) != nullptr;
                   const double low = plain ? 0.2 : 0.2 / 4.2, high = plain ? 8.2 : 2;
                   return chebyshev(q, a, m, b, x, {low, high}, options);
                 },
                 R(0.2), R(0)});
  all.push_back({"gmres", gmres<T>, R(0.2), R(0.3)});
  all.push_back({"fgmres", fgmres<T>, R(0.2), R(0.3)});
  return all;
}

}  // namespace millrace::testing
