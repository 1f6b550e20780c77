// Numbers the nodes of a continuous space through vertices, edges and faces.
#include "millrace/fem/space.hpp"
#include "millrace/base/sort_unique.hpp"
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

/// Numbers by entity: vertices first, then edges, faces and insides; for every block [num_cells, nodes].
class EntityNumbers {
 public:
  EntityNumbers(const Mesh& mesh, const Topology& topology, int order)
      : mesh_(mesh), topology_(topology), order_(order), first_edge_(topology.num_vertices()) {
    first_face_ = first_edge_ + Offset{topology.num_edges()} * count_inside(Cell::segment);
    Offset next = first_face_;
    if (mesh.dim == 3 && topology.num_faces() > 0)
      next += Offset{topology.num_faces()} * count_inside(topology.face_cell(0));  // all have one shape
    for (const CellBlock& block : mesh.blocks) {
      first_inner_.push_back(next);
      next += Offset{block.num_cells()} * count_inside(block.cell);
    }
    require<Unsupported>(next <= std::numeric_limits<Index>::max(), "space: order ", order, " on ", mesh.num_cells(),
                         " cells has ", next, " nodes; at most 2^31 - 1 are possible");
  }

  Array<Index> of_block(std::size_t b) const {
    const CellBlock& block = mesh_.blocks[b];
    const BlockTopology& t = topology_.blocks[b];
    const Cell cell = block.cell;
    const int nodes = num_nodes(cell, order_), edges = num_edges(cell), faces = dim(cell) == 3 ? num_faces(cell) : 0;
    const std::vector<int> corners = vertex_nodes(cell, order_), inner = inner_nodes(cell, order_);
    const SideNodes edge_side(cell, Cell::segment, order_, edges, true);
    const SideNodes face_side(cell, face_cell(cell), order_, faces, false);
    Array<Index> numbers(Offset{block.num_cells()} * nodes);
    const Work each{.bytes = 16 * nodes};
    parallel_for(default_num_threads(), block.num_cells(), each, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e) {
        Index* mine = numbers.data() + e * nodes;
        for (std::size_t v = 0; v < corners.size(); ++v) mine[corners[v]] = t.vertices[to_size(e) * corners.size() + v];
        for (int s = 0; s < edges; ++s) {
          const auto which = to_size(e * edges + s);
          const int* local = edge_side.nodes(s, t.edge_reversed[which] != 0 ? 1 : 0);
          for (int k = 0; k < edge_side.count(); ++k)
            mine[local[k]] = static_cast<Index>(first_edge_ + Offset{t.edges[which]} * edge_side.count() + k);
        }
        for (int s = 0; s < faces; ++s) {
          const auto which = to_size(e * faces + s);
          const int* local = face_side.nodes(s, t.face_orientations[which]);
          for (int k = 0; k < face_side.count(); ++k)
            mine[local[k]] = static_cast<Index>(first_face_ + Offset{t.faces[which]} * face_side.count() + k);
        }
        for (std::size_t k = 0; k < inner.size(); ++k)
          mine[inner[k]] = static_cast<Index>(first_inner_[b] + e * std::ssize(inner) + static_cast<Offset>(k));
      }
    });
    return numbers;
  }

 private:
  Offset count_inside(Cell cell) const { return std::ssize(inner_nodes(cell, order_)); }

  const Mesh& mesh_;
  const Topology& topology_;
  int order_;
  Offset first_edge_ = 0, first_face_ = 0;
  std::vector<Offset> first_inner_;  // [num_blocks]
};

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

/// Who met a node first.
struct Meeting {
  std::int32_t block;
  Index elem;
  friend bool operator==(const Meeting&, const Meeting&) = default;
};

