// The full tables of a basis on a triangle or a tet.
#include "millrace/base/error.hpp"
#include "millrace/fem/basis.hpp"
#include "millrace/fem/basis/tabulate.hpp"

namespace millrace {

SimplexBasis make_simplex_basis(Cell cell, int order, const Quadrature& rule) {
  require((cell == Cell::triangle || cell == Cell::tet) && rule.dim == dim(cell), "make_simplex_basis: a ", name(cell),
          " and a rule of dimension ", rule.dim, " were given; a triangle with 2, or a tet with 3, is possible");
  SimplexBasis basis;
  basis.cell = cell;
  basis.order = order;
  basis.nodes = reference_nodes(cell, order, NodeKind::fem);
  basis.rule = rule;
  NodeTable table = tabulate_nodes(cell, order, NodeKind::fem, rule.points);
  basis.interp = std::move(table.values);
  basis.grad = std::move(table.gradients);
  return basis;
}

}  // namespace millrace
