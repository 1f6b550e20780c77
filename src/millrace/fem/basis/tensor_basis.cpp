// The tables of a tensor basis, made symmetric to the last bit when the rule is.
#include <cmath>
#include <limits>

#include "millrace/base/error.hpp"
#include "millrace/fem/basis.hpp"
#include "millrace/fem/basis/lagrange.hpp"

namespace millrace {
namespace {

bool is_symmetric(const std::vector<double>& points) {
  for (std::size_t i = 0, j = points.size(); i < j--; ++i)
    if (std::abs(points[i] + points[j] - 1) > 2 * std::numeric_limits<double>::epsilon()) return false;
  return true;
}

/// table[r] = sign * table[size - 1 - r], which is so but for rounding: turning x about 1/2 reverses points and nodes.
void mirror(std::vector<double>& table, double sign) {
  for (std::size_t i = 0, j = table.size(); i < j--; ++i) {
    const double mean = (table[i] + sign * table[j]) / 2;
    table[i] = mean;
    table[j] = sign * mean;
  }
}

}  // namespace

TensorBasis make_tensor_basis(int order, const Quadrature& rule) {
  constexpr int max_order = 16;
  require(1 <= order && order <= max_order, "make_tensor_basis: order ", order, " was asked for; 1 to ", max_order,
          " are possible");
  require(rule.dim == 1 && rule.size() > order, "make_tensor_basis: order ", order,
          " needs a rule of dimension 1 with ", order + 1, " points or more; this one has dimension ", rule.dim,
          " and ", rule.size(), " points");
  TensorBasis basis;
  basis.order = order;
  basis.num_points = rule.size();
  basis.nodes = gauss_lobatto(order + 1).points;
  basis.points = rule.points;
  basis.weights = rule.weights;
  basis.on_nodes = basis.points == basis.nodes;
  auto [values, derivatives] = tabulate_lagrange(basis.nodes, basis.points);
  basis.interp = std::move(values);
  basis.grad = std::move(derivatives);
  basis.collocated = tabulate_lagrange(basis.points, basis.points).derivatives;
  if (is_symmetric(basis.points)) {
    mirror(basis.interp, 1);
    mirror(basis.grad, -1);
    mirror(basis.collocated, -1);
  }
  return basis;
}

}  // namespace millrace
