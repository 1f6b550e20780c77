// Orthonormal polynomials on the unit simplex (Proriol 1957, Koornwinder 1975, Dubiner 1991), and through them the
// Lagrange polynomials on any nodes for which interpolation is possible.
#pragma once

#include <span>
#include <vector>

namespace millrace {

/// At one point of the simplex of dimension dim (1 to 3), all polynomials up to `order`, in the order of the lattice;
/// gradients [dim, num]. The integral of p_i p_j over the unit simplex is 1 for i = j, else 0.
struct SimplexPolynomials {
  std::vector<long double> values, gradients;
};
SimplexPolynomials simplex_polynomials(int dim, int order, const double* point);

/// Of the Lagrange polynomials on `nodes` [P, dim] (P as many as the order has), at `points` [n, dim].
struct SimplexTable {
  std::vector<double> values;     // [n, P]
  std::vector<double> gradients;  // [dim, n, P]
};
SimplexTable tabulate_simplex(int dim, int order, std::span<const double> nodes, std::span<const double> points);

}  // namespace millrace
