// Keys of the table [linear].
#include "millrace/hdg/case/linear_table.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/hdg/trace_solver_words.hpp"
#include "millrace/hdg/trace_space.hpp"

namespace millrace::hdg {
namespace {

// Less than 1, or nothing would be solved.
double share(const CaseTable& table, const char* key, double otherwise) {
  const double value = table.positive(key, otherwise);
  require(value < 1, table.place(key), ": '", table.name(), ".", key, "' is ", value,
          "; a share of the right-hand side, more than 0 and less than 1, is accepted");
  return value;
}

void read_coarse(const CaseTable& table, int dim, TraceSolverOptions& linear) {
  const int solver = table.choice("coarse", coarse_names(), static_cast<int>(linear.coarse));
  if (solver == std::ssize(coarse_names()) - 1) {
    for (const char* key : {"coarse_order", "coarse_steps"})
      require(!table.has(key), table.place(key), ": 'linear.", key, "' beside coarse = \"none\"; a coarse system (",
              coarse_names()[0], ", ", coarse_names()[1], ") has one");
    linear.coarse_order = -1;
    return;
  }
  linear.coarse = static_cast<CoarseSolver>(solver);
  linear.coarse_order = table.integer("coarse_order", 0, max_order(dim) - 1, linear.coarse_order);
  linear.coarse_steps = table.integer("coarse_steps", 1, 100, linear.coarse_steps);
}

}  // namespace

void read_linear(const CaseTable& file, int dim, NewtonOptions& options) {
  const CaseTable &table = file.table("linear"), &solver = file.table("solver");
  const bool elsewhere = solver.has("linear_tolerance");
  require(!(elsewhere && table.has("tolerance")), table.place("tolerance"),
          ": 'linear.tolerance' is 'solver.linear_tolerance'; one of them is accepted");
  options.linear_tolerance = elsewhere ? share(solver, "linear_tolerance", options.linear_tolerance)
                                       : share(table, "tolerance", options.linear_tolerance);
  options.loosest = share(table, "loosest", std::max(options.loosest, options.linear_tolerance));
  require(options.loosest >= options.linear_tolerance, table.place("loosest"), ": 'linear.loosest' is ",
          options.loosest, ", less than the tightest, ", options.linear_tolerance);
  TraceSolverOptions& linear = options.linear;
  linear.minimum_fill = table.choice("elimination", elimination_names(), linear.minimum_fill ? 0 : 1) == 0;
  read_coarse(table, dim, linear);
  linear.precision =
      static_cast<Precision>(table.choice("factors", factor_names(), static_cast<int>(linear.precision)));
  linear.cycle = table.integer("cycle", 1, 10'000, linear.cycle);
  table.refuse_others();
}

}  // namespace millrace::hdg
