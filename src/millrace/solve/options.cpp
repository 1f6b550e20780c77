// Names of the ends of a solver.
#include "millrace/solve/options.hpp"

namespace millrace {

std::string_view to_string(SolveEnd end) {
  switch (end) {
    case SolveEnd::converged:
      return "converged";
    case SolveEnd::nearly_converged:
      return "nearly_converged";
    case SolveEnd::max_iterations:
      return "max_iterations";
    case SolveEnd::breakdown:
      return "breakdown";
    case SolveEnd::stagnation:
      return "stagnation";
    case SolveEnd::indefinite:
      return "indefinite";
    case SolveEnd::not_a_number:
      return "not_a_number";
    case SolveEnd::stopped:
      return "stopped";
  }
  return "unknown";
}

}  // namespace millrace
