// The functions of the nodes of a cell at one point of the reference cell, without tables kept for later: for places
// that are of no rule and are met once.
#pragma once

#include "millrace/mesh/shape.hpp"

namespace millrace::detail {

/// Functions at one point: of a tensor cell those of a line in each direction, of a simplex all of them. Orders to 16
/// and to 8.
struct PointTable {
  Cell cell;
  int order;
  double values[165];      // [dim, order + 1], or [num_nodes]
  double slopes[3 * 165];  // [dim, order + 1], or [dim, num_nodes]
};

/// Of the equispaced lattice, at xi [dim].
void fill_lattice_functions(Cell cell, int order, const double* xi, PointTable& table);

/// A sum over the nodes of a cell, and its derivatives along the reference coordinates.
struct PointSum {
  double value = 0;
  double slope[3] = {0, 0, 0};
};

/// Of the functions times coefficients, that of node n being coefficients[n * stride].
PointSum sum_functions(const PointTable& table, const double* coefficients, int stride);

}  // namespace millrace::detail
