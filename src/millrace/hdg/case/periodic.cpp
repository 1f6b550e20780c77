// Groups are found by their names; what they make is matched in the mesh.
#include "millrace/hdg/case/periodic.hpp"

#include <algorithm>
#include <map>

#include "millrace/base/list_text.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/problem.hpp"
#include "millrace/io/case_formulas.hpp"
#include "millrace/mesh/periodic.hpp"

namespace millrace::hdg {
namespace {

std::map<std::string, std::int32_t> groups_of(const Mesh& mesh) {
  std::map<std::string, std::int32_t> groups;
  for (const BoundaryBlock& block : mesh.boundary)
    for (const std::int32_t tag : block.tag.span())
      if (tag != 0) groups.emplace(group_name(mesh, tag), tag);
  return groups;
}

}  // namespace

void set_periodic_sides(const CaseTable& periodic, const CaseTable& boundary, const Expression::Names& names,
                        Mesh& mesh) {
  const std::map<std::string, std::int32_t> groups = groups_of(mesh);
  const auto tag_of = [&](const std::string& group, const std::string& place) {
    const auto found = groups.find(group);
    if (found != groups.end()) return found->second;
    std::vector<std::string> there;
    for (const auto& [name, tag] : groups) there.push_back(name);
    throw Error(join(place, ": [periodic] has the group '", group, "'; the mesh has: ", list_text(there, "none")));
  };
  std::vector<std::int32_t> named;  // that the case speaks of
  std::vector<PeriodicSide> sides;
  for (const std::string& group : periodic.keys()) {
    const CaseTable& table = periodic.table(group);
    const PlacedText partner = table.text("partner");
    const std::int32_t tag = tag_of(group, table.place()), master = tag_of(partner.text, partner.place);
    for (const std::int32_t one : {tag, master}) {
      require(std::ranges::count(named, one) == 0, table.place(), ": group '", group_name(mesh, one),
              "' is in two pairs of [periodic]; one is accepted");
      require(!boundary.has(group_name(mesh, one)), table.place(), ": group '", group_name(mesh, one),
              "' is periodic and has a condition in [boundary]; one of them is accepted");
      named.push_back(one);
    }
    Point translation{};
    try {
      if (table.has("translation")) {
        const std::vector<Expression> given = parse_formulas(table, "translation", mesh.dim, names);
        for (int d = 0; d < mesh.dim; ++d) translation[to_size(d)] = given[to_size(d)].at({});
      } else {
        translation = translation_between(mesh, tag, master);
      }
      sides.push_back(match_sides(mesh, tag, master, translation));
    } catch (const Error& error) {
      throw Error(join(table.place(), ": ", error.what()));
    }
    table.refuse_others();
  }
  for (const auto& [name, tag] : groups)
    if (boundary.has(name)) named.push_back(tag);
  std::erase_if(mesh.periodic, [&](const PeriodicSide& side) {
    return std::ranges::any_of(named, [&](std::int32_t tag) { return touches(mesh, side, tag); });
  });
  mesh.periodic.insert(mesh.periodic.end(), sides.begin(), sides.end());
}

}  // namespace millrace::hdg
