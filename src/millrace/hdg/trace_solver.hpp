// GMRES for trace systems: block ILU(0) in the order of minimum discarded fill, with a coarse system of the lowest
// trace modes. Where that does not converge, a ladder of safer settings, each named.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "millrace/hdg/trace_space.hpp"
#include "millrace/precond/two_level.hpp"
#include "millrace/solve/options.hpp"

namespace millrace::hdg {

/// How trace systems are solved.
struct TraceSolverOptions {
  bool minimum_fill = true;  // the order of elimination; else as traces are numbered
  int coarse_order = 1;      // trace modes up to this order, but not all, are the coarse system; -1: there is none
  CoarseSolver coarse = CoarseSolver::gmres;
  int coarse_steps = 8;
  Precision precision = Precision::single;  // of the factors
  int cycle = 100;                          // iterations of GMRES before a restart; two vectors are kept for each
};

/// Trace modes up to this order are the coarse system of a space of that order; -1: there is none.
int coarse_order_of(const TraceSolverOptions& options, int order);

/// What a solver has learnt: another one that is given it goes on with the same bits.
struct TraceMemory {
  std::vector<Index> order{};  // of elimination; empty: it is made for the next matrix
  double per_digit = 0;        // iterations for a digit when the order was new; 0: not known
  // Settings after all changes; 0: those of the options.
  int constant_coarse = 0, full_precision = 0, coarse_steps = 0, cycle = 0;
};

/// What one solve took.
struct TraceSolve {
  int iterations = 0;
  bool converged = false;
  std::string changes{};  // what was changed to get there, or before the next: "a new order; factors in double"
};

/// Keeps orders and structure from solve to solve; a new matrix must have the same blocks.
class TraceSolver {
 public:
  TraceSolver(const TraceSpace& space, int comps, const TraceSolverOptions& options = {});

  /// x = 0 at first; as exactly as the tolerance says, |b - A x| <= tolerance |b|. The matrix is a TraceSystem's, and
  /// the same object each time. The order is made anew once it takes half as many iterations more for a digit.
  TraceSolve solve(Queue& queue, const SparseMatrix<double>& a, std::span<const double> b, std::span<double> x,
                   double tolerance);
  const TraceSolverOptions& options() const { return options_; }  // as they are after all changes
  std::span<const Index> order() const { return order_; }         // of elimination; empty: as traces are numbered
  TraceMemory memory() const;
  /// Before the first solve.
  void recall(const TraceMemory& memory);

 private:
  void prepare(Queue& queue, const SparseMatrix<double>& a);
  SolveReport iterate(Queue& queue, const SparseMatrix<double>& a, std::span<const double> b, std::span<double> x,
                      double tolerance) const;
  bool take_next_rung(TraceSolve& solve);
  void keep_constants();

  TraceSolverOptions options_;
  std::vector<Index> kept_;       // rows of a block in the coarse system
  std::vector<Index> constants_;  // of them those of order 0
  std::vector<Index> order_;
  bool fresh_order_ = false;  // made from this matrix
  double per_digit_ = 0;      // iterations for a digit when the order was new; 0: not known
  std::optional<TwoLevel<double>> two_level_;
  std::optional<Incomplete<double>> one_level_;
};

}  // namespace millrace::hdg
