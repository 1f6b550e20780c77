// Integrals over boundary faces: each face through its cell, whose functions have gradients there.
#include <algorithm>
#include <cmath>
#include <optional>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/point_functions.hpp"
#include "millrace/fem/integral/choose.hpp"
#include "millrace/fem/integral/face_map.hpp"
#include "millrace/fem/integral/rules.hpp"
#include "millrace/mesh/places/inverse_map.hpp"

namespace millrace {
namespace {

/// The rule of a cell's faces: that of the cell, with one coordinate less.
Quadrature face_rule(Cell cell, int order, const Points& asked) {
  const Points points = detail::integral_points(cell, order, asked);
  const Cell face = face_cell(cell);
  if (face == Cell::triangle) return simplex_rule(2, points.degree);
  const int num = is_tensor(cell) ? points.num : points.degree / 2 + 1;
  return tensor(points.rule == Points::Rule::gauss_lobatto ? gauss_lobatto(num) : gauss(num), dim(face));
}

/// One local face of the cells of a block, and a field's functions at its points.
struct FieldOnFace : detail::FaceMap {
  std::vector<detail::PointTable> functions;  // [points]; none without a field

  FieldOnFace(const CellBlock& block, int face, const Quadrature& rule, const PointFunctions* of_field)
      : FaceMap(block, face, rule) {
    if (!of_field) return;
    functions.resize(to_size(rule.size()));
    for (int q = 0; q < rule.size(); ++q) of_field->fill(inside.point(q), functions[to_size(q)]);
  }
};

/// One block of cells, with a field or without.
class FaceIntegral {
 public:
  /// first: the number of its first cell, counted over all blocks.
  FaceIntegral(const Mesh& mesh, int number, Index first, const FieldView* field, const IntegralOptions& options)
      : mesh_(mesh),
        number_(number),
        first_(first),
        block_(mesh.blocks[to_size(number)]),
        field_(field),
        comps_(field ? field->comps() : 0) {
    if (field) functions_.emplace(block_.cell, field->space().order);
    const int order = field ? field->space().order : detail::order_without_field;
    const Quadrature rule = face_rule(block_.cell, order, options.points);
    for (int f = 0; f < num_faces(block_.cell); ++f)
      tables_.emplace_back(block_, f, rule, functions_ ? &*functions_ : nullptr);
  }

  /// Work space of one thread.
  struct Work {
    std::vector<double> map, unknowns, coefficients, values, gradients, density;
    Work(const FaceIntegral& of, int num)
        : map(to_size(of.tables_[0].map.work_size())),
          unknowns(of.field_ ? to_size(of.comps_ * of.functions_->num_nodes()) : 0),
          coefficients(unknowns.size()),
          values(to_size(of.comps_)),
          gradients(to_size(of.comps_ * of.mesh_.dim)),
          density(to_size(num)) {}
  };

  /// sums [num]. False where the cell's map is inverted.
  bool add(const FaceSide& side, const Functionals& f, Work& work, double* sums) const {
    const FieldOnFace& table = tables_[to_size(side.face)];
    const int dims = mesh_.dim, nodes = field_ ? functions_->num_nodes() : 0;
    const ElementPoints points = table.map.evaluate(mesh_.points.data(), block_.nodes_of(side.cell), work.map.data());
    if (field_) field_->gather(number_, side.cell, work.unknowns.data());
    for (int c = 0; c < comps_; ++c)
      functions_->prepare(work.unknowns.data() + c * nodes, work.coefficients.data() + c * nodes);
    FieldPoint point{{}, work.values, work.gradients, {}, first_ + side.cell, block_.tag.data()[side.cell]};
    for (int q = 0; q < points.num_points; ++q) {
      const Jacobian j = detail::jacobian_at(points, dims, q);
      if (!(determinant(j, dims) > 0)) return false;
      const Jacobian back = comps_ > 0 ? *detail::inverse(j, dims) : Jacobian{};
      point.normal = table.normal(j, dims);
      const double area = std::hypot(point.normal[0], point.normal[1], point.normal[2]);
      for (double& n : point.normal) n /= area;
      for (int d = 0; d < dims; ++d) point.x[to_size(d)] = points.places[d * points.num_points + q];
      for (int c = 0; c < comps_; ++c) {
        const detail::PointSum sum =
            detail::sum_functions(table.functions[to_size(q)], work.coefficients.data() + c * nodes, 1);
        work.values[to_size(c)] = sum.value;
        detail::to_space(back, dims, sum.slope, work.gradients.data() + c * dims);
      }
      std::fill(work.density.begin(), work.density.end(), 0.0);
      f(point, work.density);
      for (std::size_t k = 0; k < work.density.size(); ++k) sums[k] += points.weights[q] * area * work.density[k];
    }
    return true;
  }

