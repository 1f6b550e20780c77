// What `millrace bp` tells: as text, and as JSON ("millrace.bp", version 1).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "command.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/bench/bp_problem.hpp"
#include "millrace/solve/options.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

struct BpSummary {
  BpRequest request{};
  std::string precision{}, device_name{}, precond{};
  Device device{};
  int num_threads = 0;  // of the host; 0 on a GPU
  std::int64_t num_dofs = 0, num_elem = 0;
  int num_points = 0;  // of an element
  bool compiled = true;
  double setup_seconds = 0;
  PMultigridReport multigrid{};  // without levels: it was not asked for
  Traffic traffic{};             // of one application
  Samples operator_samples{};
  SolveReport report{};
  double error = 0;
  Bandwidth bandwidth{};  // zeros: not measured, for all of it fits in caches

  /// Unknowns per second of the operator alone, and unknowns times iterations per second of CG.
  double operator_rate() const { return static_cast<double>(num_dofs) / operator_samples.median(); }
  double cg_rate() const { return static_cast<double>(num_dofs) * report.iterations / report.seconds; }
  /// Bytes by the model over time, over what memory was measured to deliver; only where that was measured.
  double operator_share() const { return traffic.total() / operator_samples.median() / bandwidth.read; }
  double cg_share() const { return report.iteration_bytes * report.iterations / report.seconds / bandwidth.read; }
};

std::string bp_head(const BpSummary& summary, const Style& style);
std::string bp_text(const BpSummary& summary);
nlohmann::ordered_json bp_json(const BpSummary& summary);

}  // namespace millrace::command
