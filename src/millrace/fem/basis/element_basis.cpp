// Chooses the rule and the tables of an element.
#include "millrace/fem/basis/element_basis.hpp"

#include "millrace/base/error.hpp"

namespace millrace {

ElementBasis make_element_basis(Cell cell, int order, const Points& points) {
  require(dim(cell) >= 2, "element basis: a ", name(cell), " is not an element here; accepted: triangle quad tet hex");
  ElementBasis basis;
  basis.cell = cell;
  basis.order = order;
  basis.dim = dim(cell);
  basis.num_nodes = num_nodes(cell, order);
  if (is_tensor(cell)) {
    const bool lobatto = points.rule == Points::Rule::gauss_lobatto;
    const int num = points.num > 0 ? points.num : order + (lobatto ? 1 : 2);
    const Quadrature line = lobatto ? gauss_lobatto(num) : gauss(num);
    basis.tensor = make_tensor_basis(order, line);
    basis.rule = tensor(line, basis.dim);
  } else {
    require(points.rule == Points::Rule::gauss && points.num == 0, "element basis: rules of a ", name(cell),
            " are asked for by their degree, not by points per direction");
    basis.rule = simplex_rule(basis.dim, points.degree < 0 ? 2 * order : points.degree);
    basis.simplex = make_simplex_basis(cell, order, basis.rule);
  }
  return basis;
}

}  // namespace millrace
