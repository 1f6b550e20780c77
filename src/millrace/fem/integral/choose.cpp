// Groups become tags, tags become faces.
#include "millrace/fem/integral/choose.hpp"

#include <algorithm>

#include "millrace/base/sort_unique.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::detail {
namespace {

bool has(const std::vector<std::int32_t>& tags, std::int32_t tag) {
  return std::binary_search(tags.begin(), tags.end(), tag);
}

/// Is a vertex of some cell another point there? Then sides are glued.
bool has_glued_sides(const Mesh& mesh, const Topology& topology) {
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    const std::vector<int> corners = vertex_nodes(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c)
      for (std::size_t v = 0; v < corners.size(); ++v) {
        const Index vertex = topology.blocks[b].vertices[to_size(c) * corners.size() + v];
        if (topology.vertex_points[to_size(vertex)] != block.nodes_of(c)[to_size(corners[v])]) return true;
      }
  }
  return false;
}

std::string_view say(bool glued) { return glued ? "glued" : "as boundaries"; }

/// The points at the vertices of a face of a cell, ascending.
std::vector<Index> points_of(const Mesh& mesh, const FaceSide& side) {
  const CellBlock& block = mesh.blocks[to_size(side.block)];
  const std::vector<int> corners = vertex_nodes(block.cell, block.order);
  std::vector<Index> points;
  for (const int v : face_vertices(block.cell, side.face))
    points.push_back(block.nodes_of(side.cell)[to_size(corners[to_size(v)])]);
  std::sort(points.begin(), points.end());
  return points;
}
std::vector<Index> points_of(const BoundaryBlock& block, Index face) {
  std::vector<Index> points;
  for (const int v : vertex_nodes(block.cell, block.order)) points.push_back(block.nodes_of(face)[to_size(v)]);
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace

std::vector<std::int32_t> tags_of_cells(std::string_view who, const Mesh& mesh, const Groups& groups) {
  if (groups.empty()) return {};
  std::vector<std::int32_t> asked = groups.tags(mesh, mesh.dim), known;
  for (const CellBlock& block : mesh.blocks)
    known.insert(known.end(), block.tag.span().begin(), block.tag.span().end());
  sort_unique(known);
  for (const std::int32_t tag : asked)
    require(has(known, tag), who, ": no cell has the tag ", tag,
            "; groups of cells are: ", [&] { return list_groups(mesh, mesh.dim, known); });
  return asked;
}

Points points_of_block(const Mesh& mesh, Cell cell, Points asked) {
  if (mesh.blocks.size() > 1 && !is_tensor(cell)) asked.num = 0;
  return asked;
}

const Topology& choose_topology(std::string_view who, const Mesh& mesh, std::optional<PeriodicSides> sides,
                                const Topology* given, std::optional<Topology>& made) {
  if (!given) return made.emplace(make_topology(mesh, sides.value_or(PeriodicSides::ignored)));
  bool same = given->dim == mesh.dim && given->blocks.size() == mesh.blocks.size();
  for (std::size_t b = 0; same && b < mesh.blocks.size(); ++b)
    same = std::ssize(given->blocks[b].vertices) ==
           std::int64_t{mesh.blocks[b].num_cells()} * num_vertices(mesh.blocks[b].cell);
  require(same, who, ": the topology is of another mesh");
  if (!sides || mesh.periodic.empty()) return *given;
  const bool glued = has_glued_sides(mesh, *given), wanted = *sides == PeriodicSides::glued;
  require(glued == wanted, who, ": the topology has the periodic sides of the mesh ", say(glued), ", the space ",
          say(wanted), "; make_topology(mesh, space.sides) is right");
  return *given;
}

std::vector<ChosenFace> choose_faces(std::string_view who, const Mesh& mesh, const Topology& topology,
                                     const Groups& groups, FacesBetween between) {
  const int face_dim = mesh.dim - 1;
  std::vector<ChosenFace> faces;
  if (groups.empty()) {
    for (const Index face : topology.boundary_faces) faces.push_back({face, 0});
    return faces;
  }
  const std::vector<std::int32_t> asked = groups.tags(mesh, face_dim);
  std::vector<std::int32_t> known;
  bool some_between = false;
  for (const auto& [face, tag] : topology.tagged_faces()) {
    known.push_back(tag);
    if (!has(asked, tag)) continue;
    const bool outer = topology.on_boundary(face);
    require<Unsupported>(
        outer || between == FacesBetween::accepted, who, ": a face of the group ",
        [&, group = tag] { return list_groups(mesh, face_dim, {group}); },
        " lies between two cells, where no side is outside; integrals are over faces with one cell");
    if (outer) faces.push_back({face, 0});
    some_between = some_between || !outer;
  }
  sort_unique(known);
  for (const std::int32_t tag : asked)
    require(has(known, tag), who, ": no face has the tag ", tag,
            "; groups of faces are: ", [&] { return list_groups(mesh, face_dim, known); });
  for (std::size_t b = 0; some_between && b < mesh.boundary.size(); ++b)
    for (Index i = 0; i < mesh.boundary[b].num_cells(); ++i) {
      const Index face = topology.boundary[b][to_size(i)];
      if (topology.on_boundary(face) || !has(asked, mesh.boundary[b].tag.data()[i])) continue;
      const auto& sides = topology.face_sides[to_size(face)];
      const bool first = points_of(mesh, sides[0]) == points_of(mesh.boundary[b], i);
      faces.push_back({face, first ? 0 : 1});
    }
  sort_unique(faces);
  return faces;
}

}  // namespace millrace::detail
