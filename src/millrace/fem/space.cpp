// Numbers the nodes of a continuous space through vertices, edges and faces.
#include "millrace/fem/space.hpp"
#include "millrace/base/to_size.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "millrace/base/parallel.hpp"
#include "millrace/fem/basis/geometry.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {

/// Nodes of a lattice that are on none of its sides, in their order: segment, triangle or quad.
std::vector<int> inner_nodes(Cell cell, int order) {
  std::vector<int> inner;
  const std::vector<Lattice> all = lattice(cell, order);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto [i, j, k] = all[n];
    const int d = dim(cell);
    bool inside = i > 0 && (d < 2 || j > 0) && (d < 3 || k > 0);
    if (is_tensor(cell))
      inside = inside && i < order && (d < 2 || j < order) && (d < 3 || k < order);
    else
      inside = inside && i + j + k < order;
    if (inside) inner.push_back(static_cast<int>(n));
  }
  return inner;
}

/// For every edge or face of the cell and every way to see it: the cell's nodes inside it, in its own order.
class SideNodes {
 public:
  SideNodes(Cell cell, Cell side, int order, int num_sides, bool edges) : codes_(num_orientations(side)) {
    const std::vector<int> inner = inner_nodes(side, order);
    count_ = static_cast<int>(inner.size());
    for (int s = 0; s < num_sides; ++s) {
      const std::vector<int> local = edges ? edge_nodes(cell, order, s) : face_nodes(cell, order, s);
      for (int code = 0; code < codes_; ++code) {
        const std::vector<int> map = own_to_local_map(side, code, order);
        for (const int own : inner) nodes_.push_back(local[to_size(map[to_size(own)])]);
      }
    }
  }
  int count() const { return count_; }
  const int* nodes(int side, int code) const { return nodes_.data() + to_size((side * codes_ + code) * count_); }

 private:
  int codes_ = 0, count_ = 0;
  std::vector<int> nodes_;  // [num_sides, codes, count]
};

/// Numbers by entity: vertices first, then edges, faces and insides.
Array<Index> number_by_entity(const CellBlock& block, const Topology& topology, int order) {
  const Cell cell = block.cell;
  const BlockTopology& t = topology.blocks.at(0);
  const int nodes = num_nodes(cell, order), edges = num_edges(cell), faces = dim(cell) == 3 ? num_faces(cell) : 0;
  const std::vector<int> corners = vertex_nodes(cell, order), inner = inner_nodes(cell, order);
  const SideNodes edge_side(cell, Cell::segment, order, edges, true);
  const SideNodes face_side(cell, face_cell(cell), order, faces, false);
  const Offset first_edge = topology.num_vertices();
  const Offset first_face = first_edge + Offset{topology.num_edges()} * edge_side.count();
  const Offset first_inner = first_face + (faces > 0 ? Offset{topology.num_faces()} * face_side.count() : 0);
  const Offset total = first_inner + Offset{block.num_cells()} * std::ssize(inner);
  require<Unsupported>(total <= std::numeric_limits<Index>::max(), "space: order ", order, " on ", block.num_cells(),
                       " cells has ", total, " nodes; at most 2^31 - 1 are possible");
  Array<Index> numbers(Offset{block.num_cells()} * nodes);
  parallel_for(default_num_threads(), block.num_cells(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      Index* mine = numbers.data() + e * nodes;
      for (std::size_t v = 0; v < corners.size(); ++v) mine[corners[v]] = t.vertices[to_size(e) * corners.size() + v];
      for (int s = 0; s < edges; ++s) {
        const auto which = to_size(e * edges + s);
        const int* local = edge_side.nodes(s, t.edge_reversed[which] != 0 ? 1 : 0);
        for (int k = 0; k < edge_side.count(); ++k)
          mine[local[k]] = static_cast<Index>(first_edge + Offset{t.edges[which]} * edge_side.count() + k);
      }
      for (int s = 0; s < faces; ++s) {
        const auto which = to_size(e * faces + s);
        const int* local = face_side.nodes(s, t.face_orientations[which]);
        for (int k = 0; k < face_side.count(); ++k)
          mine[local[k]] = static_cast<Index>(first_face + Offset{t.faces[which]} * face_side.count() + k);
      }
      for (std::size_t k = 0; k < inner.size(); ++k)
        mine[inner[k]] = static_cast<Index>(first_inner + e * std::ssize(inner) + static_cast<Offset>(k));
    }
  });
  return numbers;
}

/// The nodes of a cell in the order in which they are numbered: at its corners, inside its edges, inside its faces,
/// inside. At order 2 every edge and face is a turn of its own: it has one node, and neighbouring elements then have
/// neighbours there.
std::vector<std::vector<int>> turns_of_nodes(Cell cell, int order) {
  std::vector<std::vector<int>> turns;
  std::vector<bool> seen(to_size(num_nodes(cell, order)));
  const auto add = [&](bool new_turn, const std::vector<int>& some) {
    if (new_turn) turns.emplace_back();
    for (const int n : some)
      if (!seen[to_size(n)]) seen[to_size(n)] = true, turns.back().push_back(n);
  };
  add(true, vertex_nodes(cell, order));
  for (int s = 0; s < num_edges(cell); ++s) add(s == 0 || order == 2, edge_nodes(cell, order, s));
  for (int s = 0; s < num_faces(cell); ++s) add(s == 0 || order == 2, face_nodes(cell, order, s));
  add(true, inner_nodes(cell, order));
  return turns;
}

