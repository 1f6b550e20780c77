// Faces are sorted by their middles along a line that is parallel to no usual face; partners are neighbours there.
#include "millrace/mesh/periodic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

constexpr double match_tolerance = 1e-6;  // of the size of a face
constexpr Point sorting_line{0.5257311121191336, 0.6180339887498949, 0.5843448321098812};

double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
Point moved(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

struct GroupFace {
  std::vector<Index> vertices{};  // points of the mesh
  std::vector<Point> corners{};   // their places
  Point middle{};
  double size = 0;  // the longest distance of two corners
  Index number = 0;
  bool matched = false;
  double along() const {
    return middle[0] * sorting_line[0] + middle[1] * sorting_line[1] + middle[2] * sorting_line[2];
  }
};

/// Calls visit(points of the vertices, tag) for all faces of the groups of a mesh.
template <class Visit>
void for_each_face(const Mesh& mesh, const Visit& visit) {
  std::vector<Index> vertices;
  for (const BoundaryBlock& block : mesh.boundary) {
    const std::vector<int> corners = vertex_nodes(block.cell, block.order);
    for (Index f = 0; f < block.num_cells(); ++f) {
      vertices.clear();
      for (const int v : corners) vertices.push_back(block.nodes_of(f)[to_size(v)]);
      visit(vertices, block.tag.data()[f]);
    }
  }
}

std::string side_text(const Mesh& mesh, std::int32_t tag) {
  const std::string_view name = mesh.name_of(mesh.dim - 1, tag);
  return name.empty() ? join("#", tag) : join("'", name, "'");
}

/// Of one group, by their places along the line, moved.
std::vector<GroupFace> faces_of(const Mesh& mesh, std::int32_t tag, const Point& translation) {
  std::vector<GroupFace> faces;
  for_each_face(mesh, [&](const std::vector<Index>& vertices, std::int32_t its_tag) {
    if (its_tag != tag) return;
    GroupFace face{.vertices = vertices, .number = static_cast<Index>(faces.size())};
    for (const Index v : vertices) {
      face.corners.push_back(moved(mesh.point(v), translation));
      for (std::size_t d = 0; d < 3; ++d)
        face.middle[d] += face.corners.back()[d] / static_cast<double>(vertices.size());
    }
    for (const Point& a : face.corners)
      for (const Point& b : face.corners) face.size = std::max(face.size, distance(a, b));
    faces.push_back(std::move(face));
  });
  require(!faces.empty(), "periodic: no boundary face is in group ", side_text(mesh, tag));
  std::sort(faces.begin(), faces.end(), [](const GroupFace& a, const GroupFace& b) { return a.along() < b.along(); });
  return faces;
}

/// The corner of a face that is the nearest to a place.
std::size_t nearest_corner(const GroupFace& face, const Point& place) {
  std::size_t nearest = 0;
  for (std::size_t v = 1; v < face.corners.size(); ++v)
    if (distance(face.corners[v], place) < distance(face.corners[nearest], place)) nearest = v;
  return nearest;
}

/// The largest distance of a corner of one face from the nearest one of the other.
double distance(const GroupFace& a, const GroupFace& b) {
  double largest = 0;
  for (const Point& corner : a.corners)
    largest = std::max(largest, distance(corner, b.corners[nearest_corner(b, corner)]));
  for (const Point& corner : b.corners)
    largest = std::max(largest, distance(corner, a.corners[nearest_corner(a, corner)]));
  return largest;
}

/// The face of a sorted list that lies on a face and is nobody's partner yet; null: none does.
GroupFace* partner_of(const GroupFace& face, std::vector<GroupFace>& sorted) {
  const double off = match_tolerance * face.size;
  auto at = std::lower_bound(sorted.begin(), sorted.end(), face.along() - 2 * off,
                             [](const GroupFace& other, double along) { return other.along() < along; });
  for (; at != sorted.end() && at->along() <= face.along() + 2 * off; ++at)
    if (!at->matched && at->corners.size() == face.corners.size() && distance(face, *at) <= off) return &*at;
  return nullptr;
}

/// The first face, as the mesh has them, without a partner; null: all have one.
const GroupFace* first_alone(const std::vector<GroupFace>& faces) {
  const GroupFace* first = nullptr;
  for (const GroupFace& face : faces)
    if (!face.matched && (!first || face.number < first->number)) first = &face;
  return first;
}

std::string place_text(const Mesh& mesh, const Point& x) {
  return join("(", x[0], ", ", x[1], mesh.dim == 3 ? join(", ", x[2]) : "", ")");
}

/// An Error if a face is alone. `back`: what takes its middle to where it is in the mesh.
void require_partners(const Mesh& mesh, const std::vector<GroupFace>& faces, const std::vector<GroupFace>& others,
                      const std::array<std::int32_t, 2>& tags, const Point& back, const Point& translation) {
  const GroupFace* const alone = first_alone(faces);
  if (!alone) return;
  double nearest = std::numeric_limits<double>::infinity();
  for (const GroupFace& other : others) nearest = std::min(nearest, distance(*alone, other));
  throw Error(join("periodic: face ", alone->number, " of group ", side_text(mesh, tags[0]), " around ",
                   place_text(mesh, moved(alone->middle, back)), ", moved by ", place_text(mesh, translation), ", is ",
                   nearest, " off the nearest face of group ", side_text(mesh, tags[1]),
                   "; the faces of both must match within ", match_tolerance, " of their size"));
}

}  // namespace

