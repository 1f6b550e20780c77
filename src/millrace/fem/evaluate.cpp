// Fields at points: the unknowns of a cell are gathered once for points of it that follow each other.
#include "millrace/fem/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/point_functions.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/element/first_cells.hpp"
#include "millrace/mesh/places/inverse_map.hpp"

namespace millrace {
namespace {

void require_host(const Queue& queue, std::string_view what) {
  require<Unsupported>(queue.device().on_host(), what, ": it is done on the host; the queue is of a GPU");
}

void require_mesh(const FieldView& field, const CellFinder& finder, std::string_view what) {
  require(&finder.mesh() == &field.mesh(), what, ": the finder is of another mesh than the field");
}

/// One thread's look at a field in a block of cells: the unknowns of the cell where it is.
class FieldAtPoints {
 public:
  FieldAtPoints(const FieldView& field, int block, const PointFunctions& functions)
      : field_(field),
        block_(block),
        cells_(field.cells(block)),
        functions_(functions),
        unknowns_(to_size(field.comps() * field.nodes(block))),
        coefficients_(unknowns_.size()),
        points_(to_size(cells_.nodes_per_cell() * field.dim())) {}

  /// values [comps], gradients [comps, dim] or null.
  void evaluate(const Location& at, double* values, double* gradients) {
    const int nodes = functions_.num_nodes(), dims = field_.dim();
    if (at.cell != cell_) enter(at.cell);
    functions_.fill(at.reference.data(), table_);
    Jacobian back{};
    if (gradients) back = inverse_jacobian(at);
    for (int c = 0; c < field_.comps(); ++c) {
      const detail::PointSum sum = detail::sum_functions(table_, coefficients_.data() + to_size(c * nodes), 1);
      values[c] = sum.value;
      for (int d = 0; gradients && d < dims; ++d) {
        double slope = 0;
        for (int j = 0; j < dims; ++j) slope += sum.slope[j] * back[to_size(j)][to_size(d)];
        gradients[c * dims + d] = slope;
      }
    }
  }

 private:
  void enter(Index cell) {
    cell_ = cell;
    field_.gather(block_, cell, unknowns_.data());
    for (int c = 0; c < field_.comps(); ++c)
      functions_.prepare(unknowns_.data() + to_size(c * functions_.num_nodes()),
                         coefficients_.data() + to_size(c * functions_.num_nodes()));
    double* x = points_.data();
    for (const Index n : cells_.nodes_of(cell))
      x = std::copy_n(field_.mesh().points.data() + Offset{n} * field_.dim(), field_.dim(), x);
  }

  /// d xi_i / d x_j at [i][j].
  Jacobian inverse_jacobian(const Location& at) {
    const int dims = field_.dim();
    detail::fill_lattice_functions(cells_.cell, cells_.order, at.reference.data(), geometry_);
    Jacobian j{};
    for (int i = 0; i < dims; ++i) {
      const detail::PointSum sum = detail::sum_functions(geometry_, points_.data() + i, dims);
      std::copy_n(sum.slope, dims, j[to_size(i)].data());
    }
    const auto back = detail::inverse(j, dims);
    require(back.has_value(), "evaluate: the map of ", name(cells_.cell), ' ', at.cell,
            " is degenerate at a place, where a field has no gradient");
    return *back;
  }

  const FieldView& field_;
  int block_;
  const CellBlock& cells_;
  const PointFunctions& functions_;
  Index cell_ = -1;
  std::vector<double> unknowns_, coefficients_;  // [comps, nodes]
  std::vector<double> points_;                   // [nodes of the geometry, dim]
  detail::PointTable table_, geometry_;
};

/// A mesh with one block needs no number of it.
int block_of(const FieldView& field, const Location& at) {
  return at.block < 0 && field.num_blocks() == 1 ? 0 : at.block;
}

void require_cells(const FieldView& field, std::span<const Location> at, Outside outside) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const int block = block_of(field, at[i]);
    require(
        (block >= 0 && block < field.num_blocks() && at[i].cell >= 0 && at[i].cell < field.cells(block).num_cells()) ||
            (outside != Outside::refuse && !at[i].found()),
        "evaluate: location ", i, " has cell ", at[i].cell, " of block ", at[i].block, "; the mesh has ",
        [&] { return field.mesh().description(); });
  }
}

