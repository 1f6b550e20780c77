// u and q of every cell as values at nodes, from which fields follow at any place; every cell by itself, so that the
// bits do not depend on the threads.
#include "millrace/hdg/fields.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/point_functions.hpp"
#include "millrace/fem/basis/simplex_polynomials.hpp"
#include "millrace/fem/basis/tabulate.hpp"

namespace millrace::hdg {
namespace {

void check_state(const LocalSolver& solver, const State& state) {
  const TraceSpace& space = solver.space();
  const Offset inside = Offset{space.num_cells()} * solver.comps() * space.cell_modes(),
               on_faces = Offset{space.num_faces()} * solver.comps() * space.face_modes();
  require(std::ssize(state.u) == inside && std::ssize(state.trace) == on_faces, "hdg fields: ", inside,
          " numbers of u and ", on_faces, " of traces belong to this space; the state has ", state.u.size(), " and ",
          state.trace.size());
}

// Numbers that fields are computed from: u, then q where the equation has it.
int num_inputs(const LocalSolver& solver) {
  return solver.comps() * (1 + (solver.equation().uses_gradient() ? solver.space().dim() : 0));
}

// The orthonormal functions of cells at points [n, dim]. [n, modes]
std::vector<double> tabulate_modes(const TraceSpace& space, const std::vector<double>& points) {
  std::vector<double> table;
  for (std::size_t first = 0; first < points.size(); first += to_size(space.dim()))
    for (const long double value : simplex_polynomials(space.dim(), space.order(), points.data() + first).values)
      table.push_back(static_cast<double>(value));
  return table;
}

// Calls f(cell, values [inputs, n]) for all cells with u and q at the points of the table [n, modes], from several
// threads.
template <class F>
void for_each_cell(const LocalSolver& solver, const State& state, const std::vector<double>& table, const F& f) {
  const TraceSpace& space = solver.space();
  const auto modes = to_size(space.cell_modes()), num_u = to_size(solver.comps()) * modes,
             points = table.size() / modes;
  const auto inputs = to_size(num_inputs(solver));
  parallel_for(default_num_threads(), space.num_cells(), {.flops = 1000}, [&](std::int64_t begin, std::int64_t end) {
    LocalWork work(space, solver.equation());
    std::vector<double> coefficients(inputs * modes), values(inputs * points);
    for (std::int64_t c = begin; c < end; ++c) {
      const auto cell = static_cast<Index>(c);
      std::copy_n(state.u.data() + c * std::int64_t(num_u), num_u, coefficients.data());
      if (solver.equation().uses_gradient()) {
        solver.evaluate(cell, state, work);
        solver.gradient_modes(cell, state, work, coefficients.data() + num_u);
      }
      for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t p = 0; p < points; ++p) {
          double sum = 0;
          for (std::size_t m = 0; m < modes; ++m) sum += table[p * modes + m] * coefficients[i * modes + m];
          values[i * points + p] = sum;
        }
      f(cell, values.data());
    }
  });
}

/// u and q of all cells, ready to be evaluated at any place.
class Solution {
 public:
  Solution(const LocalSolver& solver, const State& state)
      : equation_(solver.problem().equation),
        functions_(cell_of(solver), solver.space().order()),
        num_cells_(solver.space().num_cells()),
        inputs_(num_inputs(solver)),
        coefficients_(to_size(Offset{num_cells_} * inputs_ * functions_.num_nodes())) {
    const int nodes = functions_.num_nodes();
    const auto places = reference_nodes(cell_of(solver), solver.space().order(), NodeKind::fem);
    for_each_cell(solver, state, tabulate_modes(solver.space(), places), [&](Index cell, const double* values) {
      for (int i = 0; i < inputs_; ++i) functions_.prepare(values + i * nodes, coefficients_.data() + place(cell, i));
    });
  }

  double operator()(Index cell, const Point& at, int field) const {
    require(cell >= 0 && cell < num_cells_, "hdg fields: cell ", cell, " was asked for; there are ", num_cells_);
    millrace::detail::PointTable table;
    functions_.fill(at.data(), table);
    std::array<double, most_inputs> uq;
    for (int i = 0; i < inputs_; ++i)
      uq[to_size(i)] = millrace::detail::sum_functions(table, coefficients_.data() + place(cell, i), 1).value;
    return equation_->field(field, uq.data(), uq.data() + equation_->comps());
  }

  static constexpr int most_inputs = 64;

 private:
  static Cell cell_of(const LocalSolver& solver) { return solver.space().mesh().blocks[0].cell; }
  Offset place(Index cell, int input) const { return (Offset{cell} * inputs_ + input) * functions_.num_nodes(); }

