// Functions at one point, and the matrix from the nodes of simplices to the equispaced lattice.
#include "millrace/fem/basis/point_functions.hpp"

#include <algorithm>

#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/lagrange.hpp"
#include "millrace/fem/basis/tabulate.hpp"

namespace millrace {

PointFunctions::PointFunctions(Cell cell, int order)
    : cell_(cell), order_(order), num_nodes_(millrace::num_nodes(cell, order)) {
  if (!is_tensor(cell)) {
    to_lattice_ = tabulate_nodes(cell, order, NodeKind::fem, reference_nodes(cell, order, NodeKind::equispaced)).values;
    return;
  }
  const Lagrange line(reference_nodes(Cell::segment, order, NodeKind::fem));
  nodes_ = line.nodes;
  for (const auto weight : line.weights) weights_.push_back(static_cast<double>(weight));
}

/// As Lagrange::evaluate, in double: products from the left and from the right of each node, and their derivatives.
void PointFunctions::fill_line(double x, double* values, double* slopes) const {
  double product = 1, derivative = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    values[i] = product;
    slopes[i] = derivative;
    derivative = derivative * (x - nodes_[i]) + product;
    product *= x - nodes_[i];
  }
  product = 1, derivative = 0;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    slopes[i] = (slopes[i] * product + values[i] * derivative) * weights_[i];
    values[i] *= product * weights_[i];
    derivative = derivative * (x - nodes_[i]) + product;
    product *= x - nodes_[i];
  }
}

void PointFunctions::fill(const double* xi, detail::PointTable& table) const {
  if (nodes_.empty()) return detail::fill_lattice_functions(cell_, order_, xi, table);
  table.cell = cell_;
  table.order = order_;
  for (int d = 0; d < dim(cell_); ++d)
    fill_line(xi[d], table.values + d * (order_ + 1), table.slopes + d * (order_ + 1));
}

void PointFunctions::prepare(const double* unknowns, double* coefficients) const {
  if (!nodes_.empty()) {
    std::copy_n(unknowns, num_nodes_, coefficients);
    return;
  }
  for (int i = 0; i < num_nodes_; ++i) {
    double sum = 0;
    for (int n = 0; n < num_nodes_; ++n) sum += to_lattice_[to_size(i * num_nodes_ + n)] * unknowns[n];
    coefficients[i] = sum;
  }
}

}  // namespace millrace
