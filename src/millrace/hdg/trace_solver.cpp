// Orders are made when they are needed, factors for every matrix.
#include "millrace/hdg/trace_solver.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/shape.hpp"
#include "millrace/precond/order_mdf.hpp"
#include "millrace/solve/gmres.hpp"

namespace millrace::hdg {
namespace {

constexpr int most_coarse_steps = 16, longest_cycle = 200, last_cycles = 3;

void add_to(std::string& list, const std::string& text) { list += (list.empty() ? "" : "; ") + text; }

/// The rows of a block that belong to modes up to this order.
std::vector<Index> trace_modes(const TraceSpace& space, int comps, int order) {
  const Cell face = face_cell(space.mesh().blocks[0].cell);
  std::vector<Index> rows;
  for (int c = 0; c < comps; ++c)
    for (const Lattice& place : lattice(face, order))
      rows.push_back(c * space.face_modes() + lattice_index(face, space.order(), place));
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

// All modes would be no coarse system.
int coarse_order_of(const TraceSolverOptions& options, int order) { return std::min(options.coarse_order, order - 1); }

TraceSolver::TraceSolver(const TraceSpace& space, int comps, const TraceSolverOptions& options) : options_(options) {
  require(options.coarse_order >= -1 && options.coarse_steps >= 1 && options.cycle >= 1,
          "hdg: a coarse system of order ", options.coarse_order, ", ", options.coarse_steps,
          " steps for it and cycles of ", options.cycle,
          "; an order from 0 (-1: none), and steps and cycles from 1 are accepted");
  const int low = coarse_order_of(options, space.order());
  if (low < 0) return;
  kept_ = trace_modes(space, comps, low);
  constants_ = trace_modes(space, comps, 0);
}

TraceMemory TraceSolver::memory() const {
  return {.order = order_,
          .per_digit = per_digit_,
          .constant_coarse = !kept_.empty() && kept_ == constants_ ? 1 : 0,
          .full_precision = options_.precision == Precision::full ? 1 : 0,
          .coarse_steps = options_.coarse_steps,
          .cycle = options_.cycle};
}

void TraceSolver::recall(const TraceMemory& memory) {
  order_ = memory.order;
  per_digit_ = memory.per_digit;
  if (memory.constant_coarse != 0) keep_constants();
  if (memory.full_precision != 0) options_.precision = Precision::full;
  options_.coarse_steps = std::max(options_.coarse_steps, memory.coarse_steps);
  options_.cycle = std::max(options_.cycle, memory.cycle);
}

void TraceSolver::prepare(Queue& queue, const SparseMatrix<double>& a) {
  const auto& blocks = std::get<Dbf<double>>(a.format());
  if (options_.minimum_fill && order_.empty()) {
    order_ = order_mdf(queue, blocks);
    fresh_order_ = true;
    per_digit_ = 0;
    two_level_.reset();
    one_level_.reset();
  }
  const IncompleteOptions factors{.precision = options_.precision, .order = order_};
  if (two_level_) {
    two_level_->update_values(queue);
  } else if (one_level_) {
    one_level_->update_values(queue, blocks);
  } else if (kept_.empty()) {
    one_level_.emplace(block_ilu0(queue, blocks, factors));
  } else {
    TwoLevelOptions two;
    two.kept = kept_;
    two.solver = options_.coarse;
    two.steps = options_.coarse_steps;
    two.smoother = two.coarse = factors;
    two_level_.emplace(queue, a, std::move(two));
  }
}

SolveReport TraceSolver::iterate(Queue& queue, const SparseMatrix<double>& a, std::span<const double> b,
                                 std::span<double> x, double tolerance) const {
  SolveOptions solve;
  solve.tolerance = tolerance;
  solve.restart = options_.cycle;
  const int cycles = options_.cycle < longest_cycle ? 1 : last_cycles;  // what one could not do other settings may
  solve.max_iterations = cycles * options_.cycle;
  if (two_level_ && !two_level_->is_constant()) return fgmres(queue, a, *two_level_, b, x, solve);
  solve.restart = 2 * options_.cycle;  // one vector for each
  solve.max_iterations = cycles * solve.restart;
  if (two_level_) return gmres(queue, a, *two_level_, b, x, solve);
  return gmres(queue, a, *one_level_, b, x, solve);
}

/// The coarse system of order 0, where there is one.
void TraceSolver::keep_constants() {
  kept_ = constants_;
  if (!constants_.empty()) options_.coarse_order = 0;
}

/// Changes one setting for the better; false: none is left.
bool TraceSolver::take_next_rung(TraceSolve& solve) {
  two_level_.reset();
  one_level_.reset();
  if (options_.minimum_fill && !fresh_order_) {
    order_.clear();
    add_to(solve.changes, "a new order of elimination");
  } else if (kept_ != constants_) {
    keep_constants();
    add_to(solve.changes, "a coarse system of order 0");
  } else if (options_.precision != Precision::full) {
    options_.precision = Precision::full;
    add_to(solve.changes, "factors in double");
  } else if (!kept_.empty() && options_.coarse_steps < most_coarse_steps) {
    options_.coarse_steps = most_coarse_steps;
    add_to(solve.changes, join(most_coarse_steps, " steps for the coarse system"));
  } else if (options_.cycle < longest_cycle) {
    options_.cycle = longest_cycle;
    add_to(solve.changes, join("cycles of ", longest_cycle));
  } else {
    return false;
  }
  return true;
}

TraceSolve TraceSolver::solve(Queue& queue, const SparseMatrix<double>& a, std::span<const double> b,
                              std::span<double> x, double tolerance) {
  TraceSolve solve;
  std::fill(x.begin(), x.end(), 0.0);
  fresh_order_ = false;
  for (;;) {
    prepare(queue, a);
    const SolveReport report = iterate(queue, a, b, x, tolerance);
    solve.iterations += report.iterations;
    solve.converged = report.ok() || report.end == SolveEnd::nearly_converged;
    if (solve.converged || !take_next_rung(solve)) break;
  }
  if (!solve.converged || order_.empty()) return solve;
  const double digits = std::max(1.0, -std::log10(tolerance)), per_digit = solve.iterations / digits;
  if (per_digit_ == 0) per_digit_ = std::max(per_digit, 3.0);  // fewer are no reason
  if (!fresh_order_ && per_digit > 1.5 * per_digit_) {
    order_.clear();
    add_to(solve.changes, "a new order of elimination from the next step on");
  }
  return solve;
}

}  // namespace millrace::hdg
