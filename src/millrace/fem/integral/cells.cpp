// Integrals over cells: fields at the points of a rule by the actions of the basis, some cells at a time.
#include <algorithm>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/geometry.hpp"
#include "millrace/fem/basis_actions.hpp"
#include "millrace/fem/integral/choose.hpp"
#include "millrace/fem/integral/rules.hpp"
#include "millrace/mesh/places/inverse_map.hpp"

namespace millrace {
namespace {

/// Those with one of these tags, which ascend; all where there are none.
std::vector<Index> cells_with_tags(const CellBlock& block, const std::vector<std::int32_t>& tags) {
  std::vector<Index> cells;
  for (Index c = 0; c < block.num_cells(); ++c)
    if (tags.empty() || std::binary_search(tags.begin(), tags.end(), block.tag.data()[c])) cells.push_back(c);
  return cells;
}

/// One block of cells, with a field or without.
class CellIntegral {
 public:
  /// first: the number of its first cell, counted over all blocks.
  CellIntegral(const Mesh& mesh, int number, Index first, const FieldView* field, const IntegralOptions& options)
      : mesh_(mesh),
        number_(number),
        first_(first),
        block_(mesh.blocks[to_size(number)]),
        field_(field),
        comps_(field ? field->comps() : 0) {
    const int order = field ? field->space().order : detail::order_without_field;
    const Points asked = detail::points_of_block(mesh, block_.cell, options.points),
                 points = detail::integral_points(block_.cell, order, asked);
    basis_ = make_element_basis(block_.cell, field ? order : 1, points);
    map_ = ElementMap(block_.cell, block_.order, basis_.rule);
  }

  /// sums [cells, num]
  void add(Queue& queue, const std::vector<Index>& cells, int num, const Functionals& f, double* sums) {
    constexpr std::int64_t most_numbers = 1 << 20;  // at points of the cells that are worked on at a time
    const std::int64_t of_cell = std::int64_t{basis_.num_points()} * std::max(comps_, 1) * (1 + mesh_.dim);
    const std::int64_t some = std::max<std::int64_t>(most_numbers / of_cell, 1);
    for (std::int64_t begin = 0; begin < std::ssize(cells); begin += some) {
      const std::int64_t count = std::min(some, std::ssize(cells) - begin);
      const std::span<const Index> part = std::span(cells).subspan(to_size(begin), to_size(count));
      if (field_) to_points(queue, part);
      detail::FirstBad bad(queue.num_threads());
      parallel(threads_for(queue.num_threads(), count, {.flops = 4 * of_cell}), [&](int thread, int threads) {
        const auto [first, last] = even_part(count, thread, threads);
        std::vector<double> work(to_size(map_.work_size())), numbers(to_size(comps_ * (1 + mesh_.dim) + num));
        for (std::int64_t i = first; i < last; ++i)
          if (!add_cell(part[to_size(i)], i, num, f, work.data(), numbers, sums + (begin + i) * num))
            return bad.set(thread, i);
      });
      if (bad.position() >= 0) check_geometry(block_.cell, part[to_size(bad.position())]);
    }
  }

 private:
  /// Values and reference gradients of some cells at their points.
  void to_points(Queue& queue, std::span<const Index> cells) {
    const auto count = std::ssize(cells);
    const auto of_point = to_size(count * comps_ * basis_.num_points());
    unknowns_.resize(to_size(count * comps_ * basis_.num_nodes));
    values_.resize(of_point);
    slopes_.resize(of_point * to_size(mesh_.dim));
    for (std::int64_t i = 0; i < count; ++i)
      field_->gather(number_, cells[to_size(i)], unknowns_.data() + i * comps_ * basis_.num_nodes);
    const auto act = [&](const auto& basis) {
      interp<double>(queue, basis, {count, comps_}, unknowns_, values_);
      grad<double>(queue, basis, {count, comps_}, unknowns_, slopes_);
    };
    if (basis_.tensor)
      act(TensorProduct{*basis_.tensor, mesh_.dim});
    else
      act(*basis_.simplex);
  }

