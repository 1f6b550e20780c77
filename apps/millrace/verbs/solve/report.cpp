// Writes the head, the tries, the result and the record of a solve.
#include "verbs/solve/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/record.hpp"
#include "verbs/ranks.hpp"

namespace millrace::command {

using Json = nlohmann::ordered_json;

namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string time_text(const SolveSummary& s) {
  std::string text = fmt::format("{}, and {} to set up", seconds_text(s.report.total_seconds()),
                                 seconds_text(s.report.setup_seconds()));
  if (s.seconds_per_iteration() <= 0) return text;
  text += fmt::format("; {} per iteration", seconds_text(s.seconds_per_iteration()));
  const double bytes = s.report.best().iteration_bytes;
  if (bytes <= 0) return text;
  text += fmt::format(", which moves {}: {:.1f} GB/s", bytes_text(bytes), s.byte_rate() * 1e-9);
  if (s.read_rate > 0)
    text += fmt::format(", {} of what memory was measured to deliver", percent_text(s.byte_rate() / s.read_rate));
  else
    text += ", from caches";
  return text;
}

std::string mixed_text(const SolveAttempt& a) {
  return fmt::format("{} corrections in double; a product in float moves {} instead of {}: {} saved",
                     a.report.iterations, bytes_text(a.narrow_bytes), bytes_text(a.product_bytes),
                     percent_text(1 - a.narrow_bytes / a.product_bytes));
}

// What is known of x besides the residual.
std::string quality_text(const AutoReport& r) {
  std::string text = named_line("backward", fmt::format("A and b would have to change by {:.1e}, row by row by {:.1e}",
                                                        r.backward.norm, r.backward.rows));
  if (r.rcond)
    text += named_line(
        "condition",
        fmt::format("reciprocal {}{:.1e}{}", r.best().rcond ? "" : "at most ", *r.rcond,
                    r.forward ? fmt::format("; x is off by at most {:.1e} of its largest entry", *r.forward) : ""));
  if (const std::string doubt = r.doubt(); !doubt.empty()) text += named_line("beware", doubt);
  return text;
}

std::string columns_text(const AutoReport& r) {
  const auto good = std::count_if(r.columns.begin(), r.columns.end(), [](const SolveReport& c) { return c.ok(); });
  return named_line("columns", fmt::format("{} of {} solved; the figures above are of column {}, which went worst",
                                           good, r.columns.size(), r.worst_column + 1));
}

Json optional_number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json multigrid_json(const AmgReport& r) {
  Json levels = Json::array();
  for (const AmgLevelReport& level : r.levels)
    levels.push_back({{"rows", level.rows},
                      {"entries", level.entries},
                      {"bytes", level.bytes},
                      {"format", level.format},
                      {"largest_eigenvalue", number(level.largest_eigenvalue)}});
  return {{"levels", std::move(levels)},
          {"operator_complexity", r.operator_complexity},
          {"grid_complexity", r.grid_complexity},
          {"cycle_bytes", r.cycle_bytes},
          {"update_bytes", r.update_bytes},
          {"replaced_diagonals", r.replaced_diagonals},
          {"null_vectors", r.null_vectors},
          {"dense_coarsest", r.dense_coarsest},
          {"seconds",
           {{"total", r.total},
            {"strength", r.strength},
            {"aggregates", r.aggregates},
            {"prolongators", r.prolongators},
            {"patterns", r.patterns},
            {"products", r.products},
            {"formats", r.formats},
            {"eigenvalues", r.eigenvalues},
            {"coarsest", r.coarsest}}}};
}

Json attempt_json(const SolveAttempt& a) {
  const SolveReport& r = a.report;
  Json json = {{"method", a.plan.method}, {"precond", a.plan.precond}, {"order", a.plan.order},
               {"why", a.plan.why},       {"precond_note", a.note},    {"column", a.column}};
  if (a.rcond) json["rcond"] = number(*a.rcond);
  if (a.multigrid) json["multigrid"] = multigrid_json(*a.multigrid);
  if (a.plan.method.ends_with("gmres")) json["restart"] = a.plan.restart;
  if (a.plan.mixed)
    json["mixed"] = {
        {"corrections", r.iterations}, {"product_bytes", a.product_bytes}, {"float_bytes", a.narrow_bytes}};
  json.update({{"end", to_string(r.end)},
               {"reason", r.reason},
               {"iterations", a.iterations()},
               {"relative", number(r.relative)},
               {"setup_seconds", a.setup_seconds},
               {"seconds", r.seconds},
               {"iteration_bytes", a.iteration_bytes}});
  return json;
}

Json columns_json(const AutoReport& report) {
  Json list = Json::array();
  for (const SolveReport& c : report.columns)
    list.push_back({{"end", to_string(c.end)}, {"iterations", c.iterations}, {"relative", number(c.relative)}});
  return list;
}

}  // namespace

double SolveSummary::seconds_per_iteration() const {
  const SolveAttempt& best = report.best();
  return best.iterations() > 0 ? best.report.seconds / best.iterations() : 0;
}
double SolveSummary::byte_rate() const {
  const SolveReport& best = report.best().report;
  return best.seconds > 0 ? best.bytes / best.seconds : 0;
}

