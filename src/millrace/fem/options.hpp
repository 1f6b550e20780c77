// How an element operator is computed: rule, factors, sums, kernels and constrained nodes.
#pragma once

#include <vector>

#include "millrace/fem/basis/element_basis.hpp"

namespace millrace {

enum class Factors { stored, recomputed };  // geometry kept at every point, or made anew in every application
enum class Sum { deterministic, atomic };   // how elements add to a shared node; atomic: a GPU's own order, other bits
/// On a GPU: the whole operator in one kernel, or restriction, basis, physics and their transposes one after another
/// through memory, which takes any physics and always sums in a fixed order.
enum class Evaluation { fused, actions };

struct ElementOptions {
  Points points{};
  Factors factors = Factors::stored;
  Sum sum = Sum::deterministic;
  Evaluation evaluation = Evaluation::fused;
  std::vector<Index> constrained{};  // nodes of Dirichlet conditions: their rows and columns act as the identity
};

}  // namespace millrace
