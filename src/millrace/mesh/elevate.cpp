// Moving nodes, and more nodes: vertices first, then those inside edges, faces and cells, each shared by all who
// have the edge or face.
#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {

// Nodes of a lattice that are on no edge or face of smaller dimension.
int num_inner(Cell cell, int order) {
  const int less = order - (is_tensor(cell) ? 2 : dim(cell) + 1);
  return less < 0 ? 0 : num_nodes(cell, less);
}

std::vector<int> inner_nodes(Cell cell, int order) {
  std::vector<int> inner;
  const auto nodes = lattice(cell, order);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    bool inside = is_tensor(cell) || nodes[n][0] + nodes[n][1] + nodes[n][2] < order;
    for (std::size_t d = 0; d < to_size(dim(cell)); ++d)
      inside = inside && nodes[n][d] > 0 && (!is_tensor(cell) || nodes[n][d] < order);
    if (inside) inner.push_back(static_cast<int>(n));
  }
  return inner;
}

// Numbers of the new points: vertices, edges, faces (in space), cells, in the order of their numbers.
class Numbering {
 public:
  Numbering(const Topology& topology, int order) : topology_(topology), order_(order) {
    Offset next = topology.num_vertices() + static_cast<Offset>(topology.num_edges()) * (order - 1);
    if (topology.dim == 3)
      for (Index f = 0; f < topology.num_faces(); ++f) {
        first_in_face_.push_back(static_cast<Index>(next));
        next += num_inner(topology.face_cell(f), order);
      }
    num_shared_ = next;
    for (const Cell cell : {Cell::triangle, Cell::quad})
      for (int code = 0; code < num_orientations(cell); ++code) {
        auto& places = inner_[cell == Cell::quad][to_size(code)];
        const auto local = own_to_local_map(cell, code, order);
        for (const int own : inner_nodes(cell, order)) places.push_back(local[to_size(own)]);
      }
  }
  Offset num_shared() const { return num_shared_; }

  // Puts the numbers of the nodes inside an edge where the lattice indices `at` of that edge say.
  void number_edge(Index edge, int reversed, std::span<const int> at, std::span<Index> nodes) const {
    for (int i = 1; i < order_; ++i)
      nodes[to_size(at[to_size(reversed == 0 ? i : order_ - i)])] =
          topology_.num_vertices() + edge * (order_ - 1) + i - 1;
  }
  void number_face(Index face, int code, std::span<const int> at, std::span<Index> nodes) const {
    Index next = first_in_face_[to_size(face)];
    for (const int local : inner_[topology_.face_cell(face) == Cell::quad][to_size(code)])
      nodes[to_size(at[to_size(local)])] = next++;
  }

 private:
  const Topology& topology_;
  int order_;
  Offset num_shared_ = 0;
  std::vector<Index> first_in_face_;                      // [num_faces]
  std::array<std::array<std::vector<int>, 8>, 2> inner_;  // [is quad][code]: local places of the own inner nodes
};

CellBlock elevate_block(const CellBlock& old, const BlockTopology& cells, const Numbering& numbering, int dims,
                        int order, Index first_inner) {
  const Cell cell = old.cell;
  CellBlock block{cell, order, Array<Index>(static_cast<Offset>(old.num_cells()) * num_nodes(cell, order)),
                  old.tag.clone()};
  const auto corners = vertex_nodes(cell, order), inner = inner_nodes(cell, order);
  std::vector<std::vector<int>> edges, faces;
  for (int e = 0; e < num_edges(cell); ++e) edges.push_back(edge_nodes(cell, order, e));
  for (int f = 0; f < num_faces(cell); ++f) faces.push_back(face_nodes(cell, order, f));
  for (Index c = 0; c < old.num_cells(); ++c) {
    const auto nodes = block.nodes_of(c);
    for (std::size_t v = 0; v < corners.size(); ++v)
      nodes[to_size(corners[v])] = cells.vertices[to_size(c) * corners.size() + v];
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const std::size_t at = to_size(c) * edges.size() + e;
      numbering.number_edge(cells.edges[at], cells.edge_reversed[at], edges[e], nodes);
    }
    for (std::size_t f = 0; f < faces.size() && dims == 3; ++f) {
      const std::size_t at = to_size(c) * faces.size() + f;
      numbering.number_face(cells.faces[at], cells.face_orientations[at], faces[f], nodes);
    }
    for (std::size_t k = 0; k < inner.size(); ++k)
      nodes[to_size(inner[k])] = first_inner + c * static_cast<Index>(inner.size()) + static_cast<Index>(k);
  }
  return block;
}