 private:
  const Mesh& mesh_;
  int number_;
  Index first_;
  const CellBlock& block_;
  const FieldView* field_;
  int comps_;
  std::optional<PointFunctions> functions_;
  std::vector<FieldOnFace> tables_;  // [faces of a cell]
};

std::vector<double> integrate_faces(Queue& queue, const Mesh& mesh, const FieldView* field, int num,
                                    const Functionals& f, const IntegralOptions& options) {
  const ThreadLimit limit(queue);
  std::optional<Topology> made;
  std::optional<PeriodicSides> sides;
  if (field) sides = field->space().sides;
  const Topology& topology = detail::choose_topology("integrate_boundary", mesh, sides, options.topology, made);
  const std::vector<detail::ChosenFace> faces =
      detail::choose_faces("integrate_boundary", mesh, topology, options.groups, detail::FacesBetween::accepted);
  std::vector<FaceIntegral> blocks;
  Index first = 0;
  for (int b = 0; b < static_cast<int>(mesh.blocks.size()); ++b) {
    blocks.emplace_back(mesh, b, first, field, options);
    first += mesh.blocks[to_size(b)].num_cells();
  }
  std::vector<double> sums(faces.size() * to_size(num));  // [faces, num]
  const auto side_of = [&](std::int64_t i) {
    const auto& [face, side] = faces[to_size(i)];
    return topology.face_sides[to_size(face)][to_size(side)];
  };
  detail::FirstBad bad(queue.num_threads());
  parallel(faces.size() < 64 ? 1 : queue.num_threads(), [&](int thread, int count) {
    const auto [begin, end] = even_part(std::ssize(faces), thread, count);
    std::vector<FaceIntegral::Work> work;
    for (const FaceIntegral& block : blocks) work.emplace_back(block, num);
    for (std::int64_t i = begin; i < end; ++i) {
      const FaceSide side = side_of(i);
      if (!blocks[to_size(side.block)].add(side, f, work[to_size(side.block)], sums.data() + i * num))
        return bad.set(thread, i);
    }
  });
  if (bad.position() >= 0) {
    const FaceSide side = side_of(bad.position());
    check_geometry(mesh.blocks[to_size(side.block)].cell, side.cell);
  }
  return detail::tree_sum(sums, num);
}

}  // namespace

double integrate_boundary(Queue& queue, const FieldView& field, const Functional& f, const IntegralOptions& options) {
  detail::check_integral(queue, 1, f != nullptr, "integrate_boundary");
  return integrate_faces(queue, field.mesh(), &field, 1, detail::as_functionals(f), options)[0];
}

double integrate_boundary(Queue& queue, const Mesh& mesh, const Functional& f, const IntegralOptions& options) {
  detail::check_integral(queue, 1, f != nullptr, "integrate_boundary");
  return integrate_faces(queue, mesh, nullptr, 1, detail::as_functionals(f), options)[0];
}

std::vector<double> integrate_boundary(Queue& queue, const FieldView& field, int num, const Functionals& f,
                                       const IntegralOptions& options) {
  detail::check_integral(queue, num, f != nullptr, "integrate_boundary");
  return integrate_faces(queue, field.mesh(), &field, num, f, options);
}

}  // namespace millrace
