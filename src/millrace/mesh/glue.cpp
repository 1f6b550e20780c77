// Faces are matched by the partners of their vertices, one periodic side after another; so two sides may lie one cell
// apart. Edges and vertices of matched faces are joined, along chains where a corner is in several sides.
#include <numeric>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {

/// Vertices, or edges, that are one; each runs with or against the one that stands for all of them.
class Classes {
 public:
  explicit Classes(Index num) : to_(to_size(num)), against_(to_size(num), 0) { std::iota(to_.begin(), to_.end(), 0); }

  struct Place {
    Index root;
    bool against;
  };
  Place find(Index i) const {
    bool against = false;
    for (; to_[to_size(i)] != i; i = to_[to_size(i)]) against ^= against_[to_size(i)] != 0;
    return {i, against};
  }
  /// False: they are one already, the other way round.
  bool join(Index i, Index master, bool against) {
    const Place a = find(i), b = find(master);
    const bool turned = a.against != b.against;
    if (a.root == b.root) return turned == against;
    to_[to_size(a.root)] = b.root;
    against_[to_size(a.root)] = turned != against;
    return true;
  }
  /// New numbers for the roots, in their order, and for all that are one with them.
  std::vector<Index> numbers() const {
    std::vector<Index> number(to_.size());
    Index next = 0;
    for (Index i = 0; i < static_cast<Index>(to_.size()); ++i)
      if (to_[to_size(i)] == i) number[to_size(i)] = next++;
    for (Index i = 0; i < static_cast<Index>(to_.size()); ++i) number[to_size(i)] = number[to_size(find(i).root)];
    return number;
  }
  bool is_root(Index i) const { return to_[to_size(i)] == i; }

 private:
  std::vector<Index> to_;
  std::vector<char> against_;
};

using Corners = std::array<Index, 4>;

class Glue {
 public:
  Glue(const Mesh& mesh, Topology& topology)
      : mesh_(mesh),
        t_(topology),
        vertices_(t_.num_vertices()),
        edges_(t_.num_edges()),
        faces_(t_.num_faces()),
        glued_(to_size(t_.num_faces()), 0),
        partner_(to_size(t_.num_vertices()), -1),
        is_partner_(to_size(t_.num_vertices()), 0) {}

  void match(std::size_t side) {
    read_pairs(side);
    Index num_glued = 0, alone = -1, left = -1;  // faces: matched, of the side without a partner, of the master
    std::vector<char> found(to_size(t_.num_faces()), 0);
    for (const Index face : t_.boundary_faces) {
      const Index master = face_of_partners(face);
      if (master == -1 || master == face) continue;
      if (master == -2) {
        alone = face;
        continue;
      }
      found[to_size(master)] = 1;
      join(face, master, side);
      ++num_glued;
    }
    const auto is_partner = [&](Index v) { return v < 0 || is_partner_[to_size(v)] != 0; };
    for (const Index face : t_.boundary_faces) {
      const Corners& corners = t_.face_vertices[to_size(face)];
      if (found[to_size(face)] == 0 && std::all_of(corners.begin(), corners.end(), is_partner)) left = face;
    }
    require(
        alone < 0 || left < 0, "periodic side ", side, ": the face with the points ", [&] { return points(alone); },
        " has no face as its partner, the master's face with the points ", [&] { return points(left); },
        " is left over; the faces of both sides must match");
    require(num_glued > 0, "periodic side ", side, ": its pairs of points contain no face of the boundary");
    for (const auto& pair : mesh_.periodic[side].pairs)
      for (const Index v : {t_.vertex_at(pair[0]), t_.vertex_at(pair[1])})
        if (v >= 0) partner_[to_size(v)] = -1, is_partner_[to_size(v)] = 0;
  }

