// A basis is a set of small dense tables: values and derivatives of the shape functions at the quadrature points.
// Tensor bases keep those of one direction. Kernels of hosts and devices take their tables from these arrays.
#pragma once

#include <vector>

#include "millrace/fem/quadrature.hpp"
#include "millrace/mesh/shape.hpp"

namespace millrace {

/// Lagrange polynomials on the Gauss-Lobatto nodes of [0,1], for quads and hexes.
/// Rules symmetric about 1/2 give tables symmetric to the last bit, so that kernels may use half of them (even-odd):
/// interp[q, i] = interp[Q-1-q, P-1-i], grad[q, i] = -grad[Q-1-q, P-1-i], and so for collocated.
struct TensorBasis {
  int order = 0;
  int num_points = 0;              // Q, of a direction
  std::vector<double> nodes;       // [P], ascending, with 0 and 1
  std::vector<double> points;      // [Q], ascending
  std::vector<double> weights;     // [Q]
  std::vector<double> interp;      // [Q, P]: values of the shape functions at the points
  std::vector<double> grad;        // [Q, P]: derivatives there
  std::vector<double> collocated;  // [Q, Q]: derivatives at the points from values at the points;
                                   // grad = collocated * interp
  bool on_nodes = false;           // the points are the nodes (BP5, BP6): interp is the identity

  int num_nodes() const { return order + 1; }  // P, of a direction
};

/// Order 1 to 16, with a rule on [0,1] of at least order + 1 points (else collocated could not hold the polynomials).
TensorBasis make_tensor_basis(int order, const Quadrature& rule);

/// Lagrange polynomials on well-conditioned nodes of triangles and tets (simplex_nodes.hpp), with full tables.
struct SimplexBasis {
  Cell cell = Cell::triangle;
  int order = 0;
  std::vector<double> nodes;   // [P, dim], in the order of the lattice
  Quadrature rule;             // Q points
  std::vector<double> interp;  // [Q, P]
  std::vector<double> grad;    // [dim, Q, P]

  int num_nodes() const { return millrace::num_nodes(cell, order); }  // P, of the cell
  int num_points() const { return rule.size(); }                      // Q, of the cell
};

/// A triangle or a tet, order 1 to 8, with any rule of that dimension (simplex_rule).
SimplexBasis make_simplex_basis(Cell cell, int order, const Quadrature& rule);

}  // namespace millrace
