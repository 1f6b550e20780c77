// Every stage has the form (u - old) / (a dt) + M^-1 R(u, uh, t) = 0, of which the methods differ in a, old and t.
#include "millrace/hdg/time_steps.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::hdg {
namespace {

using Vector = std::vector<double>;

DirkTable make_dirk2() {
  const double g = 1 - std::sqrt(0.5);
  return {.order = 2, .num_stages = 2, .a = {{{g}, {1 - g, g}}}, .c = {g, 1}, .embedded = {1, 0}};
}

DirkTable make_dirk3() {
  const double g = 0.43586652150845899942;  // of x^3 - 3 x^2 + 3/2 x - 1/6
  const double b1 = -(6 * g * g - 16 * g + 1) / 4, b2 = (6 * g * g - 20 * g + 5) / 4;
  return {.order = 3,
          .num_stages = 3,
          .a = {{{g}, {(1 - g) / 2, g}, {b1, b2, g}}},
          .c = {g, (1 + g) / 2, 1},
          .embedded = {g / (1 - g), (1 - 2 * g) / (1 - g), 0}};
}

class Integrator {
 public:
  Integrator(Queue& queue, LocalSolver& solver, TimeState& state, const TimeOptions& options)
      : queue_(queue), solver_(solver), now_(state), options_(options) {
    CellGeometry geometry(solver.space());
    const double first = solver.space().cell().values[0];  // constant, and orthonormal on the reference cell
    for (Index cell = 0; cell < solver.space().num_cells(); ++cell) {
      geometry.evaluate(cell);
      scales_.push_back(geometry.volume * first * first);
      volume_ += geometry.volume;
    }
  }

  TimeReport operator()() {
    TimeReport report;
    const bool adaptive = options_.tolerance > 0;
    const double least = 1e-8 * options_.step;
    double dt = adaptive && now_.step > 0 ? now_.step : options_.step;
    TimeStep made;
    while (now_.time < options_.end) {
      if (std::ssize(report.steps) == options_.max_steps) {
        report.reason = join("the time is ", now_.time, " after ", options_.max_steps, " steps, the most allowed");
        return report;
      }
      dt = std::min(dt, options_.max_step);
      const double left = options_.end - now_.time;
      const bool last = left <= dt * (1 + 1e-6);  // no crumbs of rounding
      made.step = last ? left : dt;
      State next = now_.state;
      const int order = attempt(made.step, next, made);  // that the error goes with, plus 1
      double factor = 0.5;
      if (order > 0) factor = made.error > 0 ? 0.9 * std::pow(options_.tolerance / made.error, 1.0 / order) : 2;
      if (order == 0 || (adaptive && !(made.error <= options_.tolerance))) {
        ++made.num_rejected;
        dt = made.step * std::clamp(factor, 0.2, 0.9);
        if (adaptive && dt >= least) continue;
        solver_.set_time(now_.time);
        report.reason = join("the step of ", made.step, " from time ", now_.time,
                             " failed: ", order == 0 ? failure_ : join("its error is about ", made.error), "; ",
                             adaptive ? "smaller ones did not help" : "a smaller step might help");
        return report;
      }
      accept(std::move(next), last ? options_.end : now_.time + made.step, made);
      // A last step that was cut says little about the next one.
      if (adaptive) now_.step = dt = std::max(last ? dt : 0.0, made.step * std::clamp(factor, 0.2, 2.0));
      report.steps.push_back(made);
      if (options_.monitor && !options_.monitor(made)) {
        report.reason = "stopped by the caller";
        return report;
      }
      made = {};
    }
    report.finished = true;
    report.reason = join("the time is ", now_.time, " after ", report.steps.size(), " steps");
    return report;
  }

 private:
  bool is_bdf() const { return options_.scheme == TimeScheme::bdf2; }
  bool adaptive() const { return options_.tolerance > 0; }

  void accept(State&& next, double time, TimeStep& made) {
    if (is_bdf()) {
      now_.earlier.insert(now_.earlier.begin(), {now_.time, std::move(now_.state.u)});
      if (now_.earlier.size() > (adaptive() ? 2 : 1)) now_.earlier.pop_back();
    }
    now_.state = std::move(next);
    now_.time = made.time = time;
    made.number = ++now_.number;
  }

  /// Of one stage: u from its start in `next`. False: failure_ says why.
  bool solve(double time, double a_dt, const Vector& old, State& next, TimeStep& made) {
    solver_.set_time(time);
    NewtonOptions options = options_.newton;
    options.cfl = 0;
    options.keep_mass = false;
    options.monitor = {};
    options.time = {1 / a_dt, old};
    const NewtonReport report = newton(queue_, solver_, next, options);
    made.newton_steps += static_cast<int>(report.steps.size());
    for (const NewtonStep& step : report.steps) made.iterations += step.iterations;
    failure_ = report.reason;
    return report.converged;
  }

