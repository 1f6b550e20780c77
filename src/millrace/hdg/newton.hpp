// Newton's method for the traces: the exact Jacobian, eliminated cell by cell, GMRES with two levels, and where the
// start is far from the solution steps in pseudo-time that grow as the residual falls.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "millrace/base/queue.hpp"
#include "millrace/hdg/local_solver.hpp"
#include "millrace/hdg/trace_solver.hpp"

namespace millrace::hdg {

struct NewtonStep {
  double residual = 0;    // before the step: of cells and traces, each over the root of its size and its scale
  double cfl = 0;         // of the pseudo-time; 0: steady
  double tolerance = 0;   // asked of GMRES
  int iterations = 0;     // of GMRES
  double assembly = 0;    // seconds for the trace system: all cells linearised and eliminated
  double length = 1;      // of the step that was accepted; 0: none was
  int number = 1;         // counted from 1, by runs that were resumed on and on
  std::string changes{};  // of the linear solver's settings: see TraceSolve
};

/// The term inverse_step (u - old) of a stage in time, which every cell has; docs/hdg.md has the schemes.
struct TimeTerm {
  double inverse_step = 0;        // 1 over time; 0: none, the equations are steady
  std::span<const double> old{};  // [cells, comps, cell modes]
};

/// Where the method stands between two steps. With the state it is all that a run needs to go on as if it had not been
/// stopped; hdg/state_file.hpp writes both.
struct Continuation {
  int step = 0;                          // steps made; 0: the method begins
  double cfl = 0;                        // of the next step
  double residual = 0;                   // of the state
  double last = 0;                       // before the last step: what is asked of GMRES follows from both
  double best = 0;                       // the smallest so far
  int stalled = 0;                       // steps since the residual was halved
  double mass = 0;                       // that is kept
  TraceMemory linear{};                  // of the solver of trace systems
  std::vector<std::string> fallbacks{};  // taken so far
};

struct NewtonOptions {
  double tolerance = 1e-10;      // of the residual, as NewtonStep has it, or what rounding leaves of it
  std::vector<double> scales{};  // [comps]: what the residual of each quantity is measured in; empty: in 1
  int max_steps = 45;
  double cfl = 0;         // of the first step of pseudo-time; 0: steady from the start
  double cfl_growth = 2;  // after a full step
  double max_cfl = 1e8;   // from here on steady
  // Where walls alone bound a gas there is a steady state for every mass: that of the start is kept. Steps stay in
  // pseudo-time, up to a cfl of 1e3, linear systems are solved as tightly as allowed, and what mass rounding and they
  // gain or lose is taken out by a factor after every step.
  bool keep_mass = false;
  double linear_tolerance = 1e-6;  // the tightest that is asked of GMRES
  double loosest = 1e-2;           // and the loosest
  bool keep_solutions = true;      // D^-1 F of every cell, n (m + 1) numbers; else they are computed again after GMRES
  TraceSolverOptions linear{};     // how GMRES is made to converge
  std::function<bool(const NewtonStep&)> monitor{};  // after every step; false ends it
  TimeTerm time{};                                   // takes the place of pseudo-time: cfl must be 0 with it
  // Goes on from here. Where the residual of the state is not the one that stands there, the problem is another one,
  // and the method begins anew.
  Continuation from{};
  std::function<void(const Continuation&)> checkpoint{};  // after every step, when the state is ready for the next
};

struct NewtonReport {
  bool converged = false;
  std::string reason{};
  double residual = 0;  // at the end
  std::vector<NewtonStep> steps{};
  Continuation next{};  // goes on from the state; where no step was possible it begins anew
};

/// From the state, which becomes the result, on the queue's threads; the same bits for any number of them. A step that
/// leads to an impossible state or a larger residual is halved; divergence is no Error: ask report.converged.
NewtonReport newton(Queue& queue, const LocalSolver& solver, State& state, const NewtonOptions& options = {});

}  // namespace millrace::hdg
