// Quadrature: the points and weights of a rule on a reference element, [0,1]^d or the unit simplex.
// The weights of a rule sum to the volume of the element: 1 for cubes, 1/2 for triangles, 1/6 for tetrahedra.
#pragma once

#include <cstddef>
#include <vector>

namespace millrace {

/// Points and weights on a reference cell.
struct Quadrature {
  int dim = 1;
  int degree = 0;               // polynomials up to this degree are exact (on cubes: in each coordinate)
  std::vector<double> points;   // [size, dim]
  std::vector<double> weights;  // [size]

  int size() const { return static_cast<int>(weights.size()); }
  const double* point(int q) const { return points.data() + static_cast<std::ptrdiff_t>(q) * dim; }
};

/// Gauss-Legendre on [0,1]: n points, 1 <= n <= 24, ascending, exact to degree 2 n - 1.
Quadrature gauss(int n);

/// Gauss-Lobatto on [0,1]: n points with both ends, 2 <= n <= 24, ascending, exact to degree 2 n - 3.
Quadrature gauss_lobatto(int n);

/// The product of a rule on [0,1] with itself: n^dim points, x fastest.
Quadrature tensor(const Quadrature& rule, int dim);

/// The unit simplex of dim 1, 2 or 3: exact for all polynomials of this total degree (0 <= degree <= 20), with positive
/// weights and points inside. The stored symmetric rule with the fewest points, or else the collapsed one.
Quadrature simplex_rule(int dim, int degree);

/// Gauss-Jacobi rules on the cube that is collapsed into the simplex: (degree / 2 + 1)^dim points, not symmetric.
Quadrature collapsed_rule(int dim, int degree);

}  // namespace millrace