  /// The order of the local error that was estimated; 0: no solution.
  int attempt(double dt, State& next, TimeStep& made) {
    // The estimate of BDF 2 needs two earlier levels, the method itself one.
    const std::size_t needed = adaptive() ? 2 : 1;
    if (is_bdf() && now_.earlier.size() >= needed) return bdf2(dt, next, made) ? 3 : 0;
    const DirkTable& table = dirk_table(options_.scheme);
    return dirk(table, dt, next, made) ? table.order : 0;
  }

  bool dirk(const DirkTable& table, double dt, State& next, TimeStep& made) {
    const Vector& start = now_.state.u;
    Vector old(start.size()), error(start.size());
    std::vector<Vector> slopes;
    for (std::size_t i = 0; i < to_size(table.num_stages); ++i) {
      old = start;
      for (std::size_t j = 0; j < i; ++j) add(dt * table.a[i][j], slopes[j], old);
      if (!solve(now_.time + table.c[i] * dt, table.a[i][i] * dt, old, next, made)) return false;
      Vector& slope = slopes.emplace_back(next.u);
      for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = (slope[k] - old[k]) / (table.a[i][i] * dt);
    }
    if (!adaptive()) return true;
    const auto& weights = table.a[to_size(table.num_stages) - 1];
    for (std::size_t i = 0; i < slopes.size(); ++i) add(dt * (weights[i] - table.embedded[i]), slopes[i], error);
    made.error = measure(error, next.u);
    return true;
  }

  bool bdf2(double dt, State& next, TimeStep& made) {
    const TimeLevel& before = now_.earlier[0];
    const double w = dt / (now_.time - before.time), scale = 1 / (1 + 2 * w);
    Vector old(now_.state.u.size());
    add((1 + w) * (1 + w) * scale, now_.state.u, old);
    add(-w * w * scale, before.u, old);
    if (!solve(now_.time + dt, (1 + w) * scale * dt, old, next, made)) return false;
    if (!adaptive()) return true;
    // The error is (1 + w)^2 / (w (1 + 2 w)) dt^3 times u''' / 6, the third divided difference.
    const double times[] = {now_.time + dt, now_.time, before.time, now_.earlier[1].time};
    const Vector* levels[] = {&next.u, &now_.state.u, &before.u, &now_.earlier[1].u};
    Vector error(old.size());
    for (int i = 0; i < 4; ++i) {
      double weight = (1 + w) * (1 + w) / w * scale * dt * dt * dt;
      for (int j = 0; j < 4; ++j)
        if (j != i) weight /= times[i] - times[j];
      add(weight, *levels[i], error);
    }
    made.error = measure(error, next.u);
    return true;
  }

  static void add(double factor, const Vector& from, Vector& to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
  }

  /// As TimeOptions::tolerance has it; exact on straight cells.
  double measure(const Vector& error, const Vector& u) const {
    const int comps = solver_.comps(), modes = solver_.space().cell_modes();
    double sum = 0;
    for (int c = 0; c < comps; ++c) {
      double errors = 0, values = 0;
      for (std::size_t cell = 0; cell < scales_.size(); ++cell)
        for (int i = 0; i < modes; ++i) {
          const std::size_t k = (cell * to_size(comps) + to_size(c)) * to_size(modes) + to_size(i);
          errors += scales_[cell] * error[k] * error[k];
          values += scales_[cell] * u[k] * u[k];
        }
      const double relative = std::sqrt(errors) / (std::sqrt(values) + std::sqrt(volume_));
      sum += relative * relative / comps;
    }
    return std::sqrt(sum);
  }

  Queue& queue_;
  LocalSolver& solver_;
  TimeState& now_;
  const TimeOptions& options_;
  Vector scales_;  // [cells]: volumes over that of the reference cell
  double volume_ = 0;
  std::string failure_;
};

}  // namespace

const std::vector<std::string>& time_scheme_names() {
  static const std::vector<std::string> names{"dirk2", "dirk3", "bdf2"};
  return names;
}

const DirkTable& dirk_table(TimeScheme scheme) {
  static const DirkTable two = make_dirk2(), three = make_dirk3();
  return scheme == TimeScheme::dirk3 ? three : two;
}

TimeReport integrate(Queue& queue, LocalSolver& solver, TimeState& state, const TimeOptions& options) {
  const ThreadLimit limit(queue);
  require(options.step > 0 && std::isfinite(options.step), "hdg: the time step is ", options.step,
          "; a positive one is accepted");
  require(options.end >= state.time && std::isfinite(options.end), "hdg: the time ends at ", options.end,
          ", and begins at ", state.time, "; an end that is not before is accepted");
  require(options.tolerance >= 0 && options.max_step > 0 && options.max_steps >= 0,
          "hdg: steps in time have tolerance ", options.tolerance, ", size at most ", options.max_step,
          " and number at most ", options.max_steps, "; from 0, positive and from 0 are accepted");
  for (const TimeLevel& level : state.earlier)
    require(level.u.size() == state.state.u.size() && level.time < state.time, "hdg: an earlier level of time ",
            level.time, " with ", level.u.size(), " numbers; the state has time ", state.time, " and ",
            state.state.u.size());
  return Integrator(queue, solver, state, options)();
}

}  // namespace millrace::hdg
