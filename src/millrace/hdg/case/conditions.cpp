// What each kind of condition takes, in the order of the equation's components.
#include "millrace/hdg/case/conditions.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/to_size.hpp"
#include "millrace/hdg/physics/gas.hpp"
#include "millrace/io/case_formulas.hpp"

namespace millrace::hdg {
namespace {

double mach_of(const CaseNumbers& numbers, const std::string& place, std::string_view what) {
  require(numbers.mach.has_value(), place, ": ", what, " needs 'equation.mach'");
  return *numbers.mach;
}

std::vector<Expression> conserved(const CaseNumbers& numbers, const Expression& density,
                                  const std::vector<Expression>& velocity, const Expression& pressure) {
  std::vector<Expression> u{density};
  Expression square = 0;
  for (const Expression& v : velocity) {
    u.push_back(density * v);
    square = square + v * v;
  }
  u.push_back(pressure / (numbers.gamma - 1) + Expression(0.5) * density * square);
  return u;
}

// The velocity of a wall: at rest, given, or turning about a point (in space: about the z axis through it).
std::vector<Expression> wall_velocity(const CaseTable& table, const CaseNumbers& numbers) {
  std::vector<Expression> velocity(to_size(numbers.dim), 0.0);
  if (table.has("rotation")) {
    require(!table.has("velocity"), table.place("velocity"),
            ": a wall with a rotation and a velocity; one of them is accepted");
    const double rate = table.number("rotation");
    const std::vector<double> center = table.numbers("center", 2, std::vector<double>{0, 0});
    velocity[0] = Expression(rate) * (Expression(center[1]) - Expression::parse("y"));
    velocity[1] = Expression(rate) * (Expression::parse("x") - Expression(center[0]));
  } else if (table.has("velocity")) {
    velocity = parse_formulas(table, "velocity", numbers.dim, numbers.names);
  }
  return velocity;
}

// Density and velocity of what comes in; without them those of the exact solution, or of the free stream.
std::vector<Expression> inflow(const CaseTable& table, const CaseNumbers& numbers,
                               const std::vector<Expression>& exact) {
  if (table.has("density") || table.has("velocity")) {
    std::vector<Expression> data = parse_formulas(table, "density", 1, numbers.names);
    for (const Expression& v : parse_formulas(table, "velocity", numbers.dim, numbers.names)) data.push_back(v);
    return data;
  }
  const std::vector<Expression> u = exact.empty() ? free_stream(numbers, table.place()) : exact;
  std::vector<Expression> data{u[0]};
  for (int d = 0; d < numbers.dim; ++d) data.push_back(u[to_size(1 + d)] / u[0]);
  return data;
}

std::vector<Expression> data_of(const CaseTable& table, std::string_view kind, const Equation& equation,
                                const CaseNumbers& numbers, const std::vector<Expression>& exact) {
  const int comps = equation.comps();
  if (kind == "neumann") return parse_formulas(table, "flux", comps, numbers.names);
  if (kind == "dirichlet" || kind == "far-field") {
    if (has_state(table, numbers)) return state_of(table, numbers);
    if (kind == "dirichlet" && !exact.empty()) return exact;
    require(numbers.is_gas, table.place(), ": [", table.name(), "] needs 'value', a number or a formula in quotes");
    return free_stream(numbers, table.place());
  }
  if (kind == "pressure-outlet") {
    if (table.has("pressure")) return parse_formulas(table, "pressure", 1, numbers.names);
    const double mach = mach_of(numbers, table.place(), "a pressure outlet without 'pressure'");
    return {1 / (numbers.gamma * mach * mach)};
  }
  if (kind == "slip-wall" || kind == "symmetry") return {};
  if (kind == "subsonic-inflow") return inflow(table, numbers, exact);
  std::vector<Expression> data = wall_velocity(table, numbers);
  if (kind == "isothermal-wall")
    data.push_back(table.has("temperature") ? parse_formulas(table, "temperature", 1, numbers.names)[0]
                                            : Expression(1.0));
  return data;
}

}  // namespace

PointFunction point_function(std::vector<Expression> values, double time) {
  return [values = std::move(values), time](const double* x, double* u) {
    for (std::size_t i = 0; i < values.size(); ++i) u[i] = values[i].at({x[0], x[1], x[2]}, time);
  };
}

bool uses_time(const std::vector<Expression>& values) { return std::ranges::any_of(values, &Expression::uses_time); }

PointFunction manufactured_source(std::shared_ptr<const Equation> equation, std::vector<Expression> values) {
  return [equation = std::move(equation), values = std::move(values)](const double* x, double* out) {
    const int comps = equation->comps(), dim = equation->dim();
    double u[8], q[24], second[72];
    for (int i = 0; i < comps; ++i) {
      const Jet jet = values[to_size(i)].jet_at({x[0], x[1], x[2]});
      u[i] = jet.value;
      for (int j = 0; j < dim; ++j) {
        q[i * dim + j] = jet.first[j];
        for (int k = 0; k < dim; ++k) second[(i * dim + j) * dim + k] = jet.second[j][k];
      }
    }
    equation->balance(x, u, q, second, out);
  };
}

bool has_state(const CaseTable& table, const CaseNumbers& numbers) {
  bool found = false;
  if (!numbers.is_gas) return table.has("value");
  for (const char* key : {"density", "velocity", "pressure", "temperature"}) found = table.has(key) || found;
  return found;
}

std::vector<Expression> state_of(const CaseTable& table, const CaseNumbers& numbers) {
  if (!numbers.is_gas) return parse_formulas(table, "value", 1, numbers.names);
  const Expression density = parse_formulas(table, "density", 1, numbers.names)[0];
  const std::vector<Expression> velocity = parse_formulas(table, "velocity", numbers.dim, numbers.names);
  const bool warm = table.has("temperature");
  require(!(warm && table.has("pressure")), table.place("temperature"),
          ": a state has its pressure or its temperature, not both");
  if (!warm) return conserved(numbers, density, velocity, parse_formulas(table, "pressure", 1, numbers.names)[0]);
  const double mach = mach_of(numbers, table.place("temperature"), "a temperature");
  const Expression temperature = parse_formulas(table, "temperature", 1, numbers.names)[0];
  return conserved(numbers, density, velocity, density * temperature / (numbers.gamma * mach * mach));
}

std::vector<Expression> free_stream(const CaseNumbers& numbers, const std::string& place) {
  const double mach = mach_of(numbers, place, "the free stream"), angle = numbers.angle.value_or(0);
  double u[5];
  if (numbers.dim == 2)
    Gas<2>{.gamma = numbers.gamma}.free_stream(mach, angle, u);
  else
    Gas<3>{.gamma = numbers.gamma}.free_stream(mach, angle, u);
  return {u, u + numbers.dim + 2};
}

std::vector<BoundaryCondition> read_conditions(const CaseTable& boundary, const Equation& equation,
                                               const CaseNumbers& numbers, const std::vector<Expression>& exact) {
  const std::vector<std::string> kinds(equation.kinds().begin(), equation.kinds().end());
  std::vector<BoundaryCondition> conditions;
  for (const std::string& group : boundary.keys()) {
    const CaseTable& table = boundary.table(group);
    const std::string& kind = kinds[to_size(table.choice("kind", kinds))];
    std::vector<Expression> data = data_of(table, kind, equation, numbers, exact);
    table.refuse_others();
    data.resize(to_size(equation.comps()));
    conditions.push_back({group, kind, point_function(data)});
    if (!uses_time(data)) continue;
    conditions.back().data_in_time = [data](const double* x, double time, double* values) {
      for (std::size_t i = 0; i < data.size(); ++i) values[i] = data[i].at({x[0], x[1], x[2]}, time);
    };
  }
  return conditions;
}

}  // namespace millrace::hdg