/// The points of a mesh on periodic sides, which have one node on both where a space glues them.
std::vector<bool> points_on_periodic_sides(const Mesh& mesh) {
  std::vector<bool> on_side(to_size(mesh.num_points()));
  for (const PeriodicSide& side : mesh.periodic)
    for (const auto& pair : side.pairs)
      for (const Index p : pair) on_side[to_size(p)] = true;
  return on_side;
}

/// Corners of elements lie at the same places in both spaces, else they are not on the same mesh.
void require_same_mesh(const FieldView& field, const Space& to) {
  const Space& from = field.space();
  check_same_cells("interpolate without a CellFinder", field.mesh(), to);
  require(from.comps == to.comps, "interpolate: the field has ", from.comps, " components, the space ", to.comps,
          "; as many are right");
  std::vector<bool> apart;  // points whose nodes may lie at the other side in one of the spaces
  if (from.sides != to.sides) apart = points_on_periodic_sides(field.mesh());
  for (int block = 0; block < field.num_blocks(); ++block) {
    const CellBlock& cells = field.cells(block);
    const Restriction &one = from.blocks[to_size(block)].restriction, &other = to.blocks[to_size(block)].restriction;
    const std::vector<int> a = vertex_nodes(cells.cell, from.order), b = vertex_nodes(cells.cell, to.order),
                           corner = vertex_nodes(cells.cell, cells.order);
    for (Index e = 0; e < one.num_elem; ++e)
      for (std::size_t v = 0; v < a.size(); ++v) {
        if (!apart.empty() && apart[to_size(cells.nodes_of(e)[to_size(corner[v])])]) continue;
        const double *x = from.place(static_cast<Index>(one.entry(e, 0, a[v]))),
                     *y = to.place(static_cast<Index>(other.entry(e, 0, b[v])));
        for (int d = 0; d < from.dim; ++d)
          require(std::abs(x[d] - y[d]) <= 1e-12 * (std::abs(x[d]) + std::abs(y[d])) + 1e-14, "interpolate: corner ", v,
                  " of ", name(cells.cell), ' ', e,
                  " is elsewhere in the other space, so that is on another mesh; "
                  "give a CellFinder to go from mesh to mesh");
      }
  }
}

Point point_of(const Space& space, Index node) {
  Point x{};
  std::copy_n(space.place(node), space.dim, x.data());
  return x;
}

/// [places, comps] to the order of a vector of unknowns.
template <class T>
std::vector<T> by_component(const Space& space, const std::vector<double>& values) {
  std::vector<T> result(to_size(space.num_dofs()));
  for (int c = 0; c < space.comps; ++c)
    for (Index n = 0; n < space.num_nodes; ++n)
      result[to_size(space.entry(n, c))] = static_cast<T>(values[to_size(Offset{n} * space.comps + c)]);
  return result;
}

}  // namespace

PlaceValues evaluate(Queue& queue, const FieldView& field, std::span<const Location> at,
                     const EvaluateOptions& options) {
  const ThreadLimit limit(queue);
  require_host(queue, "evaluate");
  require_cells(field, at, options.outside);
  std::vector<PointFunctions> functions;  // of every block
  for (int block = 0; block < field.num_blocks(); ++block)
    functions.emplace_back(field.cells(block).cell, field.space().order);
  PlaceValues result{field.comps(), field.dim(), {}, {}};
  const auto comps = to_size(field.comps()), slopes = options.gradients ? comps * to_size(field.dim()) : 0;
  result.values.assign(at.size() * comps, std::numeric_limits<double>::quiet_NaN());
  result.gradients.assign(at.size() * slopes, std::numeric_limits<double>::quiet_NaN());
  parallel(at.size() < 64 ? 1 : queue.num_threads(), [&](int thread, int count) {
    const auto [begin, end] = even_part(std::ssize(at), thread, count);
    std::vector<FieldAtPoints> looks;
    for (int block = 0; block < field.num_blocks(); ++block)
      looks.emplace_back(field, block, functions[to_size(block)]);
    for (auto i = to_size(begin); i < to_size(end); ++i)
      if (at[i].found())
        looks[to_size(block_of(field, at[i]))].evaluate(
            at[i], result.values.data() + i * comps,
            options.gradients ? result.gradients.data() + i * slopes : nullptr);
  });
  return result;
}

PlaceValues evaluate(Queue& queue, const FieldView& field, const CellFinder& finder, std::span<const Point> places,
                     const EvaluateOptions& options) {
  require_mesh(field, finder, "evaluate");
  const std::vector<Location> at = finder.locate(queue, places, options.outside);
  return evaluate(queue, field, at, {options.gradients, Outside::skip});
}

