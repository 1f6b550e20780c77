// Steps in time: M du/dt + R(u, uh, t) = 0 by diagonally implicit Runge-Kutta methods of order 2 and 3 or by BDF 2,
// with fixed steps or steps by an error estimate. Every stage is one solve by Newton's method, and traces have no past.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "millrace/hdg/newton.hpp"

namespace millrace::hdg {

enum class TimeScheme { dirk2, dirk3, bdf2 };
/// In the order of TimeScheme.
const std::vector<std::string>& time_scheme_names();

/// Stages U_i = u + dt sum_j a_ij k_j at times t + c_i dt; the last one is the result, for the methods are stiffly
/// accurate. The difference to u + dt sum_j embedded_j k_j, one order lower, is the error estimate.
struct DirkTable {
  int order = 0, num_stages = 0;
  std::array<std::array<double, 3>, 3> a{};
  std::array<double, 3> c{}, embedded{};
};
/// Alexander (1977), L-stable: 2 stages of order 2, 3 of order 3. BDF 2 begins with the former.
const DirkTable& dirk_table(TimeScheme scheme);

/// A step that was accepted.
struct TimeStep {
  int number = 0;                        // from 1
  double time = 0;                       // after it
  double step = 0;                       // its size
  double error = 0;                      // estimate, in the measure of TimeOptions::tolerance; 0: none was made
  int num_rejected = 0;                  // attempts before it that were not accepted
  int newton_steps = 0, iterations = 0;  // of all its stages, and of GMRES, with those of rejected attempts
};

struct TimeOptions {
  TimeScheme scheme = TimeScheme::dirk3;
  double step = 0;  // with a tolerance: the first
  double end = 0;   // time at which to stop; the last step is shortened
  /// Of the error of a step: of each component the L2 norm over that of |u| + 1, and of these the root mean square.
  /// 0: all steps have the same size.
  double tolerance = 0;
  double max_step = std::numeric_limits<double>::infinity();  // with a tolerance
  int max_steps = 10'000'000;
  /// Of every stage. Pseudo-time, kept mass and monitor are not used.
  NewtonOptions newton{.max_steps = 20};
  std::function<bool(const TimeStep&)> monitor{};  // after every accepted step; false ends it
};

/// u at an earlier time.
struct TimeLevel {
  double time = 0;
  std::vector<double> u;  // [cells, comps, cell modes]
};

/// All that the next step depends on: a run that is continued with a copy of it takes the same steps.
struct TimeState {
  State state{};
  double time = 0;
  double step = 0;                   // that the error estimate proposes next; 0: TimeOptions::step
  int number = 0;                    // of the last step
  std::vector<TimeLevel> earlier{};  // of BDF 2, the latest first
};

struct TimeReport {
  bool finished = false;  // the end was reached
  std::string reason{};
  std::vector<TimeStep> steps{};
};

/// From the state, which is up to date whenever the monitor is called, to the end, and the solver's time with it. A
/// solve that fails is no Error: with a tolerance a smaller step is tried, and otherwise report.finished is false.
TimeReport integrate(Queue& queue, LocalSolver& solver, TimeState& state, const TimeOptions& options);

}  // namespace millrace::hdg
