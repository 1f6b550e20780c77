// Settings of the trace solver in words, as case files and reports have them.
#pragma once

#include <string>
#include <vector>

#include "millrace/hdg/trace_solver.hpp"

namespace millrace::hdg {

/// minimum_fill: the first, else the second.
const std::vector<std::string>& elimination_names();
/// In the order of CoarseSolver; the last: there is no coarse system.
const std::vector<std::string>& coarse_names();
/// In the order of Precision.
const std::vector<std::string>& factor_names();

/// One of the names each.
struct TraceSolverWords {
  std::string elimination, coarse, factors;
};
TraceSolverWords words_of(const TraceSolverOptions& options);

}  // namespace millrace::hdg
