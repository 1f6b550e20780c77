// What `millrace solve` tells: as text for a reader and as JSON ("millrace.solve", version 1).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "command.hpp"
#include "millrace/bench/point.hpp"
#include "millrace/tune/solve.hpp"
#include "terminal/residual_view.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

struct SolveSummary {
  MatrixFacts matrix{};
  std::string precision{}, device{};
  int num_threads = 0;  // of the host; 0 on a GPU
  int num_ranks = 1;
  double peak_bytes = 0;  // on ranks: the most memory that one of them ever had, its programs included
  std::string rhs{};      // "A times ...", or the name of the file
  std::string warning{};
  double absolute = 0;  // as asked for,
  int max_iterations = 0;
  AutoReport report{};
  double error = -1;     // largest difference from the x that b was made of; negative: not known
  double read_rate = 0;  // bytes/s that memory was measured to deliver; 0: the iteration lives in caches

  double seconds_per_iteration() const;  // of the best try; 0 without iterations
  double byte_rate() const;              // of the best try, all that it moved over all its time
};

/// What the matrix is and what was chosen, before the work; then what came of it.
std::string solve_head(const SolveSummary& summary, const Style& style);
std::string attempt_head(const SolvePlan& plan, std::size_t number, const Style& style);
std::string attempt_text(const SolveAttempt& attempt);
std::string solve_text(const SolveSummary& summary, const Style& style);
nlohmann::ordered_json solve_json(const SolveSummary& summary, bool with_history);

}  // namespace millrace::command
