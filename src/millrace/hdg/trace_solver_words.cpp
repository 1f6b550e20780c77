// The lists of words, and their choice.
#include "millrace/hdg/trace_solver_words.hpp"

#include "millrace/base/to_size.hpp"

namespace millrace::hdg {

const std::vector<std::string>& elimination_names() {
  static const std::vector<std::string> names{"minimum-fill", "as-numbered"};
  return names;
}

const std::vector<std::string>& coarse_names() {
  static const std::vector<std::string> names{"gmres", "stationary", "none"};
  return names;
}

const std::vector<std::string>& factor_names() {
  static const std::vector<std::string> names{"double", "single", "bfloat16"};
  return names;
}

TraceSolverWords words_of(const TraceSolverOptions& options) {
  return {elimination_names()[options.minimum_fill ? 0 : 1],
          options.coarse_order < 0 ? coarse_names().back() : coarse_names()[to_size(static_cast<int>(options.coarse))],
          factor_names()[to_size(static_cast<int>(options.precision))]};
}

}  // namespace millrace::hdg
