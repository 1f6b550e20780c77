// What a mesh looks like: counts, extent, volume, the worst Jacobian, faces, and the physical groups.
#include "verbs/inspect/mesh.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/base/printable.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/gmsh.hpp"
#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/topology.hpp"
#include "terminal/table.hpp"
#include "verb.hpp"

namespace millrace::command {

namespace {

struct MeshFacts {
  std::string cells;
  Measure sizes;
  millrace::Point low{}, high{};
  Index num_faces = 0, on_boundary = 0, tagged = 0;  // tagged ones of those on the boundary
  std::string no_faces{};                            // why faces could not be found
  std::map<std::pair<int, std::int32_t>, Index> groups{};
};

MeshFacts facts_of(const Mesh& mesh) {
  MeshFacts facts{.cells = mesh.description(), .sizes = measure(mesh), .low = mesh.point(0), .high = mesh.point(0)};
  for (Index p = 0; p < mesh.num_points(); ++p)
    for (std::size_t d = 0; d < 3; ++d) {
      facts.low[d] = std::min(facts.low[d], mesh.point(p)[d]);
      facts.high[d] = std::max(facts.high[d], mesh.point(p)[d]);
    }
  for (const auto* blocks : {&mesh.blocks, &mesh.boundary})
    for (const CellBlock& block : *blocks)
      for (const std::int32_t tag : block.tag.span()) ++facts.groups[{dim(block.cell), tag}];
  try {
    const Topology topology = make_topology(mesh);
    facts.num_faces = topology.num_faces();
    facts.on_boundary = static_cast<Index>(topology.boundary_faces.size());
    for (const Index f : topology.boundary_faces) facts.tagged += topology.face_tags[static_cast<std::size_t>(f)] != 0;
  } catch (const Error& error) {
    facts.no_faces = error.what();
  }
  return facts;
}

std::string worst_text(const Mesh& mesh, const Measure& sizes) {
  const Cell cell = mesh.blocks[static_cast<std::size_t>(sizes.worst_block)].cell;
  std::string text =
      fmt::format("worst {:.3g} of the mean of its cell, in {} {}", sizes.worst_jacobian, name(cell), sizes.worst_cell);
  if (sizes.num_inverted > 0) text += fmt::format("; {} cells are inverted in places", count_text(sizes.num_inverted));
  return text;
}

std::string text_of(const Mesh& mesh, const MeshFacts& facts, const std::string& drawn) {
  std::string box;
  for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.dim); ++d)
    box += fmt::format("{}[{:.6g}, {:.6g}]", d == 0 ? "" : " x ", facts.low[d], facts.high[d]);
  std::string text = named_line("cells", facts.cells) + named_line("points", count_text(mesh.num_points())) +
                     named_line("extent", box) +
                     named_line(mesh.dim == 2 ? "area" : "volume", fmt::format("{:.10g}", facts.sizes.volume)) +
                     named_line("Jacobian", worst_text(mesh, facts.sizes));
  text +=
      named_line("faces", facts.no_faces.empty() ? fmt::format("{}, {} on the boundary, {} of those in a group",
                                                               count_text(facts.num_faces),
                                                               count_text(facts.on_boundary), count_text(facts.tagged))
                                                 : facts.no_faces);
  if (!mesh.periodic.empty()) {
    std::string pairs;
    for (const PeriodicSide& side : mesh.periodic)
      pairs += (pairs.empty() ? "" : " + ") + count_text(std::ssize(side.pairs));
    text += named_line("periodic", fmt::format("{} side{}, {} pairs of vertices", mesh.periodic.size(),
                                               mesh.periodic.size() == 1 ? "" : "s", pairs));
  }
  for (const std::string& note : mesh.notes) text += named_line("note", printable(note));
  if (!drawn.empty()) text += named_line("picture", printable(drawn));
  Table table({{"group", Table::Align::left}, {"dim"}, {"tag"}, {"members"}});
  for (const auto& [group, count] : facts.groups)
    table.add({std::string(mesh.name_of(group.first, group.second)), std::to_string(group.first),
               std::to_string(group.second), count_text(count)});
  return text + "\n" + table.text(style_of_stdout());
}

nlohmann::ordered_json json_of(const std::string& path, const Mesh& mesh, const MeshFacts& facts) {
  nlohmann::ordered_json json{{"schema", "millrace.inspect.mesh"}, {"file", path}, {"dim", mesh.dim}};
  for (const CellBlock& block : mesh.blocks)
    json["cells"].push_back({{"cell", name(block.cell)}, {"order", block.order}, {"count", block.num_cells()}});
  json["points"] = mesh.num_points();
  for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.dim); ++d)
    json["extent"].push_back({facts.low[d], facts.high[d]});
  json["volume"] = facts.sizes.volume;
  json["worst_jacobian"] = facts.sizes.worst_jacobian;
  json["inverted_cells"] = facts.sizes.num_inverted;
  if (facts.no_faces.empty())
    json["faces"] = {{"count", facts.num_faces}, {"boundary", facts.on_boundary}, {"tagged", facts.tagged}};
  for (const PeriodicSide& side : mesh.periodic) json["periodic"].push_back({{"pairs", side.pairs.size()}});
  json["notes"] = mesh.notes;
  json["groups"] = nlohmann::ordered_json::array();
  for (const auto& [group, count] : facts.groups)
    json["groups"].push_back({{"dim", group.first},
                              {"tag", group.second},
                              {"name", mesh.name_of(group.first, group.second)},
                              {"members", count}});
  return json;
}

}  // namespace

bool is_mesh_file(const std::string& path) {
  return path.ends_with(".msh") || path.ends_with(".msh.gz") || path.ends_with(".msh.xz");
}

int inspect_mesh(const std::string& path, bool json, std::int64_t max_memory, const MeshPicture& picture) {
  check_mesh_picture(picture);
  const Mesh mesh = read_gmsh(path, max_memory);
  const MeshFacts facts = facts_of(mesh);
  const std::string drawn = picture.file.empty() ? "" : draw_mesh(path, mesh, picture);
  if (json)
    write_json("-", json_of(path, mesh, facts));
  else
    fmt::print("{}", text_of(mesh, facts, drawn));
  return exit_ok;
}

}  // namespace millrace::command
