// From the first residual to the report: the scale of the numbers, restarts from the true residual, and what is said.
#include <cmath>
#include <limits>

#include "millrace/base/elapsed.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/engine/reason.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {
namespace {

constexpr int max_restarts = 3;    // after a recurrence that was wrong,
constexpr int max_breakdowns = 8;  // and after breakdowns of those methods that know how
constexpr int max_history = 1 << 20;
constexpr double nearly = 10;  // a true residual up to this many times the aim is nearly a converged one

template <class T>
class Run {
  using A = Arith<T>;

 public:
  Run(System<T>& on, Progress* where, const Method& how)
      : system(on),
        queue(on.queue),
        progress(where),
        method(how),
        history(queue, std::min(on.options.max_iterations, max_history) + 1) {}

  SolveReport operator()() {
    const auto started = Clock::now();
    const Range range(system.name.data());
    system.keep_start();
    bytes = 2 * system.vector_bytes();
    begin();
    scale_rhs();
    start_residual = state.true_residual;
    bool keep_start = false;
    if (state.rhs_norm == 0) {
      keep_start = !solve_zero();
    } else {
      iterate();
      change_signs();
      scale_matrix();
      keep_start = finish() || overflows();
    }
    const double scale = std::abs(system.scales().rhs);
    report.residual /= scale;
    report.rhs_norm = state.rhs_norm / scale;
    report.iterations = state.iterations;
    report.iteration_bytes = method.iteration_bytes ? method.iteration_bytes() : 0;
    const int made = lost_iterations + state.iterations;
    if (method.counted_bytes) report.iteration_bytes = made > 0 ? iterated() / made : 0;
    report.bytes = bytes + iterated();
    system.hand_back(keep_start);
    report.seconds = seconds_since(started);
    return std::move(report);
  }

 private:
  double goal() const { return std::max(state.tolerance * state.rhs_norm, state.absolute); }
  double iterated() const {
    return method.counted_bytes ? method.counted_bytes(state.iterations)
                                : method.iteration_bytes() * (lost_iterations + state.iterations);
  }

  /// Progress as it is before the first iteration, and the first residual.
  void begin() {
    state = Progress{};
    state.max_iterations = system.options.max_iterations;
    state.tolerance = system.options.tolerance;
    state.absolute = system.options.absolute * std::abs(system.scales().rhs);
    state.history = history.data();
    state.history_size = static_cast<int>(history.size());
    copy_bytes(queue, queue.device(), progress, Device::host(), &state, sizeof(state));
    loop.emplace(queue, system.comm, system.options, progress, method, system.n, system.preconditioned);
    look(true);
  }
  /// r = b - A x from x, and its norm; `start`: iterations go on from there.
  void look(bool start, double shrink = 1) {
    system.product(system.x, system.q);
    residual(start, shrink);
    bytes += system.product_bytes(false);
  }
  void residual(bool start, double shrink) {
    sweep(queue, system.comm, system.n,
          ResidualStep<A>{arith(system.b.data), arith(system.q.data), arith(system.r.data), progress, start, shrink});
    state = loop->fetch();
    bytes += 3 * system.vector_bytes();
  }

  void scale_rhs();
  bool exponent_of(Vectors<const T> v, int& exponent);
  bool solve_zero();
  void iterate();
  void change_signs();
  void scale_matrix();
  bool finish();
  bool overflows();