void place_points(const Mesh& mesh, const CellBlock& from, const CellBlock& to, Mesh& target) {
  const auto table = tabulate_geometry(from.cell, from.order, lattice_points(to.cell, to.order));
  for (Index c = 0; c < from.num_cells(); ++c)
    for (int n = 0; n < table.num_points; ++n)
      target.set_point(to.nodes_of(c)[to_size(n)], map_point(mesh, from.nodes_of(c), table, n));
}

// A boundary face takes its nodes from the first cell it belongs to, in that cell's order.
BoundaryBlock elevate_boundary(const BoundaryBlock& old, const std::vector<Index>& numbers, const Topology& topology,
                               const Mesh& target, int order) {
  BoundaryBlock block{old.cell, order, Array<Index>(static_cast<Offset>(old.num_cells()) * num_nodes(old.cell, order)),
                      old.tag.clone()};
  for (Index c = 0; c < old.num_cells(); ++c) {
    const FaceSide side = topology.face_sides[to_size(numbers[to_size(c)])][0];
    const CellBlock& cells = target.blocks[to_size(side.block)];
    const auto at = face_nodes(cells.cell, order, side.face);
    for (std::size_t n = 0; n < at.size(); ++n) block.nodes_of(c)[n] = cells.nodes_of(side.cell)[to_size(at[n])];
  }
  return block;
}

// Vertices keep their partners; their new points have the numbers of the topology.
std::vector<PeriodicSide> elevate_pairs(const Mesh& mesh, const Topology& topology) {
  std::vector<PeriodicSide> sides = mesh.periodic;
  for (PeriodicSide& side : sides) {
    for (auto& pair : side.pairs)
      for (Index& p : pair) p = topology.vertex_at(p);
    std::erase_if(side.pairs, [](const auto& pair) { return pair[0] < 0 || pair[1] < 0; });
  }
  return sides;
}

}  // namespace

void deform(Mesh& mesh, const std::function<Point(const Point&)>& move) {
  for (Index p = 0; p < mesh.num_points(); ++p) mesh.set_point(p, move(mesh.point(p)));
}

Mesh elevate(const Mesh& mesh, int order) {
  for (const CellBlock& block : mesh.blocks)
    require(order >= block.order && order <= max_geometry_order, "elevate: order ", order,
            " was asked for; the mesh has cells of order ", block.order, ", and ", max_geometry_order,
            " is the highest possible");
  const Topology topology = make_topology(mesh);
  const Numbering numbering(topology, order);
  Offset num_points = numbering.num_shared();
  for (const CellBlock& block : mesh.blocks)
    num_points += static_cast<Offset>(block.num_cells()) * num_inner(block.cell, order);
  require(num_points <= INT32_MAX, "elevate: ", num_points, " points; at most 2^31 - 1 are possible");

  Mesh target;
  target.dim = mesh.dim;
  target.names = mesh.names;
  target.periodic = elevate_pairs(mesh, topology);
  target.notes = mesh.notes;
  target.points = Array<double>(num_points * mesh.dim);
  auto first_inner = static_cast<Index>(numbering.num_shared());
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    target.blocks.push_back(elevate_block(block, topology.blocks[b], numbering, mesh.dim, order, first_inner));
    first_inner += block.num_cells() * num_inner(block.cell, order);
    place_points(mesh, block, target.blocks.back(), target);
  }
  for (std::size_t b = 0; b < mesh.boundary.size(); ++b)
    target.boundary.push_back(elevate_boundary(mesh.boundary[b], topology.boundary[b], topology, target, order));
  return target;
}

}  // namespace millrace