/// The same nodes numbered turn by turn, each as they are met: what elements share comes first, and in runs; the
/// insides of all elements come last. Gives the element that met each node first.
std::vector<Meeting> number_by_first_meeting(std::vector<SpaceBlock>& blocks, int order) {
  Index largest = -1;
  std::vector<std::vector<std::vector<int>>> turns;  // of each block
  std::size_t most = 0;
  for (const SpaceBlock& block : blocks) {
    for (const Index n : block.restriction.offsets.span()) largest = std::max(largest, n);
    turns.push_back(turns_of_nodes(block.cell, order));
    most = std::max(most, turns.back().size());
  }
  std::vector<Index> new_number(to_size(largest + 1), -1);
  std::vector<Meeting> first;
  first.reserve(new_number.size());
  const auto meet = [&](std::size_t b, const std::vector<int>& turn) {
    Restriction& r = blocks[b].restriction;
    const auto all = r.offsets.span();
    for (Index e = 0; e < r.num_elem; ++e)
      for (const int local : turn) {
        Index& n = all[to_size(Offset{e} * r.nodes + local)];
        Index& to = new_number[to_size(n)];
        if (to < 0) to = static_cast<Index>(first.size()), first.push_back({static_cast<std::int32_t>(b), e});
        n = to;
      }
  };
  for (std::size_t turn = 0; turn + 1 < most; ++turn)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (turn + 1 < turns[b].size()) meet(b, turns[b][turn]);
  for (std::size_t b = 0; b < blocks.size(); ++b) meet(b, turns[b].back());
  return first;
}

void find_boundary(Space& space, const Topology& topology) {
  std::map<std::int32_t, std::vector<Index>> by_tag;
  std::vector<std::vector<std::vector<int>>> nodes_of_face;  // [num_blocks][num_faces]
  for (const SpaceBlock& block : space.blocks) {
    auto& faces = nodes_of_face.emplace_back();
    for (int f = 0; f < num_faces(block.cell); ++f) faces.push_back(face_nodes(block.cell, space.order, f));
  }
  const auto add = [&](Index face, std::int32_t tag, bool outer) {
    const FaceSide& side = topology.face_sides[to_size(face)][0];
    const Restriction& elements = space.blocks[to_size(side.block)].restriction;
    for (const int n : nodes_of_face[to_size(side.block)][to_size(side.face)]) {
      const auto node = static_cast<Index>(elements.entry(side.cell, 0, n));
      by_tag[tag].push_back(node);
      if (outer) space.all_boundary_nodes.push_back(node);
    }
  };
  for (const auto& [face, tag] : topology.tagged_faces()) add(face, tag, topology.on_boundary(face));
  sort_unique(space.all_boundary_nodes);
  for (auto& [tag, nodes] : by_tag) {
    sort_unique(nodes);
    space.boundary.push_back({tag, std::move(nodes)});
  }
}

/// Each node from the element that met it first, so that the bits do not depend on the threads.
void find_places(Space& space, const Mesh& mesh, std::int32_t b, const std::vector<Meeting>& met_by) {
  const CellBlock& block = mesh.blocks[to_size(b)];
  const Restriction& elements = space.blocks[to_size(b)].restriction;
  Quadrature nodes;
  nodes.dim = space.dim;
  nodes.points = reference_nodes(block.cell, space.order, NodeKind::fem);
  nodes.weights.assign(nodes.points.size() / to_size(space.dim), 0.0);
  const ElementMap map(block.cell, block.order, nodes);
  const Work each{.flops = map.work_size()};
  parallel_for(default_num_threads(), block.num_cells(), each, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> work(to_size(map.work_size()));
    for (auto e = static_cast<Index>(begin); e < end; ++e) {
      const ElementPoints points = map.evaluate(mesh.points.data(), block.nodes_of(e), work.data());
      for (int n = 0; n < points.num_points; ++n) {
        const std::int64_t node = elements.entry(e, 0, n);
        if (met_by[to_size(node)] != Meeting{b, e}) continue;
        for (int d = 0; d < space.dim; ++d)
          space.node_points[to_size(node * space.dim + d)] = points.places[d * points.num_points + n];
      }
    }
  });
}

