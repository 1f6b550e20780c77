// Chooses the faces of groups, finds their geometry, and adds boundary loads.
#include "millrace/fem/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "millrace/base/sort_unique.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/element/shared_nodes.hpp"
#include "millrace/fem/quadrature.hpp"
#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/topology.hpp"
#include "millrace/solve/identity.hpp"

namespace millrace {
namespace {

/// The topology that was given, or one that is made.
const Topology& topology_of(const Mesh& mesh, const Space& space, const BoundaryOptions& options,
                            std::optional<Topology>& made) {
  if (!options.topology) return made.emplace(make_topology(mesh, space.sides));
  require(options.topology->dim == mesh.dim && options.topology->blocks.size() == mesh.blocks.size(),
          "boundary: the topology is of another mesh");
  return *options.topology;
}

/// The faces of these groups, ascending.
std::vector<Index> choose_faces(const Mesh& mesh, const Topology& topology, const Groups& groups) {
  const int face_dim = mesh.dim - 1;
  require(!groups.empty(), "boundary: no group was named; for all of the boundary there is make_whole_boundary");
  const std::vector<std::int32_t> asked = groups.tags(mesh, face_dim);
  std::vector<std::int32_t> known;
  std::vector<Index> faces;
  for (const auto& [face, tag] : topology.tagged_faces()) {
    known.push_back(tag);
    if (!std::binary_search(asked.begin(), asked.end(), tag)) continue;
    require<Unsupported>(
        topology.on_boundary(face), "boundary: a face of the group ",
        [&, group = tag] { return list_groups(mesh, face_dim, {group}); },
        " lies between two cells, where no side is outside; integrals are over faces with one cell");
    faces.push_back(face);
  }
  sort_unique(known);
  sort_unique(faces);
  for (const std::int32_t tag : asked)
    require(std::binary_search(known.begin(), known.end(), tag), "boundary: no face has the tag ", tag,
            "; groups of faces are: ", [&] { return list_groups(mesh, face_dim, known); });
  return faces;
}

Quadrature make_face_rule(Cell face, int degree) {
  return is_tensor(face) ? tensor(gauss(degree / 2 + 1), dim(face)) : simplex_rule(dim(face), degree);
}

/// The vector that is normal to both tangents, (t_y, -t_x) in the plane; its length is the area that the map makes.
Point normal_of(const Jacobian& j, int dim) {
  if (dim == 2) return {j[1][0], -j[0][0], 0};
  return {j[1][0] * j[2][1] - j[2][0] * j[1][1], j[2][0] * j[0][1] - j[0][0] * j[2][1],
          j[0][0] * j[1][1] - j[1][0] * j[0][1]};
}

/// The nodes of every face among those of its cell, in the space and in the mesh, and the map of a face.
struct FaceTables {
  std::vector<std::vector<int>> space, mesh;  // [faces of a cell]
  GeometryTable geometry;