  System<T>& system;
  Queue& queue;
  Progress* progress;
  const Method& method;
  Array<double> history;
  std::optional<Loop> loop{};
  Progress state{};
  SolveReport report{};
  double start_residual = 0;
  double bytes = 0;         // without those of the iterations
  int lost_iterations = 0;  // of runs in another scale
  bool negated = false;
};

/// |v| = 2^exponent, by trial; false for zero and for numbers that are none. Uses q and the progress.
template <class T>
bool Run<T>::exponent_of(Vectors<const T> v, int& exponent) {
  for (const int shift : {0, -700, 700}) {
    if (shift != 0 && sizeof(RealOf<T>) == 4) return false;  // squares of floats are summed in double
    const T scale(static_cast<RealOf<T>>(std::ldexp(1.0, shift)));
    const Progress fresh;
    copy_bytes(queue, queue.device(), progress, Device::host(), &fresh, sizeof(fresh));
    A* q = arith(system.q.data);
    sweep(queue, system.comm, system.n, AddStep<A>(arith(scale), arith(v.data), A{}, q));
    sweep(queue, system.comm, system.n, ResidualStep<A>{q, q, q, progress, true, 1});
    const double norm = loop->fetch().rhs_norm;
    bytes += 5 * system.vector_bytes();
    if (!(norm >= 1e-150 && norm <= 1e150)) continue;
    exponent = std::ilogb(norm) - shift;
    return true;
  }
  return false;
}

/// Powers of two change no bit of the result, unless numbers were lost without them.
template <class T>
void Run<T>::scale_rhs() {
  const double largest = std::max(state.rhs_norm, state.true_residual);
  const double most = std::ldexp(1.0, max_exponent<T>);
  if (largest >= 1 / most && largest <= most) return;
  int of_b = 0, of_r = std::numeric_limits<int>::min();
  const bool known = exponent_of(system.b, of_b);
  if (known) exponent_of(system.r, of_r);
  const int exponent = std::max(of_b, of_r);
  if (known && std::abs(exponent) > max_exponent<T>) system.rescale({1, 1, power_of_two<T>(-exponent)});
  begin();
}

/// x = 0, if A times zero is zero. False: it is not.
template <class T>
bool Run<T>::solve_zero() {
  sweep(queue, system.comm, system.n, FillStep<A>(A{}, arith(system.x.data)));
  bytes += system.vector_bytes();
  look(false);
  report.history = {0};
  report.residual = report.relative = state.true_residual;
  if (state.true_residual == 0) {
    report.reason = "the right-hand side is zero, so x = 0";
    return true;
  }
  report.end = SolveEnd::not_a_number;
  report.reason = "the right-hand side is zero, but A times zero is not: the matrix holds NaN or Inf";
  return false;
}

template <class T>
void Run<T>::iterate() {
  double best = std::numeric_limits<double>::infinity(), shrink = 1;
  bool broken = false;
  for (int restarts = 0, breakdowns = 0;;) {
    if (state.active()) {
      broken ? method.restart() : method.start();
      state = loop->run();
      if (method.end) method.end(state);
      bytes += (method.start_bytes ? method.start_bytes() : 0) + method.end_bytes;
      look(false);
    }
    const double found = state.true_residual;
    report.end = state.active() ? SolveEnd::stopped : static_cast<SolveEnd>(state.status);
    if (report.end != SolveEnd::not_a_number && found <= goal()) {
      report.end = SolveEnd::converged;
      return;
    }
    const bool wrong = report.end == SolveEnd::converged;
    broken = report.end == SolveEnd::breakdown && method.restart && found <= state.limit;
    if (wrong) report.end = found <= nearly * goal() ? SolveEnd::nearly_converged : SolveEnd::stagnation;
    const bool again = wrong ? found < best / 2 && restarts++ < max_restarts : broken && breakdowns++ < max_breakdowns;
    if (!again || !std::isfinite(found)) break;
    best = found;
    if (wrong) shrink *= std::clamp(goal() / found / 10, 1e-3, 1.0);
    residual(true, shrink);
  }
  const double reachable = reachable_epsilons * double{epsilon<A>} * state.rhs_norm;
  const bool lost = report.end == SolveEnd::breakdown || report.end == SolveEnd::indefinite;
  if (lost && state.true_residual <= reachable) report.end = SolveEnd::stagnation;
}

/// A negative definite matrix is no indefinite one: -A x = -b.
template <class T>
void Run<T>::change_signs() {
  if (report.end != SolveEnd::indefinite || state.iterations > 0 || !method.signs) return;
  const Progress first = state;
  const Scales signs = method.signs(state), now = system.scales();
  system.rescale({signs.matrix * now.matrix, signs.inverse * now.inverse, signs.matrix * now.rhs});
  begin();
  iterate();
  negated = report.end != SolveEnd::indefinite || state.iterations > 0;
  if (!negated) state = first;
}

/// A method that fails on a matrix of vast or tiny numbers tries again with one of usual numbers.
template <class T>
void Run<T>::scale_matrix() {
  const bool failed = report.end == SolveEnd::breakdown || report.end == SolveEnd::stagnation ||
                      report.end == SolveEnd::indefinite ||
                      (report.end == SolveEnd::not_a_number && state.detail < Progress::diverged);
  if (!failed || !method.scales_matrix) return;
  const Scales now = system.scales();
  int of_b = 0, of_product = 0;
  const bool known = exponent_of(system.b, of_b);
  system.copy(system.b, system.r);
  system.product(system.r, system.q);
  system.copy(system.q, system.r);
  bytes += 4 * system.vector_bytes() + system.product_bytes(false);
  const int exponent = known && exponent_of(system.r, of_product) ? of_product - of_b : 0;
  if (std::abs(exponent) <= max_matrix_exponent<T>) return;
  const double down = power_of_two<T>(-exponent), up = power_of_two<T>(exponent);
  lost_iterations = state.iterations;
  system.rescale({now.matrix * down, now.inverse * up, now.rhs});
  if (method.forget) method.forget();
  begin();
  iterate();
}

/// x in the user's scale; true: it does not fit there, and the start vector stays.
template <class T>
bool Run<T>::overflows() {
  if (system.scales().solution() == 1) return false;
  system.unscale();
  const A* x = arith(system.x.data);
  sweep(queue, system.comm, system.n, ResidualStep<A>{x, x, arith(system.r.data), progress, false, 1});
  bytes += 5 * system.vector_bytes();
  if (loop->fetch().true_residual == 0) return false;  // x - x
  report.end = SolveEnd::not_a_number;
  report.reason += "; but x overflows in this precision, so it is the start vector";
  report.residual = start_residual;
  report.relative = start_residual / state.rhs_norm;
  return true;
}

/// The report; true: the start vector is better than x.
template <class T>
bool Run<T>::finish() {
  const double found = state.true_residual;
  const bool worse = !(found <= start_residual) && (system.options.never_worse || !std::isfinite(found));
  report.reason = reason(method, state, report.end, goal(), double{epsilon<A>});
  if (negated) report.reason += " (of -A x = -b, for <x, A x> was negative at first)";
  if (worse && state.iterations > 0)
    report.reason += join("; x is the start vector, whose residual of ", start_residual / state.rhs_norm,
                          " is below the ", found / state.rhs_norm, " that was reached");
  report.history.resize(static_cast<std::size_t>(std::min(state.iterations + 1, state.history_size)));
  copy_bytes(queue, Device::host(), report.history.data(), queue.device(), history.data(),
             report.history.size() * sizeof(double));
  queue.wait();
  for (double& value : report.history) value /= state.rhs_norm;
  report.residual = worse ? start_residual : found;
  report.relative = report.residual / state.rhs_norm;
  return worse;
}

}  // namespace

template <class T>
SolveReport run(System<T>& system, Progress* progress, const Method& method) {
  return Run<T>(system, progress, method)();
}

template SolveReport run(System<float>&, Progress*, const Method&);
template SolveReport run(System<double>&, Progress*, const Method&);
template SolveReport run(System<std::complex<float>>&, Progress*, const Method&);
template SolveReport run(System<std::complex<double>>&, Progress*, const Method&);

}  // namespace millrace::detail
