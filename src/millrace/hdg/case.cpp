// A case file, table by table.
#include "millrace/hdg/case.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/to_size.hpp"
#include "millrace/hdg/case/conditions.hpp"
#include "millrace/hdg/case/linear_table.hpp"
#include "millrace/hdg/case/periodic.hpp"
#include "millrace/hdg/case/time_table.hpp"
#include "millrace/hdg/equations.hpp"
#include "millrace/io/case_formulas.hpp"
#include "millrace/io/case_mesh.hpp"
#include "millrace/io/text_buffer.hpp"

namespace millrace::hdg {
namespace {

const std::vector<std::string> equation_names{"poisson", "convection-diffusion", "euler", "navier-stokes"};
constexpr double default_prandtl = 0.72;

// A number, 1 / the Reynolds number, or the name of a law beside the Reynolds number.
template <int Dim>
void set_viscosity(const CaseTable& table, NavierStokes<Dim>& physics) {
  if (table.is_text("viscosity") && table.choice("viscosity", {"constant", "sutherland"}) == 1) {
    physics.law = ViscosityLaw::sutherland;
    physics.sutherland = table.positive("sutherland", physics.sutherland);
  } else {
    require(!table.has("sutherland"), table.place("sutherland"),
            ": 'equation.sutherland' needs viscosity = \"sutherland\"");
  }
  const bool given = table.has("viscosity") && !table.is_text("viscosity");
  require(!(table.has("reynolds") && given), table.place("viscosity"),
          ": 'equation.viscosity' is 1 / 'equation.reynolds'; one of them is accepted");
  physics.reynolds = given ? 1 / table.positive("viscosity") : table.positive("reynolds");
}

template <int Dim>
std::shared_ptr<const Equation> equation_of(const CaseTable& table, int which, CaseNumbers& numbers) {
  if (which <= 1) {
    const double conductivity = table.positive("conductivity", 1.0), tau = table.positive("tau", 1.0);
    if (which == 0) return make_equation(Poisson<Dim>{.conductivity = conductivity, .tau = tau});
    ConvectionDiffusion<Dim> physics{.conductivity = conductivity, .tau = tau};
    const std::vector<double> velocity = table.numbers("velocity", Dim);
    std::copy(velocity.begin(), velocity.end(), physics.velocity);
    return make_equation(physics);
  }
  Gas<Dim> gas;
  gas.gamma = numbers.gamma = table.number("gamma", 1.4);
  require(gas.gamma > 1, table.place("gamma"), ": 'equation.gamma' is ", gas.gamma, "; more than 1 is accepted");
  gas.smoothing = table.positive("smoothing", gas.smoothing);
  gas.stabilisation = table.choice("stabilisation", {"lax-friedrichs", "roe"}, 0) == 0 ? Stabilisation::lax_friedrichs
                                                                                       : Stabilisation::roe;
  if (which == 3 || table.has("mach")) numbers.mach = table.positive("mach");
  if (table.has("angle")) numbers.angle = table.number("angle") * M_PI / 180;
  if (which == 2) return make_equation(Euler<Dim>{.gas = gas});
  NavierStokes<Dim> physics{.gas = gas, .mach = *numbers.mach, .prandtl = table.positive("prandtl", default_prandtl)};
  set_viscosity(table, physics);
  return make_equation(physics);
}

// The numbers of the equation can be used in formulas.
void add_names(const CaseTable& table, CaseNumbers& numbers) {
  for (const char* key : {"mach", "reynolds", "viscosity", "conductivity"})
    if (table.has(key) && !table.is_text(key)) numbers.names.insert_or_assign(key, table.number(key));
  if (!numbers.is_gas) return;
  numbers.names.insert_or_assign("gamma", numbers.gamma);
  numbers.names.insert_or_assign("prandtl", table.number("prandtl", default_prandtl));
}

// Places of the nodes of walls.
std::vector<Point> wall_points(const Mesh& mesh, const std::vector<std::string>& walls) {
  std::vector<Point> points;
  for (const BoundaryBlock& block : mesh.boundary)
    for (Index f = 0; f < block.num_cells(); ++f) {
      const std::string group = group_name(mesh, block.tag.data()[f]);
      if (std::ranges::count(walls, group) == 0) continue;
      for (const Index node : block.nodes_of(f)) points.push_back(mesh.point(node));
    }
  return points;
}

// The momentum of a state, less the nearer a wall is: a flow that stops at once is too hard for Newton's method.
PointFunction damped(PointFunction state, std::vector<Point> walls, int dim, double length) {
  return [state = std::move(state), walls = std::move(walls), dim, length](const double* x, double* u) {
    state(x, u);
    double nearest = INFINITY;
    for (const Point& wall : walls) {
      double square = 0;
      for (int d = 0; d < dim; ++d) square += (x[d] - wall[to_size(d)]) * (x[d] - wall[to_size(d)]);
      nearest = std::min(nearest, square);
    }
    const double factor = 1 - std::exp(-std::sqrt(nearest) / length);
    double kinetic = 0;
    for (int d = 0; d < dim; ++d) kinetic += 0.5 * u[1 + d] * u[1 + d] / u[0];
    for (int d = 0; d < dim; ++d) u[1 + d] *= factor;
    u[1 + dim] -= (1 - factor * factor) * kinetic;
  };
}

PointFunction start_of(const CaseTable& table, const CaseNumbers& numbers, const Case& c,
                       const std::vector<std::string>& walls, bool stream, const std::vector<Expression>& solution) {
  if (has_state(table, numbers)) return point_function(state_of(table, numbers), c.time_start);
  if (!numbers.is_gas) return point_function({0.0});
  const int kind = table.choice("kind", {"free-stream", "rest", "exact"}, stream ? 0 : 1);
  if (kind == 2) {
    require(!solution.empty(), table.place("kind"), ": 'start.kind' is exact, and the file has no [exact]");
    return point_function(solution, c.time_start);
  }
  CaseNumbers still = numbers;
  if (!still.mach) still.mach = 1;  // Euler: where pressures have no scale, that of sound
  if (kind == 1) {
    std::vector<Expression> u(to_size(numbers.dim + 2), 0.0);
    u[0] = 1.0;
    u.back() = 1 / (numbers.gamma * (numbers.gamma - 1) * *still.mach * *still.mach);
    return point_function(u);
  }
  PointFunction state = point_function(free_stream(numbers, table.place("kind")));
  const double length = table.at_least("damping", 0, 0.1);  // 0: none
  std::vector<Point> points = wall_points(c.mesh, walls);
  return length > 0 && !points.empty() ? damped(std::move(state), std::move(points), c.mesh.dim, length) : state;
}

/// Residuals of a gas are measured in what the free stream carries of mass, momentum and energy: at low Mach numbers
/// pressure and enthalpy, and with them the rounding errors of all fluxes, are large.
std::vector<double> scales_of(const CaseNumbers& numbers) {
  if (!numbers.is_gas || !numbers.mach) return {};
  const double squared = *numbers.mach * *numbers.mach;
  std::vector<double> scales(to_size(numbers.dim + 2), 1 + 1 / (numbers.gamma * squared));
  scales.front() = 1;
  scales.back() = 0.5 + 1 / ((numbers.gamma - 1) * squared);
  return scales;
}

NewtonOptions newton_of(const CaseTable& table, const CaseNumbers& numbers, Case& c) {
  NewtonOptions options;
  options.scales = scales_of(numbers);
  options.tolerance = table.positive("tolerance", c.time ? 1e-8 : options.tolerance);
  options.max_steps = table.integer("max_steps", 1, 10'000, 100);
  options.keep_solutions = table.flag("keep_solutions", true);
  options.cfl = table.at_least("cfl", 0, c.is_gas ? 5.0 : 0.0);  // 0: steady from the start
  options.cfl_growth = table.at_least("growth", 1, 2.0);
  c.cfl_later = table.at_least("cfl_later", 0, c.is_gas ? 30.0 : 0.0);
  c.growth_later = table.at_least("growth_later", 1, 4.0);
  options.keep_mass = c.closed;
  return options;
}

}  // namespace

Case read_case(const std::string& path, std::optional<int> order) {
  Case c;
  c.file = path;
  const std::function<void(double)> nobody;
  c.text = load_text(path, {nobody}).text();
  const CaseTable file = parse_case(c.text, path);
  c.title = file.text("title", "").text;
  const CaseTable &mesh = file.table("mesh"), &equation = file.table("equation"), &space = file.table("space"),
                  &boundary = file.table("boundary"), &start = file.table("start"), &exact = file.table("exact"),
                  &solver = file.table("solver"), &forces = file.table("forces"), &constants = file.table("constants"),
                  &periodic = file.table("periodic");
  const std::optional<CaseTime> time = read_time(file);
  file.table("linear");  // read with [solver]
  file.refuse_others();
  for (const char* name : {"mesh", "equation", "space", "boundary"})
    require(file.has(name) || (name == std::string_view("boundary") && file.has("periodic")), path, ": the table [",
            name, "] is missing; needed are: mesh, equation, space, boundary");

  CaseNumbers numbers;
  const int which = equation.choice("name", equation_names);
  numbers.is_gas = c.is_gas = which >= 2;
  const Expression::Names plain = parse_constants(constants, {}, false);  // without the numbers of the equation
  c.mesh = make_case_mesh(mesh, path, plain);
  mesh.refuse_others();
  set_periodic_sides(periodic, boundary, plain, c.mesh);
  numbers.dim = c.mesh.dim;
  c.problem.equation =
      numbers.dim == 2 ? equation_of<2>(equation, which, numbers) : equation_of<3>(equation, which, numbers);
  equation.refuse_others();
  add_names(equation, numbers);
  if (time) {
    require(!constants.has("t"), constants.place("t"), ": 'constants.t' has a meaning in formulas already, the time");
    numbers.names.insert_or_assign("t", Expression::parse("t"));
    c.time = time->options;
    c.time_start = time->start;
  }
  numbers.names = parse_constants(constants, numbers.names, true);

  const int highest = max_order(numbers.dim);
  c.order = space.integer("order", 1, highest);
  if (order) c.order = *order;
  require(c.order >= 1 && c.order <= highest, "order ", c.order, ": 1 to ", highest, " are accepted in ", numbers.dim,
          " dimensions");
  c.first_order = std::min(c.order, space.integer("first_order", 1, highest, c.is_gas ? 1 : c.order));
  space.refuse_others();

  std::vector<Expression> solution;
  if (file.has("exact")) {
    solution = state_of(exact, numbers);
    c.exact = point_function(solution, time ? time->options.end : 0);
    if (exact.flag("source", false)) {
      require(!uses_time(solution), exact.place("source"),
              ": 'exact.source' of a solution that changes with time; one that does not is accepted");
      c.problem.source = manufactured_source(c.problem.equation, solution);
    }
    exact.refuse_others();
  }
  c.problem.conditions = read_conditions(boundary, *c.problem.equation, numbers, solution);
  std::vector<std::string> walls;
  bool stream = false;
  c.closed = c.is_gas;
  for (const BoundaryCondition& condition : c.problem.conditions) {
    const bool wall = condition.kind.ends_with("-wall");
    if (wall) walls.push_back(condition.group);
    if (condition.kind == "far-field" || condition.kind == "subsonic-inflow") stream = true;
    c.closed = c.closed && (wall || condition.kind == "symmetry");
  }
  c.start = start_of(start, numbers, c, walls, stream && numbers.mach.has_value(), solution);
  start.refuse_others();
  c.newton = newton_of(solver, numbers, c);
  read_linear(file, numbers.dim, c.newton);
  solver.refuse_others();
  if (c.time) {
    c.first_order = c.order;
    c.time->newton = c.newton;
    c.time->newton.max_steps = std::min(c.newton.max_steps, 20);
  }

  c.area = forces.positive("area", 1.0);
  const std::vector<double> about =
      forces.numbers("about", numbers.dim, std::vector<double>(to_size(numbers.dim), 0.0));
  std::copy(about.begin(), about.end(), c.about.begin());
  c.force_groups = walls;
  if (forces.has("groups")) {
    c.force_groups.clear();
    for (const PlacedText& group : forces.texts("groups")) {
      require(boundary.has(group.text), group.place, ": 'forces.groups' has '", group.text,
              "', which has no condition in [boundary]");
      c.force_groups.push_back(group.text);
    }
  }
  forces.refuse_others();
  if (stream && c.is_gas && !c.force_groups.empty()) c.angle = numbers.angle.value_or(0);
  return c;
}

}  // namespace millrace::hdg
