// Conditions by boundary group: values, fluxes or tractions, and Robin's.
#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/list_text.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/io/nearest_name.hpp"
#include "verbs/pde/read.hpp"

namespace millrace::command {
namespace {

void need_exact(const CaseTable& table, std::string_view key, const PdeCase& c) {
  require(!c.exact.empty(), table.place(key), ": '", table.name(), ".", key,
          "' is exact, and the file has no solution in [exact]");
}

bool is_exact(const CaseTable& table, std::string_view key) {
  return table.is_text(key) && table.text(key).text == "exact";
}

std::vector<std::optional<Expression>> values_of(const CaseTable& table, const PdeCase& c, const PdeWords& words) {
  std::vector<std::optional<Expression>> values(to_size(c.comps()));
  if (is_exact(table, "value")) {
    need_exact(table, "value", c);
    std::ranges::copy(c.exact, values.begin());
    return values;
  }
  const std::vector<PlacedText> given = table.formulas("value", c.comps());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].text == "free" && c.comps() > 1) continue;
    values[i] = Expression::parse(given[i], words.names, words.variables);
  }
  return values;
}

PdeCondition condition_of(const CaseTable& table, const PdeCase& c, const PdeWords& words) {
  const char* const flux = c.kind == PdeKind::elasticity ? "traction" : "flux";
  const auto comps = to_size(c.comps());
  PdeCondition condition;
  condition.value.resize(comps);
  condition.flux.assign(comps, 0.0);
  const bool has_value = table.has("value"), has_flux = table.has(flux), has_robin = table.has("robin");
  require(has_value || has_flux || has_robin, table.place(), ": [", table.name(), "] needs 'value', '", flux,
          "' or 'robin'");
  require(!(has_flux && has_robin), table.place("robin"), ": [", table.name(), "] has '", flux,
          "' and 'robin'; one of them is accepted");
  if (has_value) condition.value = values_of(table, c, words);
  const bool some_free = std::ranges::any_of(condition.value, [](const auto& value) { return !value.has_value(); });
  require(some_free || !(has_flux || has_robin), table.place("value"), ": [", table.name(), "] has 'value' and '",
          has_flux ? flux : "robin", "'; one of them is accepted",
          c.comps() > 1 ? ", or a value with components that are \"free\"" : "");
  const auto data = [&](const CaseTable& from, const char* key) {
    condition.exact_flux = is_exact(from, key);
    if (condition.exact_flux)
      need_exact(from, key, c);
    else
      condition.flux = parse_formulas(from, key, c.comps(), words.names, words.variables);
  };
  if (has_flux) data(table, flux);
  if (has_robin) {
    const CaseTable& robin = table.table("robin");
    condition.alpha = parse_formulas(robin, "alpha", 1, words.names, words.variables)[0];
    if (robin.has("g")) data(robin, "g");
    robin.refuse_others();
    for (std::size_t i = 0; condition.exact_flux && i < comps; ++i) condition.flux[i] = *condition.alpha * c.exact[i];
  }
  table.refuse_others();
  return condition;
}

}  // namespace

GroupTags pde_groups(const Mesh& mesh, int group_dim) {
  GroupTags groups;
  for (const CellBlock& block : group_dim == mesh.dim ? mesh.blocks : mesh.boundary)
    for (const std::int32_t tag : block.tag.span()) {
      if (tag == 0 || std::ranges::count(groups, tag, &GroupTags::value_type::second) > 0) continue;
      const std::string_view name = mesh.name_of(group_dim, tag);
      groups.emplace_back(name.empty() ? join("#", tag) : std::string(name), tag);
    }
  std::ranges::sort(groups);
  return groups;
}

std::int32_t pde_tag(const CaseTable& table, const std::string& group, const GroupTags& groups, std::string_view of) {
  std::vector<std::string> names;
  for (const auto& [name, tag] : groups) {
    if (name == group) return tag;
    names.push_back(name);
  }
  const std::string nearest = nearest_name(group, names);
  throw Error(join(table.place(group), ": the mesh has no group of ", of, " '", group, "'",
                   nearest.empty() ? "" : join(", and '", nearest, "' is the nearest"),
                   "; it has: ", list_text(names, "none")));
}

std::vector<PdeCondition> read_pde_conditions(const CaseTable& boundary, const PdeCase& c, const PdeWords& words) {
  const GroupTags groups = pde_groups(c.mesh, c.dim() - 1);
  std::vector<PdeCondition> conditions;
  for (const std::string& group : boundary.keys()) {
    const std::int32_t tag = pde_tag(boundary, group, groups, "boundary faces");
    conditions.push_back(condition_of(boundary.table(group), c, words));
    conditions.back().group = group;
    conditions.back().tag = tag;
  }
  return conditions;
}

}  // namespace millrace::command