  /// Writes the topology of what is left once.
  void finish() {
    const std::vector<Index> vertex = vertices_.numbers(), edge = edges_.numbers(), face = faces_.numbers();
    for (std::size_t b = 0; b < t_.blocks.size(); ++b) {
      BlockTopology& cells = t_.blocks[b];
      for (Index& v : cells.vertices) v = vertex[to_size(v)];
      for (std::size_t k = 0; k < cells.edges.size(); ++k) {
        cells.edge_reversed[k] ^= static_cast<std::uint8_t>(edges_.find(cells.edges[k]).against);
        cells.edges[k] = edge[to_size(cells.edges[k])];
      }
      for (Index& f : cells.faces) f = face[to_size(f)];
    }
    const auto keep = [](auto& all, const Classes& classes) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (classes.is_root(static_cast<Index>(i))) all[next++] = all[i];
      all.resize(next);
    };
    merge_faces(face);
    keep(t_.vertex_points, vertices_);
    keep(t_.edge_vertices, edges_);
    keep(t_.face_vertices, faces_);
    keep(t_.face_sides, faces_);
    keep(t_.face_tags, faces_);
    for (auto* parts : {&t_.edge_vertices, &t_.face_vertices})
      for (Corners& corners : *parts)
        for (Index& v : corners)
          if (v >= 0) v = vertex[to_size(v)];
    t_.boundary_faces.clear();
    for (Index f = 0; f < t_.num_faces(); ++f)
      if (t_.on_boundary(f)) t_.boundary_faces.push_back(f);
    for (auto& block : t_.boundary)
      for (Index& f : block) f = face[to_size(f)];
  }

 private:
  void read_pairs(std::size_t side) {
    for (const auto& [point, master] : mesh_.periodic[side].pairs) {
      const Index v = t_.vertex_at(point), to = t_.vertex_at(master);
      if (v < 0 || to < 0) continue;  // between vertices
      Index& partner = partner_[to_size(v)];
      require(
          partner < 0 || partner == to, "periodic side ", side, ": point ", point, " has two partners, ",
          [&] { return t_.vertex_points[to_size(partner)]; }, " and ", master);
      require(partner == to || is_partner_[to_size(to)] == 0, "periodic side ", side, ": point ", master,
              " is the partner of two points, one of them ", point);
      partner = to;
      is_partner_[to_size(to)] = 1;
    }
  }

  /// The boundary face at the partners of a face's vertices; -1: some have none; -2: there is no such face.
  Index face_of_partners(Index face) const {
    Corners to = t_.face_vertices[to_size(face)];
    for (Index& v : to)
      if (v >= 0 && (v = partner_[to_size(v)]) < 0) return -1;
    const Index found = find(t_.face_vertices, orient(t_.face_cell(face), to).vertices);
    return found < 0 || !t_.on_boundary(found) ? -2 : found;
  }

  static Index find(const std::vector<Corners>& sorted, const Corners& key) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
    return at == sorted.end() || *at != key ? -1 : static_cast<Index>(at - sorted.begin());
  }

  void join(Index face, Index master, std::size_t side) {
    for (const Index f : {face, master})
      require(
          glued_[to_size(f)]++ == 0, "periodic side ", side, ": the face with the points ", [&] { return points(f); },
          " is glued to two others");
    faces_.join(face, master, false);
    const Corners& corners = t_.face_vertices[to_size(face)];
    const bool quad = corners[3] >= 0;
    const auto at = [&](int k) { return corners[to_size(k)]; };
    for (const Index v : corners)
      if (v >= 0) vertices_.join(v, partner_[to_size(v)], false);
    join_edge(at(0), at(1), side);
    if (corners[2] >= 0) {
      join_edge(at(0), at(2), side);
      join_edge(at(quad ? 2 : 1), at(quad ? 3 : 2), side);
    }
    if (quad) join_edge(at(1), at(3), side);
    // How the cell sees the master's face.
    const FaceSide& seen = t_.face_sides[to_size(face)][0];
    const Cell cell = mesh_.blocks[to_size(seen.block)].cell;
    BlockTopology& cells = t_.blocks[to_size(seen.block)];
    Corners local{-1, -1, -1, -1};
    std::size_t k = 0;
    for (const int v : face_vertices(cell, seen.face))
      local[k++] = partner_[to_size(cells.vertices[to_size(Offset{seen.cell} * num_vertices(cell) + v)])];
    cells.face_orientations[to_size(Offset{seen.cell} * num_faces(cell) + seen.face)] =
        static_cast<std::uint8_t>(orient(face_cell(cell), local).code);
  }

  void join_edge(Index a, Index b, std::size_t side) {
    const auto number = [&](Index v, Index w) {
      return find(t_.edge_vertices, {std::min(v, w), std::max(v, w), -1, -1});
    };
    const Index to_a = partner_[to_size(a)], to_b = partner_[to_size(b)];
    require(edges_.join(number(a, b), number(to_a, to_b), (a > b) != (to_a > to_b)), "periodic side ", side,
            ": the edge between the points ", t_.vertex_points[to_size(a)], " and ", t_.vertex_points[to_size(b)],
            " would be glued to itself the other way round");
  }

  /// Cells and groups of glued faces come to the master's.
  void merge_faces(const std::vector<Index>& number) {
    for (FaceTag& more : t_.more_tags) more.face = number[to_size(more.face)];
    for (Index f = 0; f < t_.num_faces(); ++f) {
      if (faces_.is_root(f)) continue;
      const Index master = faces_.find(f).root;
      t_.face_sides[to_size(master)][1] = t_.face_sides[to_size(f)][0];
      std::int32_t& tag = t_.face_tags[to_size(master)];
      const std::int32_t mine = t_.face_tags[to_size(f)];
      if (tag == 0)
        tag = mine;
      else if (mine != tag && mine != 0)
        t_.more_tags.push_back({number[to_size(f)], mine});
    }
  }

  std::string points(Index face) const {
    std::string text;
    for (const Index v : t_.face_vertices[to_size(face)])
      if (v >= 0) text += millrace::join(text.empty() ? "" : " ", t_.vertex_points[to_size(v)]);
    return text;
  }

  const Mesh& mesh_;
  Topology& t_;
  Classes vertices_, edges_, faces_;
  std::vector<char> glued_;       // [num_faces]
  std::vector<Index> partner_;    // [num_vertices], of the side that is looked at; -1: none
  std::vector<char> is_partner_;  // [num_vertices]
};

}  // namespace

void glue_sides(const Mesh& mesh, Topology& topology) {
  if (mesh.periodic.empty()) return;
  Glue glue(mesh, topology);
  for (std::size_t side = 0; side < mesh.periodic.size(); ++side) glue.match(side);
  glue.finish();
}

}  // namespace millrace