  FaceTables(const CellBlock& block, int order, std::span<const Point> points)
      : geometry(tabulate_geometry(face_cell(block.cell), block.order, points)) {
    for (int f = 0; f < num_faces(block.cell); ++f) {
      space.push_back(face_nodes(block.cell, order, f));
      mesh.push_back(face_nodes(block.cell, block.order, f));
    }
  }
};

Boundary gather_faces(const Mesh& mesh, const Space& space, const Topology& topology, const std::vector<Index>& faces,
                      const BoundaryOptions& options) {
  check_same_cells("boundary", mesh, space);
  Boundary b;
  b.face = mesh.blocks.empty() ? Cell::segment : face_cell(mesh.blocks[0].cell);  // blocks that meet agree in it
  b.dim = mesh.dim;
  b.num_faces = static_cast<Index>(faces.size());
  b.num_nodes = num_nodes(b.face, space.order);
  b.comps = space.comps;
  b.comp_stride = space.num_nodes;
  b.num_dofs = space.num_dofs();
  const Quadrature rule = make_face_rule(b.face, options.degree < 0 ? 2 * space.order + 2 : options.degree);
  b.num_points = rule.size();
  b.values = tabulate_nodes(b.face, space.order, NodeKind::fem, rule.points).values;
  std::vector<Point> points(to_size(b.num_points));
  for (int q = 0; q < b.num_points; ++q) std::copy_n(rule.point(q), rule.dim, points[to_size(q)].begin());
  std::vector<FaceTables> tables;  // of every block
  for (const CellBlock& block : mesh.blocks) tables.emplace_back(block, space.order, points);
  std::vector<Index> mine;
  for (const Index face : faces) {
    const FaceSide& side = topology.face_sides[to_size(face)][0];
    const CellBlock& block = mesh.blocks[to_size(side.block)];
    const FaceTables& of = tables[to_size(side.block)];
    const Restriction& restriction = space.blocks[to_size(side.block)].restriction;
    for (const int n : of.space[to_size(side.face)])
      b.nodes.push_back(static_cast<Index>(restriction.entry(side.cell, 0, n)));
    mine.clear();
    for (const int n : of.mesh[to_size(side.face)]) mine.push_back(block.nodes_of(side.cell)[to_size(n)]);
    for (int q = 0; q < b.num_points; ++q) {
      const Point x = map_point(mesh, mine, of.geometry, q);
      Point normal = normal_of(jacobian(mesh, mine, of.geometry, q), mesh.dim);
      const double area = std::hypot(normal[0], normal[1], normal[2]);
      require(area > 0, "boundary: face ", side.face, " of ", name(block.cell), ' ', side.cell, " has no area");
      for (double& a : normal) a *= face_sign(block.cell, side.face) / area;
      b.places.insert(b.places.end(), x.begin(), x.begin() + mesh.dim);
      b.normals.insert(b.normals.end(), normal.begin(), normal.begin() + mesh.dim);
      b.weights.push_back(rule.weights[to_size(q)] * area);
    }
  }
  LocalSharedNodes all{b.num_nodes, {}};
  for (Index n = 0; n < b.num_nodes; ++n) all.number.push_back(n);
  b.sums = find_shared_nodes(b.nodes, b.num_faces, all, space.num_nodes);
  return b;
}

}  // namespace

Boundary make_boundary(const Mesh& mesh, const Space& space, const Groups& groups, const BoundaryOptions& options) {
  std::optional<Topology> made;
  const Topology& topology = topology_of(mesh, space, options, made);
  return gather_faces(mesh, space, topology, choose_faces(mesh, topology, groups), options);
}

Boundary make_whole_boundary(const Mesh& mesh, const Space& space, const BoundaryOptions& options) {
  std::optional<Topology> made;
  const Topology& topology = topology_of(mesh, space, options, made);
  return gather_faces(mesh, space, topology, topology.boundary_faces, options);
}

template <class T>
void add_boundary_load(Queue& queue, const Boundary& boundary, const PlaceFunction& h,
                       std::type_identity_t<Vectors<T>> b) {
  require(
      h.has_comps(boundary.comps), "boundary load: it has ", [&] { return comps_text(h.min_comps(), h.max_comps()); },
      ", the space ", boundary.comps);
  require(b.size == boundary.num_dofs && b.num == 1, "boundary load: needs one vector of ", boundary.num_dofs,
          " entries; this is ", b.num, " of ", b.size);
  require(
      b.device == queue.device(), "boundary load: the vector is on ", [&] { return to_string(b.device); },
      ", the queue on ", [&] { return to_string(queue.device()); }, "; both must be on one device");
  const int nodes = boundary.num_nodes, points = boundary.num_points, comps = boundary.comps;
  std::vector<double> vectors(to_size(Offset{comps} * boundary.num_faces * nodes));  // [comps, num_faces, nodes]
  const int threads = b.device.on_host() ? queue.num_threads() : default_num_threads();
  parallel(std::clamp<int>(boundary.num_faces / 64, 1, threads), [&](int thread, int count) {
    std::vector<double> value(to_size(std::max(comps, h.max_comps())));
    const auto [begin, end] = even_part(boundary.num_faces, thread, count);
    for (auto f = static_cast<Index>(begin); f < end; ++f)
      for (int q = 0; q < points; ++q) {
        h.evaluate(boundary.place(f, q), boundary.normal(f, q), value.data());
        const double weight = boundary.weights[to_size(Offset{f} * points + q)];
        for (int c = 0; c < comps; ++c) {
          double* to = vectors.data() + (Offset{c} * boundary.num_faces + f) * nodes;
          for (int n = 0; n < nodes; ++n) to[n] += weight * value[to_size(c)] * boundary.values[to_size(q * nodes + n)];
        }
      }
  });
  Array<T> made;
  if (!b.device.on_host()) made = Array<T>(b.size, T{0});
  T* to = b.device.on_host() ? b.data : made.data();
  const SharedNodes& sums = boundary.sums;
  for (int c = 0; c < comps; ++c)
    for (std::int64_t k = 0; k < sums.nodes.size(); ++k) {
      double sum = 0;
      for (Index i = sums.first.data()[k]; i < sums.first.data()[k + 1]; ++i)
        sum += vectors[to_size(Offset{c} * boundary.num_faces * nodes + sums.contributions.data()[i])];
      to[sums.nodes.data()[k] + c * boundary.comp_stride] += static_cast<T>(sum);
    }
  if (b.device.on_host()) return;
  const Array<T> there = made.to(b.device);
  Identity<T>(b.size, b.device).apply(queue, {.x = there, .beta = T{1}, .y = b});
  queue.wait();
}

template void add_boundary_load<float>(Queue&, const Boundary&, const PlaceFunction&, Vectors<float>);
template void add_boundary_load<double>(Queue&, const Boundary&, const PlaceFunction&, Vectors<double>);

}  // namespace millrace