Point translation_between(const Mesh& mesh, std::int32_t tag, std::int32_t master) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto middle = [&](std::int32_t wanted) {
    Point low{inf, inf, inf}, high{-inf, -inf, -inf};
    for (const GroupFace& face : faces_of(mesh, wanted, {}))
      for (const Point& x : face.corners)
        for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], x[d]), high[d] = std::max(high[d], x[d]);
    return Point{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
  };
  const Point from = middle(tag), to = middle(master);
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

PeriodicSide match_sides(const Mesh& mesh, std::int32_t tag, std::int32_t master, const Point& translation) {
  require(
      tag != master, "periodic: group ", [&] { return side_text(mesh, tag); },
      " would continue at itself; two groups are needed");
  std::vector<GroupFace> faces = faces_of(mesh, tag, translation), masters = faces_of(mesh, master, {});
  PeriodicSide side;
  for (GroupFace& face : faces) {
    GroupFace* const partner = partner_of(face, masters);
    if (!partner) continue;
    face.matched = partner->matched = true;
    for (std::size_t v = 0; v < face.vertices.size(); ++v)
      side.pairs.push_back({face.vertices[v], partner->vertices[nearest_corner(*partner, face.corners[v])]});
  }
  const Point back{-translation[0], -translation[1], -translation[2]};
  require_partners(mesh, faces, masters, {tag, master}, back, translation);
  require_partners(mesh, masters, faces, {master, tag}, {}, back);
  std::sort(side.pairs.begin(), side.pairs.end());
  side.pairs.erase(std::unique(side.pairs.begin(), side.pairs.end()), side.pairs.end());
  return side;
}

bool touches(const Mesh& mesh, const PeriodicSide& side, std::int32_t tag) {
  std::array<std::vector<char>, 2> has;  // is a point among those of the side, of its master?
  for (auto& points : has) points.assign(to_size(mesh.num_points()), 0);
  for (const auto& pair : side.pairs)
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) has[k][to_size(pair[k])] = 1;
  bool found = false;
  for_each_face(mesh, [&](const std::vector<Index>& vertices, std::int32_t its_tag) {
    for (const auto& points : has)
      found = found || (its_tag == tag && std::all_of(vertices.begin(), vertices.end(),
                                                      [&](Index v) { return points[to_size(v)] != 0; }));
  });
  return found;
}

}  // namespace millrace
