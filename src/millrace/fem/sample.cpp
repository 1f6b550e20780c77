// Samples are products of small tables with the values of a cell; every shared point is taken from the first cell that
// has it, so that the bits do not depend on the threads.
#include "millrace/fem/sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "millrace/base/error.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/point_functions.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/element/first_cells.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace {
namespace {

void check_field(const Space& space, std::span<const double> values, std::string_view what) {
  require(std::ssize(values) == space.num_dofs(), what, ": the space has ", space.num_dofs(),
          " unknowns; the vector has ", values.size());
}

/// The points at which the cells of a block are sampled.
struct Targets {
  std::span<const Index> nodes;  // [num_cells, per_cell]
  int per_cell = 0;
  Index first_cell = 0;           // of the block, counted over all blocks
  std::span<const Index> owners;  // [num_points]: the cell that a point is taken from
};

/// result [num_points, comps] at the points of a block: table [per_cell, P] times the values of a cell, which
/// value(cell of the block, comp, node) gives.
template <class Value>
void evaluate(const Targets& to, std::span<const double> table, int comps, const Value& value,
              std::vector<double>& result) {
  const auto num_nodes = table.size() / to_size(to.per_cell);
  const auto num_cells = std::ssize(to.nodes) / to.per_cell;
  const Work each{.flops = 2 * comps * std::ssize(table)};
  parallel_for(default_num_threads(), num_cells, each, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> mine(to_size(comps) * num_nodes);
    for (std::int64_t cell = begin; cell < end; ++cell) {
      for (int c = 0; c < comps; ++c)
        for (std::size_t n = 0; n < num_nodes; ++n) mine[to_size(c) * num_nodes + n] = value(cell, c, n);
      for (int t = 0; t < to.per_cell; ++t) {
        const Index point = to.nodes[to_size(cell * to.per_cell + t)];
        if (to.owners[to_size(point)] != to.first_cell + cell) continue;
        for (int c = 0; c < comps; ++c) {
          double sum = 0;
          for (std::size_t n = 0; n < num_nodes; ++n)
            sum += table[to_size(t) * num_nodes + n] * mine[to_size(c) * num_nodes + n];
          result[to_size(point) * to_size(comps) + to_size(c)] = sum;
        }
      }
    }
  });
}

void evaluate_field(const Targets& to, std::span<const double> lattice, const Space& space, const SpaceBlock& block,
                    std::span<const double> values, std::vector<double>& result) {
  const NodeTable table = tabulate_nodes(block.cell, space.order, NodeKind::fem, lattice);
  const Restriction& restriction = block.restriction;
  evaluate(
      to, table.values, space.comps,
      [&](std::int64_t cell, int c, std::size_t n) {
        return values[to_size(restriction.entry(static_cast<Index>(cell), c, static_cast<int>(n)))];
      },
      result);
}

/// A field of one block in the form in which it is evaluated at any place, one that PointFunctions sum.
class CellField {
 public:
  CellField(const Space& space, const SpaceBlock& block, std::span<const double> values)
      : functions_(block.cell, space.order),
        num_cells_(block.restriction.num_elem),
        comps_(space.comps),
        coefficients_(to_size(Offset{space.num_nodes} * comps_)) {
    const auto offsets = block.restriction.offsets.span();
    offsets_.assign(offsets.begin(), offsets.end());
    const int nodes = functions_.num_nodes();
    std::vector<double> mine(to_size(nodes)), prepared(mine.size());
    for (Index cell = 0; cell < num_cells_; ++cell)
      for (int c = 0; c < comps_; ++c) {
        for (int n = 0; n < nodes; ++n) mine[to_size(n)] = values[to_size(block.restriction.entry(cell, c, n))];
        functions_.prepare(mine.data(), prepared.data());
        for (int n = 0; n < nodes; ++n) coefficients_[place(cell, n, c)] = prepared[to_size(n)];
      }
  }

  Index num_cells() const { return num_cells_; }
  /// `cell` of its block.
  double operator()(Index cell, const Point& at, int comp) const {
    detail::PointTable table;
    functions_.fill(at.data(), table);
    std::array<double, max_nodes> mine;
    for (int n = 0; n < functions_.num_nodes(); ++n) mine[to_size(n)] = coefficients_[place(cell, n, comp)];
    return detail::sum_functions(table, mine.data(), 1).value;
  }