  /// numbers: values [comps], gradients [comps, dim], densities [num]. False where the cell's map is inverted.
  bool add_cell(Index cell, std::int64_t i, int num, const Functionals& f, double* work, std::vector<double>& numbers,
                double* sums) const {
    const int dims = mesh_.dim, num_points = basis_.num_points();
    const ElementPoints points = map_.evaluate(mesh_.points.data(), block_.nodes_of(cell), work);
    const std::span<double> all(numbers), values = all.first(to_size(comps_)),
                                          gradients = all.subspan(to_size(comps_), to_size(comps_ * dims)),
                                          density = all.last(to_size(num));
    FieldPoint point{{}, values, gradients, {}, first_ + cell, block_.tag.data()[cell]};
    for (int q = 0; q < num_points; ++q) {
      const Jacobian j = detail::jacobian_at(points, dims, q);
      const double det = determinant(j, dims);
      if (!(det > 0)) return false;
      for (int d = 0; d < dims; ++d) point.x[to_size(d)] = points.places[d * num_points + q];
      const Jacobian back = comps_ > 0 ? *detail::inverse(j, dims) : Jacobian{};
      for (int c = 0; c < comps_; ++c) {
        const std::int64_t field = i * comps_ + c;
        values[to_size(c)] = values_[to_size(field * num_points + q)];
        double along[3] = {};
        for (int d = 0; d < dims; ++d) along[d] = slopes_[to_size((field * dims + d) * num_points + q)];
        detail::to_space(back, dims, along, gradients.data() + to_size(c * dims));
      }
      std::fill(density.begin(), density.end(), 0.0);
      f(point, density);
      for (int k = 0; k < num; ++k) sums[k] += points.weights[q] * det * density[to_size(k)];
    }
    return true;
  }

  const Mesh& mesh_;
  int number_;
  Index first_;
  const CellBlock& block_;
  const FieldView* field_;
  int comps_;
  ElementBasis basis_;
  ElementMap map_;
  std::vector<double> unknowns_, values_, slopes_;  // [cells, comps, nodes], [.., points], [.., dim, points]
};

std::vector<double> integrate_cells(Queue& queue, const Mesh& mesh, const FieldView* field, int num,
                                    const Functionals& f, const IntegralOptions& options) {
  const ThreadLimit limit(queue);
  const std::vector<std::int32_t> tags = detail::tags_of_cells("integrate", mesh, options.groups);
  std::vector<double> sums;  // [cells of all blocks, num]
  Index first = 0;
  for (int b = 0; b < static_cast<int>(mesh.blocks.size()); ++b) {
    const std::vector<Index> cells = cells_with_tags(mesh.blocks[to_size(b)], tags);
    const std::size_t before = sums.size();
    sums.resize(before + cells.size() * to_size(num));
    if (!cells.empty()) CellIntegral(mesh, b, first, field, options).add(queue, cells, num, f, sums.data() + before);
    first += mesh.blocks[to_size(b)].num_cells();
  }
  return detail::tree_sum(sums, num);
}

}  // namespace

double integrate(Queue& queue, const FieldView& field, const Functional& f, const IntegralOptions& options) {
  detail::check_integral(queue, 1, f != nullptr, "integrate");
  return integrate_cells(queue, field.mesh(), &field, 1, detail::as_functionals(f), options)[0];
}

double integrate(Queue& queue, const Mesh& mesh, const Functional& f, const IntegralOptions& options) {
  detail::check_integral(queue, 1, f != nullptr, "integrate");
  return integrate_cells(queue, mesh, nullptr, 1, detail::as_functionals(f), options)[0];
}

std::vector<double> integrate(Queue& queue, const FieldView& field, int num, const Functionals& f,
                              const IntegralOptions& options) {
  detail::check_integral(queue, num, f != nullptr, "integrate");
  return integrate_cells(queue, field.mesh(), &field, num, f, options);
}

}  // namespace millrace
