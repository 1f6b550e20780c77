// States and boundary conditions of a case file, as functions of the place.
#pragma once

#include <optional>

#include "millrace/hdg/problem.hpp"
#include "millrace/io/case_file.hpp"
#include "millrace/io/expression.hpp"

namespace millrace::hdg {

/// Numbers of the equation that states are made with.
struct CaseNumbers {
  int dim = 2;
  bool is_gas = false;
  double gamma = 1.4;
  std::optional<double> mach{}, angle{};  // of the free stream; angle in radians
  Expression::Names names{};              // that formulas may use
};

/// Is any key of a state in the table?
bool has_state(const CaseTable& table, const CaseNumbers& numbers);
/// Conserved quantities, from density, velocity and pressure or temperature; or the value of a scalar.
std::vector<Expression> state_of(const CaseTable& table, const CaseNumbers& numbers);
/// Density 1 and speed 1 at the angle. An Error at `place` where the case has no Mach number.
std::vector<Expression> free_stream(const CaseNumbers& numbers, const std::string& place);

PointFunction point_function(std::vector<Expression> values, double time = 0);
bool uses_time(const std::vector<Expression>& values);
/// The source that makes the values a solution.
PointFunction manufactured_source(std::shared_ptr<const Equation> equation, std::vector<Expression> values);

/// [boundary.GROUP] for all groups; `exact` serves Dirichlet conditions that name no state.
std::vector<BoundaryCondition> read_conditions(const CaseTable& boundary, const Equation& equation,
                                               const CaseNumbers& numbers, const std::vector<Expression>& exact);

}  // namespace millrace::hdg