  std::shared_ptr<const Equation> equation_;
  PointFunctions functions_;
  Index num_cells_;
  int inputs_;
  std::vector<double> coefficients_;  // [cells, inputs, nodes]
};

/// A field of a file: one field of the equation, or as many as a vector has components.
struct Column {
  std::string name;
  int first = 0, comps = 1;  // fields of the equation
};

std::vector<Column> columns_of(const Equation& equation) {
  const auto names = equation.fields();
  const auto vector_at = [&](std::size_t i) {
    const std::string stem(names[i].substr(0, names[i].size() - std::min<std::size_t>(names[i].size(), 2)));
    for (std::size_t d = 0; d < to_size(equation.dim()); ++d)
      if (i + d >= names.size() || names[i + d] != stem + "_" + "xyz"[d]) return std::string();
    return stem;
  };
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size();) {
    const std::string stem = vector_at(i);
    if (!stem.empty()) std::erase_if(columns, [&](const Column& column) { return column.name == stem; });  // its length
    columns.push_back(
        {stem.empty() ? std::string(names[i]) : stem, static_cast<int>(i), stem.empty() ? 1 : equation.dim()});
    i += to_size(columns.back().comps);
  }
  return columns;
}

}  // namespace

std::function<double(Index, const Point&)> cell_function(const LocalSolver& solver, const State& state,
                                                         std::string_view field) {
  const int number = solver.equation().field_number(field);
  check_state(solver, state);
  require(num_inputs(solver) <= Solution::most_inputs, "hdg fields: ", num_inputs(solver),
          " numbers of u and its gradient; up to ", Solution::most_inputs, " are accepted");
  const auto solution = std::make_shared<const Solution>(solver, state);
  return [solution, number](Index cell, const Point& at) { return (*solution)(cell, at, number); };
}

CellSamples sample(const LocalSolver& solver, const State& state, int order) {
  constexpr int most = 8;
  check_state(solver, state);
  require(order >= 0 && order <= most, "hdg fields: samples of order ", order, "; 1 to ", most,
          " are accepted, and 0, that of solution and geometry");
  const TraceSpace& space = solver.space();
  const Equation& equation = solver.equation();
  const Mesh& mesh = space.mesh();
  const CellBlock& block = mesh.blocks[0];
  const int k = order > 0 ? order : std::max(space.order(), block.order), per_cell = num_nodes(block.cell, k),
            dim = space.dim(), inputs = num_inputs(solver);
  const Offset num_points = Offset{space.num_cells()} * per_cell;
  require(num_points <= std::numeric_limits<Index>::max(), "hdg fields: ", num_points, " points of ", space.num_cells(),
          " cells; up to ", std::numeric_limits<Index>::max(), " are accepted, as a lower order has");

  CellSamples samples;
  samples.dim = dim;
  samples.points.resize(to_size(num_points * dim));
  samples.blocks.push_back({block.cell, k, std::vector<Index>(to_size(num_points))});
  std::iota(samples.blocks[0].nodes.begin(), samples.blocks[0].nodes.end(), Index{0});
  samples.groups.assign(block.tag.span().begin(), block.tag.span().end());
  const std::vector<Column> columns = columns_of(equation);
  for (const Column& column : columns)
    samples.fields.push_back(
        {column.name, column.comps, column.comps > 1, std::vector<double>(to_size(num_points * column.comps))});

  const GeometryTable places = tabulate_geometry(block.cell, block.order, lattice_points(block.cell, k));
  const auto table = tabulate_modes(space, reference_nodes(block.cell, k, NodeKind::equispaced));
  for_each_cell(solver, state, table, [&](Index cell, const double* values) {
    std::vector<double> uq(to_size(inputs));
    for (int p = 0; p < per_cell; ++p) {
      const Offset at = Offset{cell} * per_cell + p;
      const Point x = map_point(mesh, block.nodes_of(cell), places, p);
      std::copy_n(x.begin(), dim, samples.points.begin() + at * dim);
      for (int i = 0; i < inputs; ++i) uq[to_size(i)] = values[i * per_cell + p];
      for (std::size_t f = 0; f < columns.size(); ++f)
        for (int c = 0; c < columns[f].comps; ++c)
          samples.fields[f].values[to_size(at * columns[f].comps + c)] =
              equation.field(columns[f].first + c, uq.data(), uq.data() + equation.comps());
    }
  });
  return samples;
}

}  // namespace millrace::hdg
