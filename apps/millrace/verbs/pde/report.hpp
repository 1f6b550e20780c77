// What millrace pde says of a case and of its solution, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "millrace/tune/solve.hpp"
#include "terminal/terminal.hpp"
#include "verbs/pde/assemble.hpp"
#include "verbs/pde/outputs.hpp"

namespace millrace::command {

/// All that came of a case.
struct PdeSummary {
  int num_threads = 0;
  std::string device = "cpu";  // of the solver
  std::int64_t num_dofs = 0, num_given = 0, num_entries = 0;
  AutoReport report{};
  std::vector<PdeRange> ranges{};  // [comps]
  std::optional<PdeErrors> errors{};
  double read_seconds = 0, assemble_seconds = 0, solve_seconds = 0, write_seconds = 0;
  std::vector<std::string> files{};  // that were written, with what they show
};

/// The case, its equation, mesh, groups and conditions.
std::string pde_head(const PdeCase& c, const Style& style);
/// Unknowns and the matrix.
std::string pde_system_text(const PdeCase& c, const PdeSummary& s, const Style& style);
/// The method and how it went.
std::string pde_solve_text(const PdeSummary& s, const Style& style);
/// Extremes, errors, files and times.
std::string pde_end_text(const PdeCase& c, const PdeSummary& s, const Style& style);

nlohmann::ordered_json pde_json(const PdeCase& c, const PdeSummary& s);

}  // namespace millrace::command
