// Every cell lists its edges (faces) by their vertices; equal ones meet in the bucket of their smallest vertex, where
// a short sort finds them. Time and memory are linear in the mesh.
#include "millrace/mesh/topology.hpp"

#include <algorithm>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

enum class Part { edge, face };

Cell cell_of(Part part, Cell cell) { return part == Part::edge ? Cell::segment : face_cell(cell); }
int count_of(Part part, Cell cell) { return part == Part::edge ? num_edges(cell) : num_faces(cell); }

/// One number for every (block, cell, local edge or face), and back.
class Occurrences {
 public:
  Occurrences(const Mesh& mesh, const std::vector<BlockTopology>& blocks, Part part)
      : mesh_(mesh), blocks_(blocks), part_(part) {
    for (const CellBlock& block : mesh.blocks)
      first_.push_back(first_.back() + static_cast<Offset>(block.num_cells()) * count_of(part, block.cell));
    require<Unsupported>(first_.back() <= INT32_MAX, "topology: the cells have ", first_.back(),
                         " edges or faces, counted once a cell; at most 2^31 - 1 are possible");
  }
  Index count() const { return static_cast<Index>(first_.back()); }
  FaceSide place(Index occurrence) const {
    std::size_t b = 0;
    while (first_[b + 1] <= occurrence) ++b;
    const auto rest = static_cast<Index>(occurrence - first_[b]);
    const int parts = count_of(part_, mesh_.blocks[b].cell);
    return {static_cast<std::int32_t>(b), rest / parts, rest % parts};
  }
  Oriented oriented(Index occurrence) const {
    const FaceSide at = place(occurrence);
    const Cell cell = mesh_.blocks[to_size(at.block)].cell;
    const Index* vertices =
        blocks_[to_size(at.block)].vertices.data() + static_cast<Offset>(at.cell) * num_vertices(cell);
    std::array<Index, 4> local{-1, -1, -1, -1};
    std::size_t k = 0;
    for (const int v : part_ == Part::edge ? edge_vertices(cell, at.face) : face_vertices(cell, at.face))
      local[k++] = vertices[v];
    return orient(cell_of(part_, cell), local);
  }

 private:
  const Mesh& mesh_;
  const std::vector<BlockTopology>& blocks_;
  Part part_;
  std::vector<Offset> first_{0};  // [num_blocks + 1]
};

struct Numbered {
  std::vector<std::array<Index, 4>> vertices;  // of every entity, ascending
  std::vector<Index> number;                   // of every occurrence
  std::vector<std::uint8_t> code;              // of every occurrence
};

Numbered number_parts(const Occurrences& all, Index num_vertices) {
  const int threads = default_num_threads();
  Numbered result{{}, std::vector<Index>(to_size(all.count())), std::vector<std::uint8_t>(to_size(all.count()))};
  std::vector<Index> bucket(to_size(num_vertices) + 1), first(to_size(num_vertices) + 1), sorted(to_size(all.count()));
  parallel_for(threads, all.count(), {.bytes = 128}, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<Index>(begin); k < static_cast<Index>(end); ++k) {
      const Oriented seen = all.oriented(k);
      result.number[to_size(k)] = seen.vertices[0];  // for now: the smallest vertex
      result.code[to_size(k)] = static_cast<std::uint8_t>(seen.code);
    }
  });
  for (const Index smallest : result.number) ++bucket[to_size(smallest) + 1];
  for (std::size_t v = 0; v < to_size(num_vertices); ++v) bucket[v + 1] += bucket[v];
  std::vector<Index> next(bucket.begin(), bucket.end() - 1);
  for (Index k = 0; k < all.count(); ++k) sorted[to_size(next[to_size(result.number[to_size(k)])]++)] = k;

  using Entry = std::pair<std::array<Index, 4>, Index>;
  const auto entries_of = [&](std::size_t vertex, std::vector<Entry>& entries) {
    entries.clear();
    for (Index s = bucket[vertex]; s < bucket[vertex + 1]; ++s)
      entries.emplace_back(all.oriented(sorted[to_size(s)]).vertices, sorted[to_size(s)]);
    std::sort(entries.begin(), entries.end());
  };
  parallel_for(threads, num_vertices, {.bytes = 1024}, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Entry> entries;
    for (auto v = to_size(begin); v < to_size(end); ++v) {
      entries_of(v, entries);
      for (std::size_t k = 0; k < entries.size(); ++k)
        if (k == 0 || entries[k].first != entries[k - 1].first) ++first[v + 1];
    }
  });
  for (std::size_t v = 0; v < to_size(num_vertices); ++v) first[v + 1] += first[v];
  result.vertices.resize(to_size(first.back()));
  parallel_for(threads, num_vertices, {.bytes = 1024}, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Entry> entries;
    for (auto v = to_size(begin); v < to_size(end); ++v) {
      entries_of(v, entries);
      Index number = first[v] - 1;
      for (std::size_t k = 0; k < entries.size(); ++k) {
        if (k == 0 || entries[k].first != entries[k - 1].first) result.vertices[to_size(++number)] = entries[k].first;
        result.number[to_size(entries[k].second)] = number;
      }
    }
  });
  return result;
}