std::string solve_head(const SolveSummary& s, const Style& style) {
  const std::string threads = s.num_threads > 0 ? ", " + workers_text(s.num_ranks, s.num_threads) : "";
  std::string text =
      fmt::format("{}: {} x {}, {} nonzeros, {}, {}{}\n", bold(s.matrix.name, style), count_text(s.matrix.rows),
                  count_text(s.matrix.cols), count_text(s.matrix.entries), s.precision, s.device, threads);
  text += named_line("matrix", s.report.facts);
  if (!s.warning.empty()) text += named_line("warning", s.warning);
  text += named_line("b", s.rhs);
  const auto& [format, reason] = s.report.format;
  return text + named_line("format", reason.empty() ? format : fmt::format("{}: {}", format, reason));
}

std::string attempt_head(const SolvePlan& plan, std::size_t number, const Style& style) {
  const std::string title = fmt::format("try {}", number);
  return named_line(title, bold(plan.name(), style) + (plan.why.empty() ? "" : ": " + plan.why));
}

std::string attempt_text(const SolveAttempt& a) {
  const std::string made = a.plan.precond == "none" ? "" : a.plan.precond + ": ";
  std::string text = a.note.empty() ? "" : named_line("", made + a.note);
  return text + named_line("", fmt::format("{}: {}", to_string(a.report.end), a.report.reason));
}

std::string solve_text(const SolveSummary& s, const Style& style) {
  const SolveReport& r = s.report;
  std::string text =
      named_line("residual", fmt::format("|b - A x| = {:.3e}, that is {:.2e} |b|", r.residual, r.relative));
  text += quality_text(s.report);
  if (s.report.columns.size() > 1) text += columns_text(s.report);
  if (s.error >= 0 || std::isnan(s.error))
    text += named_line("error", fmt::format("x differs from the x that b was made of by {:.2e} at most", s.error));
  text += named_line("iterations", s.report.attempts.size() == 1
                                       ? fmt::format("{}", s.report.total_iterations())
                                       : fmt::format("{}, {} of them in the try that x is from",
                                                     s.report.total_iterations(), s.report.best().iterations()));
  if (s.num_ranks > 1)
    text += folded_line(
        "ranks", fmt::format("{}; up to {} of memory each", s.report.format.reason, bytes_text(s.peak_bytes)), style);
  text += named_line("time", time_text(s));
  if (s.report.best().plan.mixed) text += named_line("mixed", mixed_text(s.report.best()));
  return text + residual_plot(s.report.total_history(), s.report.tolerance, 6, style);
}

Json solve_json(const SolveSummary& s, bool with_history) {
  const SolveReport& r = s.report;
  Json tries = Json::array();
  for (const SolveAttempt& a : s.report.attempts) tries.push_back(attempt_json(a));
  Json json = record_head("millrace.solve");
  json.update({{"matrix", matrix_json(s.matrix)},
               {"checks", s.report.facts},
               {s.precision.starts_with("complex") ? "hermitian" : "symmetric", s.report.symmetric},
               {"warning", s.warning},
               {"positive_diagonal", s.report.positive_diagonal},
               {"rhs", s.rhs},
               {"precision", s.precision},
               {"device", s.device},
               {"ranks", s.num_ranks},
               {"peak_bytes", s.peak_bytes > 0 ? Json(s.peak_bytes) : Json(nullptr)},
               {"threads", s.num_threads},
               {"format", s.report.format.format},
               {"format_reason", s.report.format.reason},
               {"tolerance", s.report.tolerance},
               {"absolute", s.absolute},
               {"max_iterations", s.max_iterations},
               {"end", to_string(r.end)},
               {"reason", r.reason},
               {"iterations", s.report.total_iterations()},
               {"rhs_norm", number(r.rhs_norm)},
               {"residual", number(r.residual)},
               {"relative", number(r.relative)},
               {"backward_error", number(s.report.backward.norm)},
               {"row_backward_error", number(s.report.backward.rows)},
               {"rcond", optional_number(s.report.rcond)},
               {"forward_error", optional_number(s.report.forward)},
               {"doubt", s.report.doubt()},
               {"columns", columns_json(s.report)},
               {"skipped", s.report.skipped},
               {"error", s.error < 0 ? Json(nullptr) : number(s.error)},
               {"setup_seconds", s.report.setup_seconds()},
               {"seconds", s.report.total_seconds()},
               {"iteration_seconds", s.seconds_per_iteration()},
               {"iteration_bytes", s.report.best().iteration_bytes},
               {"bytes", s.report.best().report.bytes},
               {"gb_s", s.byte_rate() * 1e-9},
               {"read_gb_s", s.read_rate > 0 ? Json(s.read_rate * 1e-9) : Json(nullptr)},
               {"tries", std::move(tries)}});
  if (with_history) {
    json["history"] = Json::array();
    for (const double value : s.report.total_history()) json["history"].push_back(number(value));
  }
  return json;
}

}  // namespace millrace::command
