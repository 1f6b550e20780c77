// Volumes, areas and the worst Jacobian of a mesh; cells of negative volume are mirrored.
#include <algorithm>
#include <limits>
#include <utility>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace {
namespace {

// Enough points to integrate the determinant of a map of this order exactly.
VolumeRule exact_rule(Cell cell, int order) {
  const int degree = is_tensor(cell) ? dim(cell) * order - 1 : dim(cell) * (order - 1) + dim(cell) - 1;
  return make_volume_rule(cell, degree / 2 + 1);
}

struct BlockTables {
  VolumeRule rule;
  GeometryTable inside, lattice;
  explicit BlockTables(Cell cell, int order)
      : rule(exact_rule(cell, order)),
        inside(tabulate_geometry(cell, order, rule.points)),
        lattice(tabulate_geometry(cell, order, lattice_points(cell, order))) {}
};

struct CellSize {
  double volume = 0, smallest = std::numeric_limits<double>::infinity();
};

CellSize size_of(const Mesh& mesh, std::span<const Index> nodes, const BlockTables& tables) {
  CellSize found;
  for (int q = 0; q < tables.inside.num_points; ++q) {
    const double det = determinant(jacobian(mesh, nodes, tables.inside, q), mesh.dim);
    found.volume += tables.rule.weights[to_size(q)] * det;
    found.smallest = std::min(found.smallest, det);
  }
  for (int q = 0; q < tables.lattice.num_points; ++q)
    found.smallest = std::min(found.smallest, determinant(jacobian(mesh, nodes, tables.lattice, q), mesh.dim));
  return found;
}

double reference_volume(Cell cell) { return cell == Cell::triangle ? 0.5 : cell == Cell::tet ? 1.0 / 6 : 1; }

}  // namespace

Measure measure(const Mesh& mesh) {
  Measure result;
  result.smallest_cell = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    const BlockTables tables(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c) {
      const CellSize found = size_of(mesh, block.nodes_of(c), tables);
      result.volume += found.volume;
      result.smallest_cell = std::min(result.smallest_cell, found.volume);
      const double mean = found.volume / reference_volume(block.cell);
      const double worst = mean > 0 ? found.smallest / mean : -std::numeric_limits<double>::infinity();
      if (!(found.smallest > 0)) ++result.num_inverted;
      if (worst < result.worst_jacobian || result.worst_cell < 0) {
        result.worst_jacobian = worst;
        result.worst_block = static_cast<std::int32_t>(b);
        result.worst_cell = c;
      }
    }
  }
  return result;
}

void check_jacobians(const Mesh& mesh) {
  const Measure found = measure(mesh);
  require(
      found.num_inverted == 0, "mesh: the Jacobian determinant of ", found.num_inverted, " of ", mesh.num_cells(),
      " cells is not positive everywhere; at the worst place, in ",
      [&] { return name(mesh.blocks[to_size(found.worst_block)].cell); }, " ", found.worst_cell, ", it is ",
      found.worst_jacobian, " of its mean");
}

double cell_volume(const Mesh& mesh, const CellBlock& block, Index cell) {
  return size_of(mesh, block.nodes_of(cell), BlockTables(block.cell, block.order)).volume;
}

Point own_area(const Mesh& mesh, Cell face, int order, std::span<const Index> nodes) {
  const VolumeRule rule = make_volume_rule(face, order + 2);
  const GeometryTable table = tabulate_geometry(face, order, rule.points);
  Point area{};
  for (int q = 0; q < table.num_points; ++q) {
    const Jacobian j = jacobian(mesh, nodes, table, q);
    const double w = rule.weights[to_size(q)];
    if (mesh.dim == 2) {
      area[0] += w * j[1][0];
      area[1] -= w * j[0][0];
    } else {
      area[0] += w * (j[1][0] * j[2][1] - j[2][0] * j[1][1]);
      area[1] += w * (j[2][0] * j[0][1] - j[0][0] * j[2][1]);
      area[2] += w * (j[0][0] * j[1][1] - j[1][0] * j[0][1]);
    }
  }
  return area;
}

Point outward_area(const Mesh& mesh, const CellBlock& block, Index cell, int face) {
  std::vector<Index> nodes;
  for (const int n : face_nodes(block.cell, block.order, face)) nodes.push_back(block.nodes_of(cell)[to_size(n)]);
  Point area = own_area(mesh, face_cell(block.cell), block.order, nodes);
  for (double& a : area) a *= face_sign(block.cell, face);
  return area;
}

Index turn_inverted_cells(Mesh& mesh) {
  Index num_turned = 0;
  for (CellBlock& block : mesh.blocks) {
    const BlockTables tables(block.cell, block.order);
    const auto nodes = lattice(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c) {
      if (size_of(mesh, block.nodes_of(c), tables).volume >= 0) continue;
      ++num_turned;
      const std::vector<Index> old(block.nodes_of(c).begin(), block.nodes_of(c).end());
      for (std::size_t n = 0; n < nodes.size(); ++n)
        block.nodes_of(c)[n] =
            old[to_size(lattice_index(block.cell, block.order, {nodes[n][1], nodes[n][0], nodes[n][2]}))];
    }
  }
  return num_turned;
}

}  // namespace millrace
