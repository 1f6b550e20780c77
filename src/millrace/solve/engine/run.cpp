// From the first residual to the report: restarts from the true residual, and the sentence that says what happened.
#include <chrono>
#include <cmath>
#include <limits>

#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {
namespace {

constexpr int max_restarts = 3;
constexpr int max_history = 1 << 20;
constexpr double true_over_target = 10;  // a true residual up to this many times the target is a converged one

std::string not_a_number_reason(const Progress& state) {
  if (state.detail == ResidualStep<double>::bad_rhs)
    return "the right-hand side holds NaN or Inf, or its norm overflows";
  if (state.detail == ResidualStep<double>::bad_product)
    return "b - A x is NaN or Inf for the start vector x: look for NaN in the matrix and in x";
  return join("a number became NaN or Inf after ", state.iterations,
              " iterations: the matrix or the preconditioner holds one, or the numbers overflowed");
}

std::string reason(const Method& method, const Progress& state, SolveEnd end, double goal) {
  const std::string own = method.explain ? method.explain(state) : std::string();
  const double rhs = state.rhs_norm > 0 ? state.rhs_norm : 1;
  const double relative = state.true_residual / rhs;
  switch (end) {
    case SolveEnd::converged:
      return join("the residual is ", relative, " of the right-hand side after ", state.iterations, " iterations");
    case SolveEnd::max_iterations:
      return join("the residual is ", relative, " of the right-hand side after ", state.iterations,
                  " iterations, the most that were allowed; ", goal / rhs,
                  " was the aim: allow more, or take a better preconditioner");
    case SolveEnd::stagnation:
      if (state.status == static_cast<int>(SolveEnd::stagnation) && !own.empty()) return own;
      return join("the recurrence says ", state.residual / rhs, ", but |b - A x| is ", relative,
                  " of the right-hand side, and restarts from there did not help: the aim of ", goal / rhs,
                  " is below what this precision can reach for this matrix, or the matrix is not of the kind that ",
                  "the method needs (symmetric for cg, minres and chebyshev)");
    case SolveEnd::not_a_number:
      return not_a_number_reason(state);
    case SolveEnd::stopped:
      return join("the monitor stopped it after ", state.iterations, " iterations");
    case SolveEnd::breakdown:
      if (state.detail == Progress::diverged)
        return join("the residual grew to ", state.residual / rhs, " of the right-hand side: the method diverges",
                    own.empty() ? "" : "; ", own);
      break;
    case SolveEnd::indefinite:
      break;
  }
  return own.empty() ? std::string(to_string(end)) : own;
}

}  // namespace

template <class T>
SolveReport run(System<T>& system, Progress* progress, const Method& method) {
  using A = Arith<T>;
  const auto begin = std::chrono::steady_clock::now();
  const Range range(system.name.data());
  Queue& queue = system.queue;
  const SolveOptions& options = system.options;
  Array<double> history(queue, std::min(options.max_iterations, max_history) + 1);
  Progress state;
  state.max_iterations = options.max_iterations;
  state.tolerance = options.tolerance;
  state.absolute = options.absolute;
  state.history = history.data();
  state.history_size = static_cast<int>(history.size());
  copy_bytes(queue, queue.device(), progress, Device::host(), &state, sizeof(state));

  const auto residual = [&](bool start, double shrink) {
    sweep(queue, system.comm, system.n,
          ResidualStep<A>{arith(system.b.data), arith(system.q.data), arith(system.r.data), progress, start, shrink});
  };
  Loop loop(queue, options, progress, method, system.n);
  system.product(system.x, system.q);
  residual(true, 1);
  state = loop.fetch();
  const double goal = std::max(state.tolerance * state.rhs_norm, state.absolute);
  SolveReport report;
  if (state.rhs_norm == 0) {
    sweep(queue, system.comm, system.n, FillStep<A>(A{}, arith(system.x.data)));
    report.history = {0};
    report.reason = "the right-hand side is zero, so x = 0";
  } else {
    double best = std::numeric_limits<double>::infinity(), shrink = 1;
    for (int restarts = 0;; ++restarts) {
      const int before = state.iterations;
      if (state.active()) {
        method.start();
        state = loop.run();
        if (method.end) method.end(state);
        system.product(system.x, system.q);
        residual(false, shrink);
        state = loop.fetch();
      }
      const double found = state.true_residual;
      report.end = state.active() ? SolveEnd::stopped : static_cast<SolveEnd>(state.status);
      const bool wrong = report.end == SolveEnd::converged && !(found <= true_over_target * goal);
      const bool broken = report.end == SolveEnd::breakdown && method.restart_breakdowns && found <= state.limit;
      if (report.end != SolveEnd::not_a_number && found <= goal) {
        report.end = SolveEnd::converged;
        break;
      }
      if (!wrong && !broken) break;
      if (wrong) report.end = SolveEnd::stagnation;
      const bool hopeless = wrong ? !(found < best / 2) : state.iterations == before;
      if (hopeless || restarts == max_restarts || !std::isfinite(found)) break;
      best = found;
      shrink *= std::min(1.0, goal / found / 10);
      residual(true, shrink);
      state = loop.fetch();
    }
    report.reason = reason(method, state, report.end, goal);
    const double scale = state.rhs_norm;
    report.history.resize(static_cast<std::size_t>(std::min(state.iterations + 1, state.history_size)));
    copy_bytes(queue, Device::host(), report.history.data(), queue.device(), history.data(),
               report.history.size() * sizeof(double));
    queue.wait();
    for (double& value : report.history) value /= scale;
    report.residual = state.true_residual;
    report.relative = state.true_residual / scale;
  }
  system.restore_order();
  queue.wait();
  report.iterations = state.iterations;
  report.rhs_norm = state.rhs_norm;
  report.iteration_bytes = method.iteration_bytes;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

template SolveReport run(System<float>&, Progress*, const Method&);
template SolveReport run(System<double>&, Progress*, const Method&);
template SolveReport run(System<std::complex<float>>&, Progress*, const Method&);
template SolveReport run(System<std::complex<double>>&, Progress*, const Method&);

}  // namespace millrace::detail
