// Writes the head, the tries, the result and the record of a solve.
#include "verbs/solve/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/record.hpp"

namespace millrace::command {

using Json = nlohmann::ordered_json;

namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string time_text(const SolveSummary& s) {
  std::string text = fmt::format("{}, and {} to set up", seconds_text(s.seconds()), seconds_text(s.setup_seconds()));
  if (s.seconds_per_iteration() <= 0) return text;
  text += fmt::format("; {} an iteration", seconds_text(s.seconds_per_iteration()));
  const double bytes = s.best().iteration_bytes;
  if (bytes <= 0) return text;
  text += fmt::format(", which moves {}: {:.1f} GB/s", bytes_text(bytes), s.byte_rate() * 1e-9);
  if (s.read_rate > 0)
    text += fmt::format(", {} of what memory was measured to deliver", percent_text(s.byte_rate() / s.read_rate));
  else
    text += ", from caches";
  return text;
}

std::string mixed_text(const Attempt& a) {
  return fmt::format("{} corrections in double; a product in float moves {} instead of {}: {} saved",
                     a.report.iterations, bytes_text(a.narrow_bytes), bytes_text(a.product_bytes),
                     percent_text(1 - a.narrow_bytes / a.product_bytes));
}

Json attempt_json(const Attempt& a) {
  const SolveReport& r = a.report;
  Json json = {{"method", a.plan.method},
               {"precond", a.plan.precond},
               {"order", a.plan.order},
               {"why", a.plan.why},
               {"precond_note", a.note}};
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

}  // namespace

const Attempt& SolveSummary::best() const {
  const Attempt* found = &attempts.back();
  for (const Attempt& a : attempts)
    if (a.report.relative < found->report.relative || std::isnan(found->report.relative)) found = &a;
  return attempts.back().report.ok() ? attempts.back() : *found;
}
int SolveSummary::iterations() const {
  int sum = 0;
  for (const Attempt& a : attempts) sum += a.iterations();
  return sum;
}
double SolveSummary::seconds() const {
  double sum = 0;
  for (const Attempt& a : attempts) sum += a.report.seconds;
  return sum;
}
double SolveSummary::setup_seconds() const {
  double sum = 0;
  for (const Attempt& a : attempts) sum += a.setup_seconds;
  return sum;
}
double SolveSummary::seconds_per_iteration() const {
  const int count = best().iterations();
  return count > 0 ? best().report.seconds / count : 0;
}
double SolveSummary::byte_rate() const {
  const double each = seconds_per_iteration();
  return each > 0 ? best().iteration_bytes / each : 0;
}
std::vector<double> SolveSummary::history() const {
  std::vector<double> all;
  for (const Attempt& a : attempts) {
    const auto& part = a.report.history;  // a later try begins with the residual that the one before has left
    all.insert(all.end(), part.begin() + (all.empty() || part.empty() ? 0 : 1), part.end());
  }
  return all;
}

std::string solve_head(const SolveSummary& s, const Style& style) {
  const std::string threads = s.num_threads > 0 ? fmt::format(", {} threads", s.num_threads) : "";
  std::string text =
      fmt::format("{}: {} x {}, {} nonzeros, {}, {}{}\n", bold(s.matrix.name, style), count_text(s.matrix.rows),
                  count_text(s.matrix.cols), count_text(s.matrix.entries), s.precision, s.device, threads);
  text += named_line("matrix", s.checks);
  text += named_line("b", s.rhs);
  return text +
         named_line("format", s.format_reason.empty() ? s.format : fmt::format("{}: {}", s.format, s.format_reason));
}

std::string attempt_text(const SolveSummary& s, std::size_t number_of, const Style& style) {
  const Attempt& a = s.attempts[number_of];
  const std::string title = fmt::format("try {}", number_of + 1);
  std::string text = named_line(title, bold(a.name(), style) + (a.plan.why.empty() ? "" : ": " + a.plan.why));
  if (!a.note.empty()) text += named_line("", a.plan.precond + ": " + a.note);
  return text + named_line("", fmt::format("{}: {}", to_string(a.report.end), a.report.reason));
}

std::string solve_text(const SolveSummary& s, const Style& style) {
  const SolveReport& r = s.best().report;
  std::string text =
      named_line("residual", fmt::format("|b - A x| = {:.3e}, that is {:.2e} |b|", r.residual, r.relative));
  if (s.error_from_ones >= 0)
    text += named_line("error", fmt::format("the largest |x - 1| is {:.2e}", s.error_from_ones));
  text += named_line("iterations", s.attempts.size() == 1 ? fmt::format("{}", s.iterations())
                                                          : fmt::format("{}, {} of them in the try that x is from",
                                                                        s.iterations(), s.best().iterations()));
  text += named_line("time", time_text(s));
  if (s.best().plan.mixed) text += named_line("mixed", mixed_text(s.best()));
  return text + residual_plot(s.history(), s.options.tolerance, 6, style);
}

Json solve_json(const SolveSummary& s, bool with_history) {
  const SolveReport& r = s.best().report;
  Json tries = Json::array();
  for (const Attempt& a : s.attempts) tries.push_back(attempt_json(a));
  Json json = record_head("millrace.solve");
  json.update({{"matrix", matrix_json(s.matrix)},
               {"checks", s.checks},
               {"symmetric", s.symmetric},
               {"positive_diagonal", s.positive_diagonal},
               {"rhs", s.rhs},
               {"precision", s.precision},
               {"device", s.device},
               {"threads", s.num_threads},
               {"format", s.format},
               {"format_reason", s.format_reason},
               {"tolerance", s.options.tolerance},
               {"absolute", s.options.absolute},
               {"max_iterations", s.options.max_iterations},
               {"end", to_string(r.end)},
               {"reason", r.reason},
               {"iterations", s.iterations()},
               {"rhs_norm", number(r.rhs_norm)},
               {"residual", number(r.residual)},
               {"relative", number(r.relative)},
               {"error_from_ones", s.error_from_ones < 0 ? Json(nullptr) : number(s.error_from_ones)},
               {"setup_seconds", s.setup_seconds()},
               {"seconds", s.seconds()},
               {"iteration_seconds", s.seconds_per_iteration()},
               {"iteration_bytes", s.best().iteration_bytes},
               {"gb_s", s.byte_rate() * 1e-9},
               {"read_gb_s", s.read_rate > 0 ? Json(s.read_rate * 1e-9) : Json(nullptr)},
               {"tries", std::move(tries)}});
  if (with_history) {
    json["history"] = Json::array();
    for (const double value : s.history()) json["history"].push_back(number(value));
  }
  return json;
}

}  // namespace millrace::command
