// The linear system of a case of millrace pde: the space, the matrix and the right-hand side of all its conditions.
#pragma once

#include <vector>

#include "millrace/base/queue.hpp"
#include "millrace/fem/space.hpp"
#include "millrace/sparse/csr.hpp"
#include "verbs/pde/case.hpp"

namespace millrace::command {

/// A x = b for the unknowns of the space. Unknowns with a given value have the identity's row and column, and their
/// value in b.
struct PdeSystem {
  Space space;
  Csr<double> matrix;         // [space.num_dofs(), space.num_dofs()]
  std::vector<double> rhs;    // [space.num_dofs()]
  std::vector<double> start;  // [space.num_dofs()]: the given values, and zeros
  std::int64_t num_given = 0;
};

/// Integrates all terms of the case on the host. Sources and coefficients that are no numbers are an Error.
PdeSystem assemble_pde(Queue& queue, const PdeCase& c);

}  // namespace millrace::command
