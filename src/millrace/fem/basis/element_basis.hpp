// The basis and the rule of one kind of element, tensor or simplex, under one name.
#pragma once

#include <optional>

#include "millrace/fem/basis.hpp"
#include "millrace/mesh/shape.hpp"

namespace millrace {

/// Where the physics is evaluated.
struct Points {
  enum class Rule { gauss, gauss_lobatto };
  Rule rule = Rule::gauss;  // of quads and hexes
  int num = 0;      // points per direction of quads and hexes; 0: order + 2 of Gauss, order + 1 of Gauss-Lobatto
  int degree = -1;  // of triangles and tets, exact up to; -1: 2 order

  /// On the nodes themselves (BP5, BP6).
  static Points on_nodes() { return {Rule::gauss_lobatto}; }
};

struct ElementBasis {
  Cell cell = Cell::hex;
  int order = 1;
  int dim = 3;
  int num_nodes = 0;  // of an element
  Quadrature rule;    // of an element, x fastest
  std::optional<TensorBasis> tensor;
  std::optional<SimplexBasis> simplex;

  int num_points() const { return rule.size(); }
};

ElementBasis make_element_basis(Cell cell, int order, const Points& points = {});

}  // namespace millrace