void check_cells(const Mesh& mesh, int order) {
  bool tets = false, hexes = false;
  for (const CellBlock& block : mesh.blocks) {
    const int highest = is_tensor(block.cell) ? 16 : 8;
    require(order >= 1 && order <= highest, "space: order ", order, " was asked for; orders of a ", name(block.cell),
            " are 1 to ", highest);
    tets = tets || block.cell == Cell::tet;
    hexes = hexes || block.cell == Cell::hex;
  }
  require<Unsupported>(
      !(tets && hexes), "space: the mesh has ", [&] { return mesh.description(); },
      "; tets and hexes share no faces, and the pyramids between them are missing here; accepted are tets, hexes, and "
      "in "
      "the plane triangles with quads");
  require(!mesh.blocks.empty(), "space: the mesh has no cells");
}

/// Kernels add an element to its nodes one by one; a node that it has twice would lose its products with itself.
void check_images_apart(const Mesh& mesh, const Topology& topology) {
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    const auto corners = to_size(num_vertices(block.cell));
    for (Index c = 0; c < block.num_cells(); ++c) {
      const Index* mine = topology.blocks[b].vertices.data() + to_size(c) * corners;
      for (std::size_t v = 1; v < corners; ++v)
        require<Unsupported>(std::find(mine, mine + v, mine[v]) == mine + v, "space: ", name(block.cell), " ", c,
                             " reaches from a periodic side to its image; at least 2 cells are needed between them");
    }
  }
}

}  // namespace

Space make_space(const Mesh& mesh, int order, int comps, PeriodicSides sides) {
  check_cells(mesh, order);
  require(comps >= 1, "space: ", comps, " components were asked for; at least 1 is right");
  const Topology topology = make_topology(mesh, sides);
  if (sides == PeriodicSides::glued && !mesh.periodic.empty()) check_images_apart(mesh, topology);
  Space space;
  space.order = order;
  space.dim = mesh.dim;
  space.comps = comps;
  space.sides = sides;
  const EntityNumbers numbers(mesh, topology, order);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    Restriction& r = space.blocks.emplace_back(SpaceBlock{block.cell, {}}).restriction;
    r.num_elem = block.num_cells();
    r.nodes = num_nodes(block.cell, order);
    r.comps = comps;
    r.offsets = numbers.of_block(b);
  }
  const std::vector<Meeting> met_by = number_by_first_meeting(space.blocks, order);
  space.num_nodes = static_cast<Index>(met_by.size());
  for (SpaceBlock& block : space.blocks) {
    block.restriction.comp_stride = space.num_nodes;
    block.restriction.num_dofs = space.num_dofs();
  }
  find_boundary(space, topology);
  space.node_points.resize(to_size(Offset{space.num_nodes} * space.dim));
  for (std::int32_t b = 0; b < std::ssize(mesh.blocks); ++b) find_places(space, mesh, b, met_by);
  return space;
}

const SpaceBlock& Space::only_block() const {
  require<Unsupported>(
      blocks.size() == 1, "this needs a space with one kind of element; this one has ",
      [&] {
        std::string text;
        for (const SpaceBlock& b : blocks)
          text += join(text.empty() ? "" : " and ", b.restriction.num_elem, ' ', name(b.cell));
        return text;
      },
      " elements; name a block (ElementOptions::block), or add up all of them (make_element_sum)");
  return blocks.front();
}

const SpaceBlock& Space::block(int number) const {
  if (number == -1) return only_block();
  require(number >= 0 && number < std::ssize(blocks), "space: block ", number, " was asked for; there are 0 to ",
          std::ssize(blocks) - 1);
  return blocks[to_size(number)];
}

void check_same_cells(std::string_view who, const Mesh& mesh, const Space& space) {
  bool same = space.blocks.size() == mesh.blocks.size();
  for (std::size_t b = 0; same && b < mesh.blocks.size(); ++b)
    same = space.blocks[b].cell == mesh.blocks[b].cell &&
           space.blocks[b].restriction.num_elem == mesh.blocks[b].num_cells();
  const auto elements = [&] {
    std::string text;
    for (const SpaceBlock& block : space.blocks)
      text += join(text.empty() ? "" : ", ", block.restriction.num_elem, ' ', name(block.cell), " elements");
    return text;
  };
  require(
      same, who, ": the space has ", elements, ", the mesh ", [&] { return mesh.description(); },
      "; make the space on this mesh");
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
