// What `millrace solve` tells: as text for a reader and as JSON ("millrace.solve", version 1).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "command.hpp"
#include "millrace/bench/point.hpp"
#include "terminal/residual_view.hpp"
#include "terminal/terminal.hpp"
#include "verbs/solve/system.hpp"

namespace millrace::command {

struct SolveSummary {
  MatrixFacts matrix{};
  std::string precision{}, device{};
  int num_threads = 0;   // of the host; 0 on a GPU
  std::string checks{};  // what was seen of the matrix
  bool symmetric = false, positive_diagonal = false;
  std::string rhs{};  // "A times ones", or the name of the file
  std::string format{}, format_reason{};
  SolveOptions options{};
  std::vector<Attempt> attempts{};
  double error_from_ones = -1;  // largest |x - 1| where b = A times ones; negative: not known
  double read_rate = 0;         // bytes/s that memory was measured to deliver; 0: the iteration lives in caches

  const Attempt& best() const;  // x is from that one: the smallest residual, and the last one where there is none
  bool solved() const { return best().report.ok(); }
  int iterations() const;
  double seconds() const, setup_seconds() const;
  double seconds_per_iteration() const;  // of the best try; 0 without iterations
  double byte_rate() const;              // of the best try
  std::vector<double> history() const;   // of all tries, one after another
};

/// What the matrix is and what was chosen, before the work; then what came of it.
std::string solve_head(const SolveSummary& summary, const Style& style);
std::string attempt_text(const SolveSummary& summary, std::size_t number, const Style& style);
std::string solve_text(const SolveSummary& summary, const Style& style);
nlohmann::ordered_json solve_json(const SolveSummary& summary, bool with_history);

}  // namespace millrace::command
