// Writes the head, the figures and the record of a bake-off problem.
#include "verbs/bp/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/record.hpp"

namespace millrace::command {

using Json = nlohmann::ordered_json;

namespace {

std::string rate_text(double dofs_per_second) {
  return dofs_per_second >= 1e9 ? fmt::format("{:.2f} GDOF/s", dofs_per_second * 1e-9)
                                : fmt::format("{:.1f} MDOF/s", dofs_per_second * 1e-6);
}

std::string limit_text(const BpSummary& s, double bytes, double seconds) {
  const double rate = bytes / seconds;
  const std::string share = s.bandwidth.read > 0 ? fmt::format("{} of what memory was measured to deliver",
                                                               percent_text(rate / s.bandwidth.read))
                                                 : "from caches";
  return fmt::format("{} each at {:.1f} GB/s, {}", bytes_text(bytes), rate * 1e-9, share);
}

Json levels_json(const PMultigridReport& report) {
  Json levels = Json::array();
  for (const PMultigridLevelReport& level : report.levels)
    levels.push_back({{"order", level.order},
                      {"dofs", level.unknowns},
                      {"bytes", level.bytes},
                      {"smoothed_by", level.largest_eigenvalue == 0 ? "amg"
                                      : level.by_elements           ? "elements"
                                                                    : "points"},
                      {"largest_eigenvalue", level.largest_eigenvalue}});
  return levels;
}

Json percent(const BpSummary& s, double share) { return s.bandwidth.read > 0 ? Json(share * 100) : Json(nullptr); }

}  // namespace

std::string bp_head(const BpSummary& s, const Style& style) {
  const BpRequest& r = s.request;
  const std::string threads = s.num_threads > 0 ? fmt::format(", {} threads", s.num_threads) : "";
  std::string text = fmt::format("{}: {} unknowns, {} {} elements of order {}, {} points each, {}, {}{}\n",
                                 bold(name_of(r.problem), style), count_text(s.num_dofs), count_text(s.num_elem),
                                 name(r.cell), r.order, s.num_points, s.precision, s.device_name, threads);
  text += named_line("variant",
                     fmt::format("{}{}", r.ceed ? "official: no boundary condition of a mass problem, " : "Dirichlet, ",
                                 s.precond == "pmg"      ? "p-multigrid"
                                 : s.precond == "jacobi" ? "Jacobi"
                                                         : "no preconditioner"));
  if (r.kershaw > 0) text += named_line("mesh", fmt::format("Kershaw's, epsilon {:g}", r.kershaw));
  text += named_line("factors", r.recompute ? "recomputed in every application" : "stored");
  if (r.sum == Accumulation::atomic)
    text += named_line("sums", s.device.on_host() ? "deterministic: atomic ones are for a GPU"
                                                  : "atomic: the bits may differ from run to run");
  if (r.evaluation == Evaluation::unfused)
    text += named_line("evaluation", s.device.on_host() ? "fused: separate actions are for a GPU"
                                                        : "action by action; the bytes are those of one kernel");
  if (!s.compiled && is_tensor(r.cell))
    text += named_line("loops", fmt::format("order {} is not compiled; sizes are values", r.order));
  return text;
}

std::string bp_text(const BpSummary& s) {
  const double median = s.operator_samples.median();
  std::string text =
      named_line("operator", fmt::format("{}, {}; {}", rate_text(s.operator_rate()), seconds_text(median),
                                         limit_text(s, s.traffic.total(), median)));
  if (s.report.iterations > 0) {
    const double each = s.report.seconds / s.report.iterations;
    text += named_line(
        "cg", fmt::format("{} times iterations, {} iterations of {}; {}", rate_text(s.cg_rate()), s.report.iterations,
                          seconds_text(each), limit_text(s, s.report.iteration_bytes, each)));
  }
  text += named_line("end", fmt::format("{}: {}", to_string(s.report.end), s.report.reason));
  if (!s.request.random)
    text += named_line("error", fmt::format("{:.2e} of the known solution, at the worst node", s.error));
  text += named_line("set up", seconds_text(s.setup_seconds));
  for (const PMultigridLevelReport& level : s.multigrid.levels)
    text += named_line(
        fmt::format("order {}", level.order),
        level.largest_eigenvalue > 0
            ? fmt::format("{} unknowns, smoothed by {}, eigenvalues up to {:.3g}", count_text(level.unknowns),
                          level.by_elements ? "elements" : "points", level.largest_eigenvalue)
            : fmt::format("{} unknowns, assembled; {} algebraic levels", count_text(level.unknowns),
                          s.multigrid.amg.levels.size()));
  return text;
}

Json phases_json(const PMultigridReport& m) {
  return {{"spaces", m.spaces},           {"operators", m.operators}, {"diagonals", m.diagonals},
          {"eigenvalues", m.eigenvalues}, {"transfers", m.transfers}, {"assembly", m.assembly},
          {"algebraic", m.algebraic}};
}

Json bp_json(const BpSummary& s) {
  const BpRequest& r = s.request;
  Json json = record_head("millrace.bp");
  json.update({{"device", device_json(s.device)},
               {"bandwidth", bandwidth_json(s.bandwidth)},
               {"problem", r.problem},
               {"element", name(r.cell)},
               {"order", r.order},
               {"ceed", r.ceed},
               {"precond", s.precond},
               {"mesh", r.kershaw > 0 ? "kershaw" : "warped"},
               {"epsilon", r.kershaw > 0 ? Json(r.kershaw) : Json(nullptr)},
               {"right_hand_side", r.random ? "random" : "known"},
               {"factors", r.recompute ? "recomputed" : "stored"},
               {"sum", r.sum == Accumulation::atomic && !s.device.on_host() ? "atomic" : "deterministic"},
               {"evaluation", r.evaluation == Evaluation::unfused && !s.device.on_host() ? "actions" : "fused"},
               {"precision", s.precision},
               {"threads", s.num_threads},
               {"dofs", s.num_dofs},
               {"elements", s.num_elem},
               {"points", s.num_points},
               {"operator",
                {{"traffic_bytes", s.traffic.total()},
                 {"samples_us", samples_json(s.operator_samples)},
                 {"median_us", s.operator_samples.median() * 1e6},
                 {"spread", s.operator_samples.spread()},
                 {"gdof_s", s.operator_rate() * 1e-9},
                 {"percent_of_read", percent(s, s.operator_share())}}},
               {"cg",
                {{"end", to_string(s.report.end)},
                 {"iterations", s.report.iterations},
                 {"seconds", s.report.seconds},
                 {"relative", s.report.relative},
                 {"iteration_bytes", s.report.iteration_bytes},
                 {"gdof_s", s.report.iterations > 0 ? s.cg_rate() * 1e-9 : 0},
                 {"percent_of_read", s.report.iterations > 0 ? percent(s, s.cg_share()) : Json(nullptr)}}},
               {"error", std::isfinite(s.error) && !r.random ? Json(s.error) : Json(nullptr)},
               {"setup_seconds", s.setup_seconds}});
  if (!s.multigrid.levels.empty())
    json["multigrid"] = {{"levels", levels_json(s.multigrid)},
                         {"algebraic_levels", s.multigrid.amg.levels.size()},
                         {"setup_seconds", s.multigrid.total},
                         {"phases_seconds", phases_json(s.multigrid)}};
  return json;
}

}  // namespace millrace::command