 private:
  static constexpr std::size_t max_nodes = 17 * 17 * 17;  // of a hex of order 16

  std::size_t place(Index cell, int node, int comp) const {
    const Index shared = offsets_[to_size(Offset{cell} * functions_.num_nodes() + node)];
    return to_size(Offset{shared} * comps_ + comp);
  }

  PointFunctions functions_;
  Index num_cells_;
  int comps_;
  std::vector<Index> offsets_;        // [num_cells, nodes]
  std::vector<double> coefficients_;  // [num_nodes, comps]
};

/// Of all blocks.
class SpaceField {
 public:
  SpaceField(const Space& space, std::span<const double> values) : comps_(space.comps) {
    for (const SpaceBlock& block : space.blocks) blocks_.emplace_back(space, block, values);
  }
  int comps() const { return comps_; }
  double operator()(Index cell, const Point& at, int comp) const {
    Index left = cell;
    for (const CellField& block : blocks_) {
      if (left >= 0 && left < block.num_cells()) return block(left, at, comp);
      left -= block.num_cells();
    }
    throw Error(join("cell function: cell ", cell, " was asked for; there are ", cell - left));
  }

 private:
  int comps_;
  std::vector<CellField> blocks_{};
};

}  // namespace

CellSamples sample(const Mesh& mesh, const std::vector<FieldToSample>& fields, int order) {
  int highest = 1;
  for (const CellBlock& block : mesh.blocks) highest = std::max(highest, block.order);
  for (const FieldToSample& field : fields) {
    require(field.space != nullptr, "sample: field '", field.name, "' has no space");
    check_same_cells(join("sample: field '", field.name, "'"), mesh, *field.space);
    check_field(*field.space, field.values, join("sample: field '", field.name, "'"));
    highest = std::max(highest, field.space->order);
  }
  const Space points = make_space(mesh, order == 0 ? highest : order, 1, PeriodicSides::ignored);
  const std::vector<Index> owners = first_cells(points);

  CellSamples samples;
  samples.dim = mesh.dim;
  samples.points.resize(to_size(Offset{points.num_nodes} * mesh.dim));
  for (const FieldToSample& field : fields)
    samples.fields.push_back({field.name, field.space->comps, field.vector,
                              std::vector<double>(to_size(Offset{points.num_nodes} * field.space->comps))});
  Index before = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    const Restriction& restriction = points.blocks[b].restriction;
    const auto nodes = restriction.offsets.span();
    const Targets to{nodes, restriction.nodes, before, owners};
    samples.blocks.push_back({block.cell, points.order, {nodes.begin(), nodes.end()}});
    const auto places = tabulate_geometry(block.cell, block.order, lattice_points(block.cell, points.order));
    evaluate(
        to, places.values, mesh.dim,
        [&](std::int64_t cell, int d, std::size_t n) {
          return mesh.points.data()[Offset{block.nodes_of(static_cast<Index>(cell))[n]} * mesh.dim + d];
        },
        samples.points);
    const auto lattice = reference_nodes(block.cell, points.order, NodeKind::equispaced);
    for (std::size_t f = 0; f < fields.size(); ++f)
      evaluate_field(to, lattice, *fields[f].space, fields[f].space->blocks[b], fields[f].values,
                     samples.fields[f].values);
    samples.groups.insert(samples.groups.end(), block.tag.span().begin(), block.tag.span().end());
    before += block.num_cells();
  }
  return samples;
}

std::function<double(Index, const Point&)> cell_function(const Space& space, std::span<const double> values,
                                                         int component) {
  check_field(space, values, "cell function");
  require(component >= 0 && component < space.comps, "cell function: component ", component,
          " was asked for; the field has 0 to ", space.comps - 1);
  const auto field = std::make_shared<const SpaceField>(space, values);
  return [field, component](Index cell, const Point& at) { return (*field)(cell, at, component); };
}

std::function<double(Index, const Point&)> cell_magnitude(const Space& space, std::span<const double> values) {
  check_field(space, values, "cell magnitude");
  const auto field = std::make_shared<const SpaceField>(space, values);
  return [field](Index cell, const Point& at) {
    double sum = 0;
    for (int c = 0; c < field->comps(); ++c) sum += std::pow((*field)(cell, at, c), 2);
    return std::sqrt(sum);
  };
}

}  // namespace millrace
