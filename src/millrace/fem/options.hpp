// How an element operator is computed: rule, geometric factors, accumulation, kernels and constrained nodes.
#pragma once

#include <vector>

#include "millrace/base/scalar.hpp"
#include "millrace/fem/basis/element_basis.hpp"

namespace millrace {

/// Stored at every point, or recomputed from the geometry in every application.
enum class GeometricFactors { stored, recomputed };
/// How elements add to a node that they share. Atomic: in an order that a GPU chooses, with other bits each time.
enum class Accumulation { deterministic, atomic };
/// On a GPU: the whole operator in one kernel; or restriction, basis, physics and their transposes one after another
/// through memory, which takes any physics and always sums in a fixed order.
enum class Evaluation { fused, unfused };

/// How an element operator is made.
struct ElementOptions {
  Points points{};
  GeometricFactors factors = GeometricFactors::stored;
  Accumulation accumulation = Accumulation::deterministic;
  Evaluation evaluation = Evaluation::fused;
  std::vector<Index> constrained{};  // nodes of Dirichlet conditions: their rows and columns act as the identity,
  bool identity = true;              // or are zero where this is false: another operator of a sum has the identity
  int block = -1;                    // of the cells of the mesh; -1: it has one
};

}  // namespace millrace
