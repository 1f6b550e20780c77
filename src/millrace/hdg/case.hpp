// A case: what a case file says, checked and ready to run, and its run by one order after the other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "millrace/hdg/outputs.hpp"
#include "millrace/hdg/time_steps.hpp"

namespace millrace::hdg {

struct SavedState;

/// docs/flow.md has all keys of the file.
struct Case {
  std::string file, title, text;  // text: that of the file
  Mesh mesh;
  Problem problem;
  PointFunction start;                      // u where Newton's method begins
  PointFunction exact{};                    // u of a known solution, in time at the end; empty: none is known
  int first_order = 1, order = 1;           // Newton's method begins with the first, and raises it one by one
  NewtonOptions newton{};                   // of the first order
  double cfl_later = 30, growth_later = 4;  // of the others
  bool closed = false;                      // walls alone bound the gas: its mass is that of the start
  bool is_gas = false;
  std::optional<double> angle{};          // of the free stream, in radians: drag and lift are defined
  double area = 1;                        // that coefficients refer to
  Point about{};                          // that moments refer to
  std::vector<std::string> force_groups;  // walls, whose forces are drag and lift
  std::optional<TimeOptions> time{};      // steps in time by the last order, and no steady state
  double time_start = 0;
};

/// Reads, checks, and makes the mesh. An Error has file, line and column where the file is to blame. `order` replaces
/// that of the file.
Case read_case(const std::string& path, std::optional<int> order = {});

/// Cd and Cl: force on the walls along and across the free stream over the area and half the pressure of the stream.
struct Coefficients {
  double drag = 0, lift = 0, moment = 0;
};

struct CaseStep {
  int order = 0, number = 0;  // of all steps of this order
  NewtonStep newton{};
  Coefficients coefficients{};         // after the step
  double seconds = 0;                  // since the run began
  std::optional<TimeStep> time{};      // in time: the step, and no step of Newton's method
  std::vector<BoundaryFlux> fluxes{};  // in time: after the step
};

/// Bytes at the peak of Newton's method, as long as the settings of the linear solver stay as they are.
struct MemoryEstimate {
  double matrix = 0, factors = 0, basis = 0;  // of the trace system; vectors that GMRES keeps
  double cells = 0;                           // u and D^-1 (F, R) of every cell
  double coarse = 0;                          // the coarse system: its matrix and factors, and the way there and back
  double rest = 0;                            // other vectors, patterns, topology, work space of threads
  double large() const { return matrix + factors + basis + cells; }
  double total() const { return large() + coarse + rest; }
};

/// On simplices of 2 or 3 dimensions.
MemoryEstimate estimate_memory(Index num_cells, Index num_faces, int dim, int comps, int order,
                               const NewtonOptions& options = {}, int num_threads = 1);

struct OrderResult {
  int order = 0;
  Offset unknowns = 0;  // of the trace system
  int num_steps = 0;
  double residual = 0, seconds = 0;
  Coefficients coefficients{};
  std::vector<double> errors{};  // [comps]: L2 norms, where the solution is known
  MemoryEstimate memory{};       // estimated before
  double peak_bytes = 0;         // of the process, less what it had before the run; 0: not known
};

struct CaseResult {
  bool converged = false;
  std::string reason{};
  std::vector<CaseStep> steps{};
  std::vector<OrderResult> orders{};
  std::vector<BoundaryFlux> fluxes{};   // at the end
  double mass_start = 0, mass_end = 0;  // of component 0
  double seconds = 0;
  State state{};  // at the last order
};

/// As above for the case at one of its orders, on a mesh with that many faces (periodic ones counted once).
MemoryEstimate estimate_memory(const Case& c, Index num_faces, int order, int num_threads);

/// Seconds of one Newton step at the order of the case, from what is timed on the queue's threads: nothing is solved.
struct StepEstimate {
  double cells = 0;       // one elimination and two residuals of all, from some
  Index num_timed = 0;    // cells
  double factors = 0;     // of a matrix with the pattern and block size of the trace matrix
  double iteration = 0;   // of GMRES: one product with each, and the basis after 30 iterations read at memory speed
  int product_order = 0;  // at which products and factors were timed; less than that of the case: to save memory
};
StepEstimate estimate_step(Queue& queue, const Case& c);

/// The state of a run in time between two steps.
struct CaseMoment {
  const LocalSolver& solver;
  const State& state;
  double time = 0;
  int step = 0;  // number of the last one; 0: the start
};

/// States that a run writes, and one that it goes on from (hdg/state_file.hpp).
struct Checkpoints {
  std::string save{};  // file, written when the run ends for whatever reason; empty: none
  int save_every = 0;  // and after every so many steps; 0: at the end alone
  /// A steady run begins with its order, or with the nearest that the case runs through. One in time has its own order,
  /// and begins at the time of the state, or with a steady one at the start of the case.
  const SavedState* resume = nullptr;
  std::function<void(const CaseMoment&)> show{};  // in time: where it begins, and after every step before the monitor
};

/// Divergence is no Error: ask result.converged. What the machine's memory cannot hold is refused first. `monitor` is
/// called after every step; false ends the run. A run that goes on from a state makes the same steps as one that was
/// not stopped, to the last bit; max_steps counts its own.
CaseResult run_case(Queue& queue, const Case& c, const std::function<bool(const CaseStep&)>& monitor = {},
                    const Checkpoints& checkpoints = {});

}  // namespace millrace::hdg
