// Nodes of the unit simplex for Lagrange polynomials: the equispaced lattice, and the same lattice moved so that
// interpolation of high order is well conditioned (warp and blend, T. Warburton 2006).
#pragma once

#include <vector>

#include "millrace/mesh/shape.hpp"

namespace millrace {

/// The simplex of a dimension, 1 to 3.
constexpr Cell simplex(int dim) { return dim == 1 ? Cell::segment : dim == 2 ? Cell::triangle : Cell::tet; }

/// The lattice i / order, i fastest: [num nodes, dim], dim 1 to 3, order >= 1.
std::vector<double> equispaced_simplex_nodes(int dim, int order);

/// Warp and blend: Gauss-Lobatto nodes on every edge, the same nodes on every face, symmetric in the vertices.
/// In the order of the lattice; [num nodes, dim], dim 1 to 3, order 1 to 8.
std::vector<double> simplex_nodes(int dim, int order);

}  // namespace millrace
