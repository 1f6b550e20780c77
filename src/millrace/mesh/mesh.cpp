// What a mesh says about itself, and whether its arrays fit together.
#include "millrace/mesh/mesh.hpp"

#include <cmath>

namespace millrace {
namespace {

Index count(const std::vector<CellBlock>& blocks) {
  Index sum = 0;
  for (const CellBlock& block : blocks) sum += block.num_cells();
  return sum;
}

void check_block(const Mesh& mesh, const CellBlock& block, int block_dim) {
  require(dim(block.cell) == block_dim, "mesh: a block of ", name(block.cell), " cells where the dimension is ",
          block_dim);
  require(block.order >= 1 && block.order <= max_geometry_order, "mesh: cells of order ", block.order, "; orders 1 to ",
          max_geometry_order, " are known");
  require(block.nodes.size() == block.tag.size() * block.nodes_per_cell(), "mesh: ", block.tag.size(), " ",
          name(block.cell), " cells of order ", block.order, " need ", block.tag.size() * block.nodes_per_cell(),
          " nodes; there are ", block.nodes.size());
  for (const Index p : block.nodes.span())
    require(p >= 0 && p < mesh.num_points(), "mesh: a ", name(block.cell), " has the node ", p,
            ", the points are 0 to ", mesh.num_points() - 1);
}

}  // namespace

Index Mesh::num_cells() const { return count(blocks); }
Index Mesh::num_boundary_faces() const { return count(boundary); }

const CellBlock& Mesh::only_block() const {
  require<Unsupported>(blocks.size() == 1, "this needs a mesh with one kind of cell; this one has ",
                       [&] { return description(); });
  return blocks.front();
}

std::string Mesh::description() const {
  std::string text;
  for (const CellBlock& block : blocks) {
    const bool plural = block.num_cells() != 1;
    text += join(text.empty() ? "" : ", ", block.num_cells(), " ", name(block.cell),
                 !plural                   ? ""
                 : block.cell == Cell::hex ? "es"
                                           : "s");
    if (block.order > 1) text += join(" of order ", block.order);
  }
  return text.empty() ? "no cells" : text;
}

std::string_view Mesh::name_of(int group_dim, std::int32_t tag) const {
  for (const GroupName& group : names)
    if (group.dim == group_dim && group.tag == tag) return group.name;
  return {};
}

std::int32_t Mesh::tag_of(int group_dim, std::string_view wanted) const {
  std::string known;
  for (const GroupName& group : names) {
    if (group.dim != group_dim) continue;
    if (group.name == wanted) return group.tag;
    known += " " + group.name;
  }
  throw Error(join("no group of dimension ", group_dim, " has the name '", wanted,
                   "'; the mesh has:", known.empty() ? " none" : known));
}

Mesh Mesh::clone() const {
  Mesh copy{dim, points.clone(), {}, {}, periodic, names, notes};
  for (const CellBlock& block : blocks) copy.blocks.push_back(block.clone());
  for (const BoundaryBlock& block : boundary) copy.boundary.push_back(block.clone());
  return copy;
}

void check(const Mesh& mesh) {
  require(mesh.dim == 2 || mesh.dim == 3, "mesh: the dimension is ", mesh.dim, "; 2 and 3 are known");
  require(mesh.points.size() % mesh.dim == 0 && mesh.points.size() / mesh.dim <= INT32_MAX,
          "mesh: ", mesh.points.size(), " coordinates are no number of points in dimension ", mesh.dim, " below 2^31");
  for (const double x : mesh.points.span()) require(std::isfinite(x), "mesh: a coordinate is ", x);
  for (const CellBlock& block : mesh.blocks) check_block(mesh, block, mesh.dim);
  for (const BoundaryBlock& block : mesh.boundary) check_block(mesh, block, mesh.dim - 1);
  for (const PeriodicSide& side : mesh.periodic)
    for (const auto& pair : side.pairs)
      for (const Index p : pair)
        require(p >= 0 && p < mesh.num_points(), "mesh: a periodic side has the point ", p, ", the points are 0 to ",
                mesh.num_points() - 1);
}

}  // namespace millrace