template <class T>
std::vector<T> interpolate(Queue& queue, const Space& space, const VectorFunction& f) {
  const ThreadLimit limit(queue);
  require_host(queue, "interpolate");
  require(f != nullptr, "interpolate: the function is empty");
  const auto comps = to_size(space.comps);
  std::vector<double> values(to_size(space.num_nodes) * comps);
  parallel_for(queue.num_threads(), space.num_nodes, [&](std::int64_t begin, std::int64_t end) {
    for (auto n = static_cast<Index>(begin); n < end; ++n)
      f(point_of(space, n), std::span(values).subspan(to_size(n) * comps, comps));
  });
  return by_component<T>(space, values);
}

template <class T>
std::vector<T> interpolate(Queue& queue, const Space& space, const ScalarFunction& f) {
  require(f != nullptr, "interpolate: the function is empty");
  require(space.comps == 1, "interpolate: the space has ", space.comps,
          " components; a function of the place and a span writes them all");
  return interpolate<T>(queue, space,
                        VectorFunction([&](const Point& x, std::span<double> value) { value[0] = f(x); }));
}

template <class T>
std::vector<T> interpolate(Queue& queue, const FieldView& from, const Space& to) {
  const ThreadLimit limit(queue);
  require_host(queue, "interpolate");
  require_same_mesh(from, to);
  const std::vector<Index> first = first_cells(to);  // the cell that gives a node its value
  std::vector<T> result(to_size(to.num_dofs()));
  Index before = 0;
  for (int block = 0; block < from.num_blocks(); ++block) {
    const auto& [cell, r] = to.blocks[to_size(block)];
    const std::vector<double> nodes = reference_nodes(cell, to.order, NodeKind::fem);
    const NodeTable table = tabulate_nodes(cell, from.space().order, NodeKind::fem, nodes);
    parallel(queue.num_threads(), [&, &r = r](int thread, int count) {
      const auto [begin, end] = even_part(r.num_elem, thread, count);
      std::vector<double> unknowns(to_size(from.comps() * table.num_nodes));
      for (auto e = static_cast<Index>(begin); e < end; ++e) {
        from.gather(block, e, unknowns.data());
        for (int n = 0; n < r.nodes; ++n) {
          if (first[to_size(r.entry(e, 0, n))] != before + e) continue;
          const double* row = table.values.data() + std::ptrdiff_t{n} * table.num_nodes;
          for (int c = 0; c < r.comps; ++c) {
            double sum = 0;
            for (int m = 0; m < table.num_nodes; ++m) sum += row[m] * unknowns[to_size(c * table.num_nodes + m)];
            result[to_size(r.entry(e, c, n))] = static_cast<T>(sum);
          }
        }
      }
    });
    before += r.num_elem;
  }
  return result;
}

template <class T>
std::vector<T> interpolate(Queue& queue, const FieldView& from, const CellFinder& finder, const Space& to,
                           Outside outside) {
  const ThreadLimit limit(queue);
  require_host(queue, "interpolate");
  require_mesh(from, finder, "interpolate");
  require(from.dim() == to.dim && from.comps() == to.comps, "interpolate: the field has ", from.comps(),
          " components in dimension ", from.dim(), "; the space has ", to.comps, " in dimension ", to.dim);
  require(outside != Outside::skip,
          "interpolate: places outside cannot be skipped, for every node needs a value; Outside::refuse or "
          "Outside::nearest is right");
  std::vector<Point> places(to_size(to.num_nodes));
  for (Index n = 0; n < to.num_nodes; ++n) places[to_size(n)] = point_of(to, n);
  return by_component<T>(to, evaluate(queue, from, finder, places, {.outside = outside}).values);
}

template std::vector<float> interpolate(Queue&, const Space&, const ScalarFunction&);
template std::vector<double> interpolate(Queue&, const Space&, const ScalarFunction&);
template std::vector<float> interpolate(Queue&, const Space&, const VectorFunction&);
template std::vector<double> interpolate(Queue&, const Space&, const VectorFunction&);
template std::vector<float> interpolate(Queue&, const FieldView&, const Space&);
template std::vector<double> interpolate(Queue&, const FieldView&, const Space&);
template std::vector<float> interpolate(Queue&, const FieldView&, const CellFinder&, const Space&, Outside);
template std::vector<double> interpolate(Queue&, const FieldView&, const CellFinder&, const Space&, Outside);

}  // namespace millrace