/// The same nodes numbered turn by turn, each as they are met: what elements share comes first, and in runs. Gives the
/// element that met each node first.
std::vector<Index> number_by_first_meeting(Array<Index>& numbers, Index num_elem,
                                           const std::vector<std::vector<int>>& turns) {
  const auto all = numbers.span();
  const Index largest = all.empty() ? -1 : *std::max_element(all.begin(), all.end());
  std::size_t nodes = 0;
  for (const std::vector<int>& turn : turns) nodes += turn.size();
  std::vector<Index> new_number(to_size(largest + 1), -1), first;
  first.reserve(new_number.size());
  for (const std::vector<int>& turn : turns)
    for (Index e = 0; e < num_elem; ++e)
      for (const int local : turn) {
        Index& n = all[to_size(e) * nodes + to_size(local)];
        Index& to = new_number[to_size(n)];
        if (to < 0) to = static_cast<Index>(first.size()), first.push_back(e);
        n = to;
      }
  return first;
}

void sort_unique(std::vector<Index>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void find_boundary(Space& space, const Topology& topology) {
  std::map<std::int32_t, std::vector<Index>> by_tag;
  std::vector<std::vector<int>> nodes_of_face;
  for (int f = 0; f < num_faces(space.cell); ++f) nodes_of_face.push_back(face_nodes(space.cell, space.order, f));
  const auto add = [&](Index face, std::int32_t tag, bool outer) {
    const FaceSide& side = topology.face_sides[to_size(face)][0];
    for (const int n : nodes_of_face[to_size(side.face)]) {
      const auto node = static_cast<Index>(space.restriction.entry(side.cell, 0, n));
      by_tag[tag].push_back(node);
      if (outer) space.all_boundary_nodes.push_back(node);
    }
  };
  for (Index face = 0; face < topology.num_faces(); ++face) {
    const std::int32_t tag = topology.face_tags[to_size(face)];
    const bool outer = topology.on_boundary(face);
    if (tag != 0 || outer) add(face, tag, outer);
  }
  for (const FaceTag& more : topology.more_tags) add(more.face, more.tag, false);
  sort_unique(space.all_boundary_nodes);
  for (auto& [tag, nodes] : by_tag) {
    sort_unique(nodes);
    space.boundary.push_back({tag, std::move(nodes)});
  }
}

/// Each node from the element that met it first, so that the bits do not depend on the threads.
void find_places(Space& space, const Mesh& mesh, const CellBlock& block, const std::vector<Index>& met_by) {
  Quadrature nodes;
  nodes.dim = space.dim;
  nodes.points = reference_nodes(space.cell, space.order, NodeKind::fem);
  nodes.weights.assign(nodes.points.size() / to_size(space.dim), 0.0);
  const ElementMap map(block.cell, block.order, nodes);
  space.node_points.resize(to_size(Offset{space.num_nodes} * space.dim));
  parallel_for(default_num_threads(), block.num_cells(), [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> work(to_size(map.work_size()));
    for (auto e = static_cast<Index>(begin); e < end; ++e) {
      const ElementPoints points = map.evaluate(mesh.points.data(), block.nodes_of(e), work.data());
      for (int n = 0; n < points.num_points; ++n) {
        const std::int64_t node = space.restriction.entry(e, 0, n);
        if (met_by[to_size(node)] != e) continue;
        for (int d = 0; d < space.dim; ++d)
          space.node_points[to_size(node * space.dim + d)] = points.places[d * points.num_points + n];
      }
    }
  });
}

}  // namespace

Space make_space(const Mesh& mesh, int order, int comps) {
  const CellBlock& block = mesh.only_block();
  const int highest = is_tensor(block.cell) ? 16 : 8;
  require(order >= 1 && order <= highest, "space: order ", order, " was asked for; orders of a ", name(block.cell),
          " are 1 to ", highest);
  require(comps >= 1, "space: ", comps, " components were asked for; at least 1 is right");
  const Topology topology = make_topology(mesh);
  Space space;
  space.cell = block.cell;
  space.order = order;
  space.dim = mesh.dim;
  Restriction& r = space.restriction;
  r.num_elem = block.num_cells();
  r.nodes = num_nodes(block.cell, order);
  r.comps = comps;
  r.offsets = number_by_entity(block, topology, order);
  const std::vector<Index> met_by = number_by_first_meeting(r.offsets, r.num_elem, turns_of_nodes(block.cell, order));
  space.num_nodes = static_cast<Index>(met_by.size());
  r.comp_stride = space.num_nodes;
  r.num_dofs = std::int64_t{comps} * space.num_nodes;
  find_boundary(space, topology);
  find_places(space, mesh, block, met_by);
  return space;
}

std::vector<Index> boundary_nodes(const Space& space, std::span<const std::int32_t> tags) {
  std::vector<Index> nodes;
  for (const std::int32_t tag : tags) {
    const auto found = std::find_if(space.boundary.begin(), space.boundary.end(),
                                    [&](const TaggedNodes& part) { return part.tag == tag; });
    std::string known;
    for (const TaggedNodes& part : space.boundary) known += join(' ', part.tag);
    require(found != space.boundary.end(), "boundary nodes: no boundary face has the tag ", tag, "; there are:", known);
    nodes.insert(nodes.end(), found->nodes.begin(), found->nodes.end());
  }
  sort_unique(nodes);
  return nodes;
}

}  // namespace millrace
