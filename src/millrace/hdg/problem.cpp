// Conditions found and checked, and functions projected.
#include "millrace/hdg/problem.hpp"

#include <algorithm>

#include "millrace/base/dense.hpp"
#include "millrace/base/list_text.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/cell_geometry.hpp"

namespace millrace::hdg {
namespace {

// phi^T W f at the points of a cell or face, solved with phi^T W phi.
void fit(const Table& table, const double* weights, int comps, const std::vector<double>& values, double* to) {
  const int modes = table.num_modes, points = table.num_points;
  std::vector<double> weighted(table.transposed.size()), mass(to_size(modes * modes));
  std::vector<Index> pivots(to_size(modes));
  for (int p = 0; p < points; ++p)
    for (int i = 0; i < modes; ++i)
      weighted[to_size(p * modes + i)] = weights[p] * table.transposed[to_size(p * modes + i)];
  const dense::Block<double> matrix(mass.data(), modes, modes), rhs(to, modes, comps);
  std::fill(to, to + modes * comps, 0.0);
  dense::add_product<double>({weighted.data(), modes, points}, {table.values.data(), points, modes}, matrix);
  dense::add_product<double>({weighted.data(), modes, points}, {values.data(), points, comps}, rhs);
  require(dense::factorise(matrix, pivots.data()) == 0, "hdg: the mass matrix of a cell is singular");
  dense::solve<double>(matrix, pivots.data(), rhs);
}

// Coefficients of one lattice at their places in that of another order: zero where there was none.
std::vector<double> moved(Cell cell, int from_order, int to_order, const std::vector<double>& from) {
  const auto modes = static_cast<std::size_t>(num_nodes(cell, from_order)),
             others = static_cast<std::size_t>(num_nodes(cell, to_order));
  std::vector<double> to(from.size() / modes * others);
  // Every mode of the lower order is one of the higher.
  const std::vector<Lattice> places = lattice(cell, std::min(from_order, to_order));
  for (std::size_t i = 0; i < to.size() / others; ++i)
    for (const Lattice& place : places)
      to[i * others + to_size(lattice_index(cell, to_order, place))] =
          from[i * modes + to_size(lattice_index(cell, from_order, place))];
  return to;
}

// An Error that counts the boundary faces in no group and says where the first of them is.
void require_groups(const TraceSpace& space) {
  const Topology& topology = space.topology();
  const auto in_none = [&](Index face) { return topology.face_tags[to_size(face)] == 0; };
  const auto found = std::ranges::find_if(topology.boundary_faces, in_none);
  if (found == topology.boundary_faces.end()) return;
  Point middle{};
  const int vertices = space.dim();
  for (int k = 0; k < vertices; ++k) {
    const Index vertex = topology.face_vertices[to_size(*found)][to_size(k)];
    const Point at = space.mesh().point(topology.vertex_points[to_size(vertex)]);
    for (std::size_t d = 0; d < 3; ++d) middle[d] += at[d] / vertices;
  }
  throw Error(
      join("hdg: boundary faces in no physical group: ", std::ranges::count_if(topology.boundary_faces, in_none),
           " of ", topology.boundary_faces.size(), ", the first around (", middle[0], ", ", middle[1],
           space.dim() == 3 ? join(", ", middle[2]) : "", "); every one needs a group with a condition"));
}

}  // namespace

std::vector<double> sample(const PointFunction& function, int dim, int comps, const double* places, int stride,
                           int num) {
  std::vector<double> values(to_size(comps * num)), here(to_size(comps));
  for (int p = 0; p < num; ++p) {
    double x[3] = {};
    for (int d = 0; d < dim; ++d) x[d] = places[d * stride + p];
    function(x, here.data());
    for (int c = 0; c < comps; ++c) values[to_size(c * num + p)] = here[to_size(c)];
  }
  return values;
}

PointFunction at_time(const TimeFunction& function, double time) {
  if (!function) return {};
  return [function, time](const double* x, double* values) { function(x, time, values); };
}

std::string group_name(const Mesh& mesh, std::int32_t tag) {
  const std::string_view name = mesh.name_of(mesh.dim - 1, tag);
  return name.empty() ? join("#", tag) : std::string(name);
}

State raise(const TraceSpace& from, const State& state, const TraceSpace& to) {
  require(to.order() >= from.order() && to.num_cells() == from.num_cells() && to.num_faces() == from.num_faces(),
          "hdg: a state of order ", from.order(), " on ", from.num_cells(), " cells cannot be raised to order ",
          to.order(), " on ", to.num_cells());
  const Cell cell = from.mesh().blocks[0].cell;
  return {moved(cell, from.order(), to.order(), state.u),
          moved(face_cell(cell), from.order(), to.order(), state.trace)};
}

State with_order(const State& state, int order, int comps, const TraceSpace& to) {
  const Cell cell = to.mesh().blocks[0].cell, face = face_cell(cell);
  require(order >= 1 && order <= max_order(to.dim()), "hdg: a state of order ", order, "; 1 to ", max_order(to.dim()),
          " are accepted in ", to.dim(), " dimensions");
  const Offset inside = Offset{to.num_cells()} * comps * num_nodes(cell, order),
               traces = Offset{to.num_faces()} * comps * num_nodes(face, order);
  require(std::ssize(state.u) == inside && std::ssize(state.trace) == traces, "hdg: a state of order ", order, " and ",
          comps, " components on this mesh has ", inside, " and ", traces, " numbers; this one has ", state.u.size(),
          " and ", state.trace.size());
  return {moved(cell, order, to.order(), state.u), moved(face, order, to.order(), state.trace)};
}

State project(const TraceSpace& space, int comps, const PointFunction& function) {
  State state;
  const int n = comps * space.cell_modes(), m = comps * space.face_modes(), per_face = space.num_face_points();
  state.u.resize(to_size(Offset{space.num_cells()} * n));
  state.trace.resize(to_size(Offset{space.num_faces()} * m));
  CellGeometry geometry(space);
  std::vector<double> areas(to_size(per_face));
  for (Index cell = 0; cell < space.num_cells(); ++cell) {
    geometry.evaluate(cell);
    fit(space.cell(), geometry.weights.data(), comps,
        sample(function, space.dim(), comps, geometry.x.data(), space.num_points(), space.num_points()),
        state.u.data() + Offset{cell} * n);
    for (int face = 0; face < space.faces_per_cell(); ++face) {
      std::copy_n(geometry.areas.data() + face * per_face, per_face, areas.data());
      fit(space.face(), areas.data(), comps,
          sample(function, space.dim(), comps, geometry.face_x.data() + face * per_face, geometry.num_face_points(),
                 per_face),
          state.trace.data() + Offset{space.trace(cell, face)} * m);
    }
  }
  return state;
}

BoundaryTable::BoundaryTable(const TraceSpace& space, const Problem& problem) {
  const Mesh& mesh = space.mesh();
  const Topology& topology = space.topology();
  const Equation& equation = *problem.equation;
  require(equation.dim() == mesh.dim, "hdg: ", equation.name(), " of ", equation.dim(), " dimensions on a mesh of ",
          mesh.dim);
  require_groups(space);
  std::vector<std::string> groups;  // of faces on the boundary
  for (const Index face : topology.boundary_faces) {
    const std::string name = group_name(mesh, topology.face_tags[to_size(face)]);
    if (std::find(groups.begin(), groups.end(), name) == groups.end()) groups.push_back(name);
  }
  std::sort(groups.begin(), groups.end());
  std::vector<std::string> given, without, unknown;
  for (const BoundaryCondition& condition : problem.conditions) {
    require(std::find(given.begin(), given.end(), condition.group) == given.end(), "hdg: group '", condition.group,
            "' has two conditions; one is accepted");
    given.push_back(condition.group);
    if (std::find(groups.begin(), groups.end(), condition.group) == groups.end()) unknown.push_back(condition.group);
  }
  for (const std::string& group : groups)
    if (std::find(given.begin(), given.end(), group) == given.end()) without.push_back(group);
  require(without.empty() && unknown.empty(), "hdg: boundary groups without a condition: ", list_text(without, "none"),
          "; conditions without a group on the boundary: ", list_text(unknown, "none"),
          "; the mesh has: ", list_text(groups, "none"));

  const int comps = equation.comps(), per_face = space.num_face_points();
  kind.assign(to_size(space.num_faces()), -1);
  first.assign(to_size(space.num_faces()), -1);
  data.resize(to_size(std::ssize(topology.boundary_faces) * comps * per_face));
  CellGeometry geometry(space);
  Offset next = 0;
  for (const Index face : topology.boundary_faces) {
    const std::string group = group_name(mesh, topology.face_tags[to_size(face)]);
    const std::size_t number = to_size(std::find(given.begin(), given.end(), group) - given.begin());
    const BoundaryCondition& condition = problem.conditions[number];
    kind[to_size(face)] = equation.kind(condition.kind);
    first[to_size(face)] = next;
    if (condition.data_in_time) {
      changing.emplace_back(face, number);
    } else if (condition.data) {
      const FaceSide side = topology.face_sides[to_size(face)][0];
      geometry.evaluate(side.cell);
      const std::vector<double> values =
          sample(condition.data, mesh.dim, comps, geometry.face_x.data() + side.face * per_face,
                 geometry.num_face_points(), per_face);
      std::copy(values.begin(), values.end(), data.begin() + next);
    }
    next += Offset{comps} * per_face;
  }
  set_time(space, problem, 0);
}

void BoundaryTable::set_time(const TraceSpace& space, const Problem& problem, double time) {
  const int comps = problem.equation->comps(), per_face = space.num_face_points();
  CellGeometry geometry(space);
  for (const auto& [face, condition] : changing) {
    const FaceSide side = space.topology().face_sides[to_size(face)][0];
    geometry.evaluate(side.cell);
    const std::vector<double> values =
        sample(at_time(problem.conditions[condition].data_in_time, time), space.dim(), comps,
               geometry.face_x.data() + side.face * per_face, geometry.num_face_points(), per_face);
    std::copy(values.begin(), values.end(), data.begin() + first[to_size(face)]);
  }
}

}  // namespace millrace::hdg
