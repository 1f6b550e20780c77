// A case file of millrace pde, table by table.
#include "verbs/pde/case.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/io/case_mesh.hpp"
#include "millrace/tune/plan_solve.hpp"
#include "verbs/pde/read.hpp"

namespace millrace::command {
namespace {

const std::vector<std::string> pde_names{"diffusion", "convection-diffusion", "elasticity", "helmholtz"};
constexpr int max_pde_order = 8;

// What another part of the library says of a word, with the place of the word.
template <class Check>
void check_word(const PlacedText& word, Check&& check) {
  try {
    check(word.text);
  } catch (const Error& error) {
    throw Error(join(word.place, ": ", error.what()));
  }
}

PdeSolve solve_of(const CaseTable& table) {
  PdeSolve solve;
  const PlacedText method = table.text("method", solve.method),
                   preconditioner = table.text("preconditioner", solve.preconditioner);
  check_word(method, check_method_choice);
  check_word(preconditioner, check_precond_choice);
  solve.method = method.text;
  solve.preconditioner = preconditioner.text;
  solve.tolerance = table.positive("tolerance", solve.tolerance);
  require(solve.tolerance < 1, table.place("tolerance"), ": '", table.name(), ".tolerance' is ", solve.tolerance,
          "; less than 1 is accepted");
  solve.max_iterations = table.integer("max_iterations", 1, 1'000'000, solve.max_iterations);
  table.refuse_others();
  return solve;
}

std::string output_of(const CaseTable& table, std::string_view key, const std::vector<std::string>& endings) {
  if (!table.has(key)) return "";
  const PlacedText file = table.text(key);
  const bool known = std::ranges::any_of(endings, [&](const std::string& end) { return file.text.ends_with(end); });
  require(known, file.place, ": '", table.name(), ".", key, "' is '", file.text, "'; a name that ends in ", endings[0],
          endings.size() > 1 ? " or " + endings[1] : "", " is accepted");
  return file.text;
}

// Without a value anywhere, and with nothing that weighs u itself, every solution is one of many.
void check_unique(const PdeCase& c, const CaseTable& equation) {
  const auto holds_u = [](const PdeCondition& condition) {
    return condition.alpha || std::ranges::any_of(condition.value, [](const auto& v) { return v.has_value(); });
  };
  const auto weighs_u = [](const PdeCoefficients& k) {
    return !(k.c.is_constant() && k.c.at({}) == 0) || !k.velocity.empty();
  };
  const bool weighed = weighs_u(c.everywhere) || std::ranges::any_of(c.materials, [&](const PdeMaterial& material) {
                         return weighs_u(material.coefficients);
                       });
  require(
      weighed || std::ranges::any_of(c.conditions, holds_u), equation.place("name"), ": ", name_of(c.kind),
      " with no 'value' and no 'robin' on the boundary has no single solution; one group with one of them is needed");
}

}  // namespace

std::string_view name_of(PdeKind kind) { return pde_names[static_cast<std::size_t>(kind)]; }

const PdeCoefficients& PdeCase::coefficients(std::int32_t tag) const {
  const auto found = std::ranges::find(materials, tag, &PdeMaterial::tag);
  return found == materials.end() ? everywhere : found->coefficients;
}

PdeCase read_pde_case(const std::string& path) {
  const CaseTable file = read_case_file(path);
  PdeCase c;
  c.file = path;
  c.title = file.text("title", "").text;
  c.time = file.number("time", 0.0);
  const CaseTable &mesh = file.table("mesh"), &equation = file.table("equation"), &space = file.table("space"),
                  &groups = file.table("groups"), &boundary = file.table("boundary"), &exact = file.table("exact"),
                  &solve = file.table("solve"), &output = file.table("output"), &constants = file.table("constants");
  file.refuse_others();
  for (const char* name : {"mesh", "equation"})
    require(file.has(name), path, ":1:1: the table [", name, "] is missing; [mesh] and [equation] are needed");

  c.kind = static_cast<PdeKind>(equation.choice("name", pde_names));
  // First what the mesh may use, whose dimension decides on the rest.
  PdeWords words{parse_constants(constants, {}, false, "xyzt"), "xyzt"};
  c.mesh = make_case_mesh(mesh, path, words.names, CaseCells::all);
  mesh.refuse_others();
  words.variables = c.dim() == 2 ? "xyt" : "xyzt";
  words.names = parse_constants(constants, {}, true, words.variables);
  c.order = space.integer("order", 1, max_pde_order, 1);
  space.refuse_others();

  c.everywhere = read_coefficients(equation, {}, c, words, true);
  equation.refuse_others();
  const GroupTags cell_groups = pde_groups(c.mesh, c.dim());
  for (const std::string& group : groups.keys()) {
    const std::int32_t tag = pde_tag(groups, group, cell_groups, "cells");
    const CaseTable& table = groups.table(group);
    c.materials.push_back({group, tag, read_coefficients(table, c.everywhere, c, words, false)});
    table.refuse_others();
  }
  check_coefficients(equation, groups, c);

  if (file.has("exact")) {
    c.exact = parse_formulas(exact, "u", c.comps(), words.names, words.variables);
    exact.refuse_others();
    const auto has_source = [](const PdeMaterial& material) { return !material.coefficients.source.empty(); };
    c.manufactured = c.everywhere.source.empty() && std::ranges::none_of(c.materials, has_source);
  }
  c.conditions = read_pde_conditions(boundary, c, words);
  check_unique(c, equation);
  c.solve = solve_of(solve);
  c.vtu = output_of(output, "vtu", {".vtu"});
  c.picture = output_of(output, "picture", {".png", ".svg"});
  output.refuse_others();
  return c;
}

}  // namespace millrace::command
