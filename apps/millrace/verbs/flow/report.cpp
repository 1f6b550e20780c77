// Texts and JSON of a flow.
#include "verbs/flow/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/hdg/equation.hpp"
#include "millrace/mesh/topology.hpp"
#include "verbs/flow/linear.hpp"

namespace millrace::command {

using Json = nlohmann::ordered_json;

namespace {

std::string conditions_text(const hdg::Case& c) {
  std::string text;
  for (const hdg::BoundaryCondition& condition : c.problem.conditions)
    text += (text.empty() ? "" : ", ") + condition.group + ": " + condition.kind;
  return text;
}

std::string steps_text(const hdg::Case& c) {
  const hdg::TimeOptions& time = *c.time;
  std::string text =
      fmt::format("{} from {:g} to {:g}, ", hdg::time_scheme_names()[static_cast<std::size_t>(time.scheme)],
                  c.time_start, time.end);
  if (time.tolerance == 0) return text + fmt::format("steps of {:g}", time.step);
  return text + fmt::format("first step {:g}, then by an error of {:g} a step", time.step, time.tolerance);
}

Json coefficients_json(const hdg::Coefficients& found) {
  return {{"drag", found.drag}, {"lift", found.lift}, {"moment", found.moment}};
}

std::string time_line(const hdg::TimeStep& step) {
  return fmt::format("{:>7} {:>11.6g} {:>9.3e} {:>8} {:>6} {:>6}", step.number, step.time, step.step,
                     step.error > 0 ? fmt::format("{:.1e}", step.error) : "-", step.newton_steps, step.iterations);
}

Json time_json(const hdg::CaseStep& step) {
  return {{"order", step.order},
          {"step", step.number},
          {"time", step.time->time},
          {"size", step.time->step},
          {"error", step.time->error},
          {"rejected", step.time->num_rejected},
          {"newton_steps", step.time->newton_steps},
          {"iterations", step.time->iterations},
          {"seconds", step.seconds}};
}

}  // namespace

std::string flow_head(const hdg::Case& c, int num_threads, const Style& style) {
  const hdg::Equation& equation = *c.problem.equation;
  const Topology topology = make_topology(c.mesh, PeriodicSides::glued);
  const double bytes = hdg::estimate_memory(c, topology.num_faces(), c.order, num_threads).total();
  std::string text = folded_line("case", c.title.empty() ? c.file : fmt::format("{}: {}", c.file, c.title), style);
  text +=
      folded_line("mesh", fmt::format("{}, {} faces", c.mesh.description(), count_text(topology.num_faces())), style);
  if (const std::size_t sides = c.mesh.periodic.size(); sides > 0)
    text += folded_line("", fmt::format("{} periodic side{}", sides, sides == 1 ? "" : "s"), style);
  for (const std::string& note : c.mesh.notes) text += folded_line("", note, style);
  text += folded_line("equation",
                      fmt::format("{} in {} dimensions, order {}", equation.name(), c.mesh.dim,
                                  c.first_order == c.order ? fmt::format("{}", c.order)
                                                           : fmt::format("{} to {}", c.first_order, c.order)),
                      style);
  text += folded_line("boundary", c.problem.conditions.empty() ? "none" : conditions_text(c), style);
  if (c.time) text += folded_line("in time", steps_text(c), style);
  if (c.closed && !c.time)
    text += folded_line("closed",
                        "nothing leaves the gas, and it has a steady state for every mass: that of the "
                        "start is kept",
                        style);
  text += folded_line("linear", linear_text(c), style);
  return text + folded_line("memory",
                            fmt::format("about {} at order {}; {} threads", bytes_text(bytes), c.order, num_threads),
                            style);
}

std::string flow_columns(const hdg::Case& c, const Style& style) {
  std::string line = fmt::format("{:>5} {:>4} {:>8} {:>8} {:>6} {:>7} {:>9}", "order", "step", "cfl", "asked", "gmres",
                                 "length", "residual");
  if (c.time)
    line = fmt::format("{:>7} {:>11} {:>9} {:>8} {:>6} {:>6}", "step", "time", "size", "error", "newton", "gmres");
  if (c.angle) line += fmt::format(" {:>11} {:>11}", "drag", "lift");
  return dim(line + fmt::format(" {:>8}", "seconds"), style) + '\n';
}

std::string flow_line(const hdg::Case& c, const hdg::CaseStep& step) {
  const hdg::NewtonStep& n = step.newton;
  std::string line = step.time ? time_line(*step.time)
                               : fmt::format("{:>5} {:>4} {:>8} {:>8.1e} {:>6} {:>7.3g} {:>9.2e}", step.order,
                                             step.number, n.cfl > 0 ? fmt::format("{:.1e}", n.cfl) : "steady",
                                             n.tolerance, n.iterations, n.length, n.residual);
  if (c.angle) line += fmt::format(" {:>11.7f} {:>11.7f}", step.coefficients.drag, step.coefficients.lift);
  return line + fmt::format(" {:>8.2f}\n", step.seconds) + changes_line(n);
}

std::string flow_text(const hdg::Case& c, const hdg::CaseResult& result, const Style& style) {
  std::string text;
  for (const hdg::OrderResult& order : result.orders) {
    std::string line = fmt::format("{} unknowns, {} Newton steps, residual {:.1e}, {}", count_text(order.unknowns),
                                   order.num_steps, order.residual, seconds_text(order.seconds));
    if (c.time)
      line = fmt::format("{} unknowns, {} steps in time, {}", count_text(order.unknowns), order.num_steps,
                         seconds_text(order.seconds));
    if (c.angle) line += fmt::format("; Cd {:.7f}, Cl {:.7f}", order.coefficients.drag, order.coefficients.lift);
    if (!order.errors.empty()) {
      line += "; error of u";
      for (const double error : order.errors) line += fmt::format(" {:.3e}", error);
    }
    text += folded_line(fmt::format("order {}", order.order), line + peak_text(order), style);
  }
  text +=
      folded_line("flux out", "of each component, through each group; of a gas: mass, forces on walls, heat", style);
  for (const hdg::BoundaryFlux& flux : result.fluxes) {
    std::string line = fmt::format("{}:", flux.group);
    for (const double value : flux.flux) line += fmt::format(" {:.6g}", value);
    if (c.is_gas) {
      line += "; moment";
      for (int d = c.mesh.dim == 2 ? 2 : 0; d < 3; ++d)
        line += fmt::format(" {:.6g}", flux.moment[static_cast<std::size_t>(d)]);
    }
    text += folded_line("", line, style);
  }
  if (c.closed)
    text +=
        folded_line("mass", fmt::format("{:.12g}, at the start {:.12g}", result.mass_end, result.mass_start), style);
  const char* done = c.time ? "reached the end" : "converged";
  return text +
         folded_line("end", fmt::format("{}, {}", result.converged ? done : "NOT CONVERGED", result.reason), style) +
         named_line("time", seconds_text(result.seconds));
}

Json flow_json(const hdg::Case& c, const hdg::CaseResult& result, int num_threads) {
  Json json = record_head("millrace.flow");
  json.update({{"case", c.file},
               {"title", c.title},
               {"equation", std::string(c.problem.equation->name())},
               {"mesh", c.mesh.description()},
               {"cells", c.mesh.num_cells()},
               {"threads", num_threads},
               {"converged", result.converged},
               {"reason", result.reason},
               {"seconds", result.seconds},
               {"linear", linear_json(c)}});
  for (const hdg::OrderResult& order : result.orders) {
    Json entry = {{"order", order.order},       {"unknowns", order.unknowns}, {"steps", order.num_steps},
                  {"residual", order.residual}, {"seconds", order.seconds},   {"memory", memory_json(order)}};
    if (c.angle) entry["coefficients"] = coefficients_json(order.coefficients);
    if (!order.errors.empty()) entry["errors"] = order.errors;
    json["orders"].push_back(entry);
  }
  for (const hdg::CaseStep& step : result.steps) {
    Json entry = {{"order", step.order},
                  {"step", step.number},
                  {"cfl", step.newton.cfl},
                  {"tolerance", step.newton.tolerance},
                  {"iterations", step.newton.iterations},
                  {"assembly_s", step.newton.assembly},
                  {"length", step.newton.length},
                  {"residual", step.newton.residual},
                  {"changes", step.newton.changes},
                  {"seconds", step.seconds}};
    if (step.time) entry = time_json(step);
    if (c.angle) entry["coefficients"] = coefficients_json(step.coefficients);
    json["history"].push_back(entry);
  }
  for (const hdg::BoundaryFlux& flux : result.fluxes)
    json["fluxes"][flux.group] = {{"area", flux.area}, {"flux", flux.flux}, {"moment", flux.moment}};
  json["mass"] = {{"start", result.mass_start}, {"end", result.mass_end}, {"kept", c.closed}};
  return json;
}

}  // namespace millrace::command
