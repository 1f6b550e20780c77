// Shape functions of any cell at any points, as tables: for geometry, for output, for points that are of no rule.
#pragma once

#include <span>
#include <vector>

#include "millrace/mesh/shape.hpp"

namespace millrace {

/// Where the nodes of a cell are: on the equispaced lattice (geometry), or where fields have them: Gauss-Lobatto nodes
/// of tensor cells, warp and blend of simplices.
enum class NodeKind { equispaced, fem };

/// The nodes in reference coordinates: [num_nodes(cell, order), dim]. Orders 1 to 16, simplices of kind fem 1 to 8.
std::vector<double> reference_nodes(Cell cell, int order, NodeKind kind);

struct NodeTable {
  int num_points = 0, num_nodes = 0;
  std::vector<double> values;     // [n, P]
  std::vector<double> gradients;  // [dim, n, P]: with respect to reference coordinates
};

/// The Lagrange polynomials on those nodes, at points [n, dim]. Equispaced nodes are of use up to order 8 or so.
NodeTable tabulate_nodes(Cell cell, int order, NodeKind kind, std::span<const double> points);

}  // namespace millrace
