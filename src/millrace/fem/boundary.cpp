// Chooses the faces of groups, finds their geometry, and adds boundary loads.
#include "millrace/fem/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/element/shared_nodes.hpp"
#include "millrace/fem/integral/choose.hpp"
#include "millrace/fem/integral/face_map.hpp"
#include "millrace/fem/integral/rules.hpp"
#include "millrace/fem/quadrature.hpp"
#include "millrace/solve/identity.hpp"

namespace millrace {
namespace {

Quadrature make_face_rule(Cell face, int degree) {
  return is_tensor(face) ? tensor(gauss(degree / 2 + 1), dim(face)) : simplex_rule(dim(face), degree);
}

/// The faces of the cells of a block: their maps, and their nodes among those of the cell.
struct BlockFaces {
  std::vector<detail::FaceMap> maps;    // [faces of a cell]
  std::vector<std::vector<int>> nodes;  // [faces of a cell]: of the space

  BlockFaces(const CellBlock& block, int order, const Quadrature& rule) {
    for (int f = 0; f < num_faces(block.cell); ++f) {
      maps.emplace_back(block, f, rule);
      nodes.push_back(face_nodes(block.cell, order, f));
    }
  }
};

/// `groups` is empty: the whole boundary.
Boundary gather_faces(const Mesh& mesh, const Space& space, const Groups& groups, const BoundaryOptions& options) {
  check_same_cells("boundary", mesh, space);
  std::optional<Topology> made;
  const Topology& topology = detail::choose_topology("boundary", mesh, space.sides, options.topology, made);
  const std::vector<detail::ChosenFace> faces =
      detail::choose_faces("boundary", mesh, topology, groups, detail::FacesBetween::refused);
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
  std::vector<BlockFaces> blocks;
  for (const CellBlock& block : mesh.blocks) blocks.emplace_back(block, space.order, rule);
  std::vector<double> work;
  for (const auto& [face, number] : faces) {
    const FaceSide& side = topology.face_sides[to_size(face)][to_size(number)];
    const CellBlock& block = mesh.blocks[to_size(side.block)];
    const BlockFaces& of = blocks[to_size(side.block)];
    const detail::FaceMap& map = of.maps[to_size(side.face)];
    const Restriction& restriction = space.blocks[to_size(side.block)].restriction;
    for (const int n : of.nodes[to_size(side.face)])
      b.nodes.push_back(static_cast<Index>(restriction.entry(side.cell, 0, n)));
    work.resize(to_size(map.map.work_size()));
    const ElementPoints at = map.map.evaluate(mesh.points.data(), block.nodes_of(side.cell), work.data());
    for (int q = 0; q < b.num_points; ++q) {
      const Point normal = map.normal(detail::jacobian_at(at, mesh.dim, q), mesh.dim);
      const double area = std::hypot(normal[0], normal[1], normal[2]);
      require(area > 0, "boundary: face ", side.face, " of ", name(block.cell), ' ', side.cell, " has no area");
      for (int d = 0; d < mesh.dim; ++d) {
        b.places.push_back(at.places[d * b.num_points + q]);
        b.normals.push_back(normal[to_size(d)] / area);
      }
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
  require(!groups.empty(), "boundary: no group was named; for all of the boundary there is make_whole_boundary");
  return gather_faces(mesh, space, groups, options);
}

Boundary make_whole_boundary(const Mesh& mesh, const Space& space, const BoundaryOptions& options) {
  return gather_faces(mesh, space, {}, options);
}

template <class T>
void add_boundary_load(Queue& queue, const Boundary& boundary, const PlaceFunction& h,
                       std::type_identity_t<Vectors<T>> b) {
  const ThreadLimit limit(queue);
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
  parallel(threads_for(threads, boundary.num_faces, {.flops = 256}), [&](int thread, int count) {
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