void number_vertices(const Mesh& mesh, Topology& topology) {
  std::vector<Index> number(to_size(mesh.num_points()), -1);
  for (const CellBlock& block : mesh.blocks) {
    const auto corners = vertex_nodes(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c)
      for (const int v : corners) number[to_size(block.nodes_of(c)[to_size(v)])] = 0;
  }
  for (Index p = 0; p < mesh.num_points(); ++p)
    if (number[to_size(p)] == 0) {
      number[to_size(p)] = topology.num_vertices();
      topology.vertex_points.push_back(p);
    }
  for (const CellBlock& block : mesh.blocks) {
    BlockTopology& cells = topology.blocks.emplace_back();
    const auto corners = vertex_nodes(block.cell, block.order);
    cells.vertices.reserve(to_size(block.num_cells()) * corners.size());
    for (Index c = 0; c < block.num_cells(); ++c) {
      for (const int v : corners) cells.vertices.push_back(number[to_size(block.nodes_of(c)[to_size(v)])]);
      const Index* mine = cells.vertices.data() + std::ssize(cells.vertices) - std::ssize(corners);
      for (std::size_t v = 1; v < corners.size(); ++v)
        require(std::find(mine, mine + v, mine[v]) == mine + v, "topology: ", name(block.cell), " ", c,
                " has a vertex twice");
    }
  }
}

std::string list_points(const Topology& topology, const std::array<Index, 4>& vertices) {
  std::string text;
  for (const Index v : vertices)
    if (v >= 0) text += join(text.empty() ? "" : " ", topology.vertex_points[to_size(v)]);
  return text;
}

void join_sides(const Occurrences& all, const Numbered& faces, Topology& topology) {
  topology.face_sides.resize(to_size(topology.num_faces()));
  for (Index k = 0; k < all.count(); ++k) {
    auto& sides = topology.face_sides[to_size(faces.number[to_size(k)])];
    require(
        !sides[1].exists(), "topology: the face with the points ",
        [&] { return list_points(topology, topology.face_vertices[to_size(faces.number[to_size(k)])]); },
        " belongs to more than two cells");
    sides[sides[0].exists() ? 1 : 0] = all.place(k);
  }
  for (Index f = 0; f < topology.num_faces(); ++f)
    if (topology.on_boundary(f)) topology.boundary_faces.push_back(f);
}

void tag_faces(const Mesh& mesh, Topology& topology) {
  topology.face_tags.assign(to_size(topology.num_faces()), 0);
  for (const BoundaryBlock& block : mesh.boundary) {
    auto& numbers = topology.boundary.emplace_back();
    const auto corners = vertex_nodes(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c) {
      std::array<Index, 4> local{-1, -1, -1, -1};
      for (std::size_t k = 0; k < corners.size(); ++k) {
        const Index p = block.nodes_of(c)[to_size(corners[k])];
        const Index vertex = topology.vertex_at(p);
        local[k] = vertex < 0 ? INT32_MAX : vertex;
      }
      const auto key = orient(block.cell, local).vertices;
      const auto at = std::lower_bound(topology.face_vertices.begin(), topology.face_vertices.end(), key);
      require(at != topology.face_vertices.end() && *at == key, "topology: boundary ", name(block.cell), " ", c,
              " with the tag ", block.tag.data()[c], " is no face of a cell");
      numbers.push_back(static_cast<Index>(at - topology.face_vertices.begin()));
      auto& tag = topology.face_tags[to_size(numbers.back())];
      const std::int32_t given = block.tag.data()[c];
      if (tag == 0)
        tag = given;
      else if (given != tag && given != 0)
        topology.more_tags.push_back({numbers.back(), given});
    }
  }
}

}  // namespace

std::vector<FaceTag> Topology::tagged_faces() const {
  std::vector<FaceTag> found;
  for (Index face = 0; face < num_faces(); ++face)
    if (const std::int32_t tag = face_tags[to_size(face)]; tag != 0 || on_boundary(face)) found.push_back({face, tag});
  found.insert(found.end(), more_tags.begin(), more_tags.end());
  return found;
}

Topology make_topology(const Mesh& mesh, PeriodicSides sides) {
  Topology topology;
  topology.dim = mesh.dim;
  number_vertices(mesh, topology);
  for (const Part part : {Part::edge, Part::face}) {
    const Occurrences all(mesh, topology.blocks, part);
    Numbered parts = number_parts(all, topology.num_vertices());
    auto number = parts.number.begin();
    auto code = parts.code.begin();
    for (std::size_t b = 0; b < topology.blocks.size(); ++b) {
      BlockTopology& cells = topology.blocks[b];
      const auto n = static_cast<Offset>(mesh.blocks[b].num_cells()) * count_of(part, mesh.blocks[b].cell);
      (part == Part::edge ? cells.edges : cells.faces).assign(number, number + n);
      (part == Part::edge ? cells.edge_reversed : cells.face_orientations).assign(code, code + n);
      number += n;
      code += n;
    }
    (part == Part::edge ? topology.edge_vertices : topology.face_vertices) = std::move(parts.vertices);
    if (part == Part::face) join_sides(all, parts, topology);
  }
  tag_faces(mesh, topology);
  if (sides == PeriodicSides::glued) glue_sides(mesh, topology);
  return topology;
}

}  // namespace millrace
