// Texts and JSON of a case.
#include "verbs/pde/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/bench/record.hpp"
#include "verbs/pde/read.hpp"

namespace millrace::command {

namespace {

using PdeJson = nlohmann::ordered_json;

std::string equation_text(const PdeCase& c) {
  const auto has_c = [](const PdeCoefficients& k) { return !(k.c.is_constant() && k.c.at({}) == 0); };
  const bool any_c = has_c(c.everywhere) || std::ranges::any_of(c.materials, [&](const PdeMaterial& material) {
                       return has_c(material.coefficients);
                     });
  const std::string reaction = any_c ? " + c u" : "";
  switch (c.kind) {
    case PdeKind::diffusion:
      return "-div(k grad u)" + reaction + " = source";
    case PdeKind::convection_diffusion:
      return "-div(k grad u) + velocity . grad u" + reaction + " = source";
    case PdeKind::elasticity:
      return "-div(lambda div u I + mu (grad u + grad u^T)) = force";
    case PdeKind::helmholtz:
      return "-div(k grad u) - (omega / speed)^2 u = source";
  }
  return "";
}

// "u given", "u_x u_z given", "flux", "Robin", "free".
std::string condition_text(const PdeCase& c, const PdeCondition& condition) {
  std::string given;
  for (int i = 0; i < c.comps(); ++i)
    if (condition.value[to_size(i)]) given += fmt::format("{}u_{}", given.empty() ? "" : " ", "xyz"[i]);
  const bool all = std::ranges::all_of(condition.value, [](const auto& value) { return value.has_value(); });
  std::vector<std::string> parts;
  if (!given.empty()) parts.push_back(all ? "u given" : given + " given");
  if (condition.alpha) parts.push_back("Robin");
  const bool flux = condition.exact_flux || std::ranges::any_of(condition.flux, [](const Expression& f) {
                      return !(f.is_constant() && f.at({}) == 0);
                    });
  if (!condition.alpha && flux) parts.push_back(c.kind == PdeKind::elasticity ? "traction" : "flux");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " + ") + part;
  return text.empty() ? "free" : text;
}

// All groups of the boundary with what holds there. [groups]
std::vector<std::pair<std::string, std::string>> all_conditions(const PdeCase& c) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [name, tag] : pde_groups(c.mesh, c.dim() - 1)) {
    const auto condition = std::ranges::find(c.conditions, tag, &PdeCondition::tag);
    found.emplace_back(name, condition == c.conditions.end() ? "free" : condition_text(c, *condition));
  }
  return found;
}

std::string pair_list(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string text;
  for (const auto& [name, what] : pairs) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, what);
  return text;
}

}  // namespace

std::string pde_head(const PdeCase& c, const Style& style) {
  std::string text = folded_line("case", c.title.empty() ? c.file : fmt::format("{}: {}", c.file, c.title), style);
  text += folded_line("equation", fmt::format("{}: {}", name_of(c.kind), equation_text(c)), style);
  if (c.manufactured) text += folded_line("", "the source is that of the exact solution", style);
  text += folded_line("mesh", c.mesh.description(), style);
  for (const std::string& note : c.mesh.notes) text += folded_line("", note, style);
  std::vector<std::pair<std::string, std::string>> groups;
  for (const auto& [name, tag] : pde_groups(c.mesh, c.dim()))
    groups.emplace_back(
        name, std::ranges::count(c.materials, tag, &PdeMaterial::tag) > 0 ? "coefficients of its own" : "[equation]");
  if (!groups.empty()) text += folded_line("cells", pair_list(groups), style);
  const auto conditions = all_conditions(c);
  return text + folded_line("boundary",
                            conditions.empty() ? "no groups of faces, so all of it is free" : pair_list(conditions),
                            style);
}

std::string pde_system_text(const PdeCase& c, const PdeSummary& s, const Style& style) {
  return folded_line("unknowns",
                     fmt::format("{} of order {}, {} of them given; the matrix has {} nonzeros", count_text(s.num_dofs),
                                 c.order, count_text(s.num_given), count_text(s.num_entries)),
                     style);
}

