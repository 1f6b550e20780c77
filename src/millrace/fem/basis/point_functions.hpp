// The shape functions of fields at single points of a cell, quickly: for places that are of no rule.
#pragma once

#include <vector>

#include "millrace/mesh/places/lattice_functions.hpp"

namespace millrace {

/// Of tensor cells the Lagrange polynomials of a line in each direction; of simplices those on the equispaced lattice,
/// which have short formulas: there the unknowns of a cell are first turned into values on that lattice.
class PointFunctions {
 public:
  PointFunctions(Cell cell, int order);

  /// At xi [dim].
  void fill(const double* xi, detail::PointTable& table) const;
  /// What sum_functions is to be given for the unknowns of a cell: both [nodes], and not the same array.
  void prepare(const double* unknowns, double* coefficients) const;

  int num_nodes() const { return num_nodes_; }

 private:
  void fill_line(double x, double* values, double* slopes) const;

  Cell cell_;
  int order_, num_nodes_;
  std::vector<double> nodes_, weights_;  // [order + 1]: of a line, 1 / prod of (x_i - x_j); tensor cells
  std::vector<double> to_lattice_;       // [nodes, nodes], simplices
};

}  // namespace millrace