std::string pde_solve_text(const PdeSummary& s, const Style& style) {
  const AutoReport& r = s.report;
  if (r.attempts.empty()) return named_line("solver", "there is nothing to solve for");
  const SolvePlan& plan = r.best().plan;
  std::string text = folded_line(
      "solver", bold(plan.name(), style) + ": " + (plan.why.empty() ? "as the case asks for it" : plan.why), style);
  text += folded_line("", fmt::format("the matrix is {}", r.facts), style);
  if (r.attempts.size() > 1) text += folded_line("", fmt::format("the best of {} tries", r.attempts.size()), style);
  text += folded_line("end", fmt::format("{}: {}", to_string(r.end), r.reason), style);
  text += named_line("residual", fmt::format("|b - A x| = {:.3e}, that is {:.2e} |b|, after {} iterations", r.residual,
                                             r.relative, r.total_iterations()));
  if (const std::string doubt = r.doubt(); !doubt.empty()) text += folded_line("beware", doubt, style);
  return text;
}

std::string pde_end_text(const PdeCase& c, const PdeSummary& s, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < s.ranges.size(); ++i) {
    const std::string component = c.comps() == 1 ? "u" : fmt::format("u_{}", "xyz"[i]);
    text += named_line(i == 0 ? "solution" : "",
                       fmt::format("{} from {:.6g} to {:.6g}", component, s.ranges[i].low, s.ranges[i].high));
  }
  if (s.errors)
    text += named_line("error", fmt::format("{:.3e} in L2, {:.3e} of the gradient", s.errors->l2, s.errors->h1));
  for (std::size_t i = 0; i < s.files.size(); ++i) text += folded_line(i == 0 ? "wrote" : "", s.files[i], style);
  return text +
         folded_line("time",
                     fmt::format("case and mesh {}, assembly {}, solver {}, errors and files {}; {}",
                                 seconds_text(s.read_seconds), seconds_text(s.assemble_seconds),
                                 seconds_text(s.solve_seconds), seconds_text(s.write_seconds),
                                 (s.device == "cpu" ? "" : fmt::format("solved on {}, the rest by ", s.device)) +
                                     (s.num_threads == 1 ? "1 thread" : fmt::format("{} threads", s.num_threads))),
                     style);
}

PdeJson pde_json(const PdeCase& c, const PdeSummary& s) {
  PdeJson json = record_head("millrace.pde");
  const AutoReport& r = s.report;
  json.update({{"case", c.file},
               {"title", c.title},
               {"equation", std::string(name_of(c.kind))},
               {"mesh", c.mesh.description()},
               {"cells", c.mesh.num_cells()},
               {"order", c.order},
               {"unknowns", s.num_dofs},
               {"given", s.num_given},
               {"nonzeros", s.num_entries},
               {"threads", s.num_threads},
               {"device", s.device}});
  json["boundary"] = PdeJson::object();
  for (const auto& [name, what] : all_conditions(c)) json["boundary"][name] = what;
  json["solver"] = {{"plan", r.attempts.empty() ? "" : r.best().plan.name()},
                    {"why", r.attempts.empty() ? "" : r.best().plan.why},
                    {"end", to_string(r.end)},
                    {"reason", r.reason},
                    {"iterations", r.total_iterations()},
                    {"relative", r.relative}};
  for (const PdeRange& range : s.ranges) json["range"].push_back({range.low, range.high});
  json["errors"] = s.errors ? PdeJson({{"l2", s.errors->l2}, {"h1", s.errors->h1}}) : PdeJson(nullptr);
  json["seconds"] = {{"read", s.read_seconds},
                     {"assemble", s.assemble_seconds},
                     {"solve", s.solve_seconds},
                     {"write", s.write_seconds}};
  return json;
}

}  // namespace millrace::command
