// GMRES: cycles of iterations that build a basis, each ended by small least squares and a look at the true residual.
#include "millrace/solve/gmres.hpp"

#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/basis/krylov_basis.hpp"
#include "millrace/solve/engine/agree.hpp"
#include "millrace/solve/engine/graph_segment.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/methods/gmres_steps.hpp"

namespace millrace {

using namespace detail;

namespace {

constexpr int iterations_per_look = 10;  // iterations between two looks of the host at a GPU
constexpr int max_gpu_restart = 400;     // the sums of a step live in shared memory

std::string explain_gmres(const Progress& state) {
  using Scalars = GmresScalars<double>;
  const double relative = state.true_residual / (state.rhs_norm > 0 ? state.rhs_norm : 1);
  if (state.status == static_cast<int>(SolveEnd::breakdown))
    return join("A maps the space of ", state.iterations,
                " iterations into itself, and no solution is in it (residual ", relative,
                " of the right-hand side): A or the preconditioner is singular");
  if (state.detail == Scalars::too_precise)
    return join("the recurrence reached the aim ", Scalars::max_wrong, " times, but |b - A x| stays at ", relative,
                " of the right-hand side: the aim is below what this precision can reach for this matrix");
  return join(Scalars::max_slow, " cycles in a row made less than one per cent of progress; the residual is ", relative,
              " of the right-hand side: take a better preconditioner or longer cycles (restart)");
}

template <class T>
class Gmres {
  using A = Arith<T>;
  using W = Wide<T>;

 public:
  Gmres(System<T>& on, const SolveOptions& how, bool is_flexible)
      : system(on),
        queue(on.queue),
        options(how),
        flexible(is_flexible && on.preconditioned),
        left(!is_flexible && on.preconditioned && how.side == Side::left),
        m(columns(on, how)),
        v(queue, on.n, m, how.krylov_precision),
        z(queue, flexible ? on.n : 0, flexible ? m : 0),
        scalars(queue),
        small(queue, arnoldi_size(m)),
        arnoldi(make_arnoldi(m, true, v.epsilon(), v.precision, &scalars.data()->arnoldi, small.data())) {
    options.monitor = agreed_monitor(on.comm, how.monitor);
    u = left ? system.vector(0) : system.r;
    for (int k = 0; k < m; k += iterations_per_look)
      segments.emplace_back(
          on.comm,
          [this, k] {
            for (int j = k; j < std::min(k + iterations_per_look, m); ++j) iterate(j);
          },
          options.graph);
    segments.emplace_back(
        on.comm, [this] { finish(); }, options.graph);
  }

  Progress* progress() { return &scalars.data()->arnoldi.progress; }

  /// q = A x is there: the first cycle begins.
  void start() {
    check(true);
    look();
  }
  void cycle() {
    const Range range("cycle");
    queue.device().on_host() ? cycle_on_host() : cycle_on_gpu();
  }
  /// Of all iterations so far, with the ends of their cycles.
  double counted_bytes(int iterations) const { return counted + cycle_bytes(iterations - counted_iterations); }
  void forget() {
    for (GraphSegment& segment : segments) segment.forget();
    counted_iterations = 0;
  }
  double start_bytes() const { return 3 * system.vector_bytes() + (left ? applied : 0); }

 private:
  static int columns(const System<T>& system, const SolveOptions& options) {
    const bool on_host = system.queue.device().on_host();
    require(options.restart >= 1 && (on_host || options.restart <= max_gpu_restart), system.name, ": cycles of ",
            options.restart, " iterations were asked for; 1 or more are accepted, and on a GPU at most ",
            max_gpu_restart);
    return static_cast<int>(std::clamp<std::int64_t>(all_rows(system.comm, system.n), 1, options.restart));
  }

  /// w = A M u (or M A u), and what it adds to the basis.
  void iterate(int k) {
    const Vectors<T> w = system.q;
    if (left) {
      system.product(u, system.vector(1));
      system.precondition(system.vector(1), w);
    } else if (system.preconditioned) {
      const Vectors<T> made = flexible ? Vectors<T>(queue.device(), z.vector(k), system.n) : system.vector(0);
      system.precondition(u, made);
      system.product(made, w);
    } else {
      system.product(u, w);
    }
    v.project(queue, system.comm, k, u.data, w.data, arnoldi);
    v.orthogonalise(queue, k, u.data, w.data, arnoldi);  // in the last iteration only where project() asks for it
    if (k + 1 == m) v.project(queue, system.comm, m, u.data, nullptr, arnoldi);
  }
  /// x gets what the cycle found.
  void finish() {
    least_squares(queue, arnoldi);
    if (queue.device().on_host())
      counted += end_bytes(arnoldi.now->columns, std::min(arnoldi.now->columns, arnoldi.now->stored));
    if (flexible) {
      z.combine(queue, arnoldi, true, u.data, T{1}, system.x.data);
    } else if (system.preconditioned && !left) {
      const Vectors<T> d = system.vector(0);
      v.combine(queue, arnoldi, false, u.data, T{0}, d.data);
      const T scale(static_cast<RealOf<T>>(system.scales().inverse));
      system.m.apply(queue, {.alpha = scale, .x = d, .beta = T{1}, .y = system.x});
    } else {
      v.combine(queue, arnoldi, false, u.data, T{1}, system.x.data);
    }
    system.product(system.x, system.q);
    check(false);
  }
  void check(bool first) {
    sweep(queue, system.comm, system.n,
          GmresCheck<A>{arith(system.b.data), arith(system.q.data), arith(system.r.data), scalars.data(), first});
    if (left) system.precondition(system.r, u);
  }

  void cycle_on_host() {
    const ArnoldiScalars<W>& now = scalars.data()->arnoldi;
    for (int k = 0; now.building && k < m; ++k) {
      const int before = now.progress.iterations;
      iterate(k);
      counted += step_bytes(k, now.stored > k, k + 1 == m && now.stored == m);
      if (now.progress.iterations > before && !hear(now.progress, now.progress.iterations, now.progress.residual))
        break;
    }
    finish();
    counted_iterations = now.progress.iterations;
    if (stopped) progress()->end(SolveEnd::stopped);
  }
  void cycle_on_gpu();
  double step_bytes(int k, bool stores, bool again) const;
  double end_bytes(int columns, int in_basis) const;
  /// A cycle that nobody followed step by step: as it usually is.
  double cycle_bytes(int columns) const {
    double sum = columns > 0 ? end_bytes(columns, columns - 1) : 0;
    for (int k = 0; k < columns; ++k) sum += step_bytes(k, k + 1 < columns, false);
    return sum;
  }
  void look();
  const ArnoldiScalars<W>& seen(int slot);

  /// False: the monitor ends it.
  bool hear(const Progress& state, int iteration, double residual) {
    if (!stopped && options.monitor) stopped = !options.monitor(iteration, residual / state.rhs_norm);
    return !stopped;
  }

  System<T>& system;
  Queue& queue;
  SolveOptions options;
  bool flexible, left;
  int m;
  KrylovBasis<T> v, z;
  DeviceScalars<GmresScalars<W>> scalars;
  Array<W> small;
  Arnoldi<W> arnoldi;
  Vectors<T> u{};
  std::vector<GraphSegment> segments{};
  bool stopped = false;
  double counted = 0;                // bytes of the cycles that are over,
  int counted_iterations = 0;        // and of so many iterations
  Watch<ArnoldiScalars<W>> watch{};  // its residuals [2, m]: of the cycle that began after `base` iterations
  int newest = 0, base = 0, heard = 0;
  // bytes of a product, of M, and of M added to x
  const double product = system.product_bytes(false), applied = system.precondition_bytes(false);
  const double added = system.preconditioned ? system.m.traffic(1, true).total() : 0;
  const double* from = nullptr;  // the history on the device
  int num_kept = 0;              // its size
};

/// A copy of the scalars comes after the work that a GPU's queue has.
template <class T>
void Gmres<T>::look() {
  if (queue.device().on_host()) return;
  watch.prepare(queue, options.monitor ? 2 * m : 0);
  newest = 1 - newest;
  ResidualCopy copy;
  if (options.monitor && from)
    copy = {from + base + 1, newest * std::int64_t{m}, std::clamp<std::int64_t>(num_kept - base - 1, 0, m)};
  watch.enqueue(queue, newest, arnoldi.now, copy);
}

/// Waits for a look, and tells the monitor of its iterations.
template <class T>
const ArnoldiScalars<typename Gmres<T>::W>& Gmres<T>::seen(int slot) {
  const ArnoldiScalars<W>& now = watch.wait(slot);
  for (; options.monitor && heard < std::min(now.progress.iterations, num_kept - 1) && !stopped; ++heard)
    hear(now.progress, heard + 1, watch.residuals().data()[slot * m + heard - base]);
  return now;
}

/// Ten iterations at a time; the host looks at the last ten while the next ten run, and leaves out what is not needed.
template <class T>
void Gmres<T>::cycle_on_gpu() {
  const Progress before = seen(newest).progress;
  counted = counted_bytes(before.iterations);
  counted_iterations = before.iterations;
  from = before.history;
  num_kept = before.history_size;
  base = heard = before.iterations;
  if (before.active() && !stopped) {
    for (std::size_t p = 0; p + 1 < segments.size(); ++p) {
      segments[p].enqueue(queue);
      look();
      if (p > 0 && (!seen(1 - newest).building || stopped)) break;
    }
    segments.back().enqueue(queue);
    look();
  }
  if (stopped) {
    static constexpr int status = static_cast<int>(SolveEnd::stopped);
    copy_bytes(queue, queue.device(), &progress()->status, Device::host(), &status, sizeof(status));
  }
}

/// Step k of a cycle: the product, the projection, and what the basis and the next candidate get, unless it was the
/// last; `again`: the second projection of a last column whose norm was lost in rounding.
template <class T>
double Gmres<T>::step_bytes(int k, bool stores, bool again) const {
  const double vector = system.vector_bytes(), stored = static_cast<double>(v.vector_bytes());
  const double inside =
      flexible ? system.precondition_bytes(false) : applied;  // of a solver: what it has needed so far
  double sum = product + inside + k * stored + 2 * vector;
  if (stores) sum += k * stored + 2 * vector + stored + vector;
  return sum + (again ? m * stored + vector : 0);
}

/// The end of a cycle: the combination of `in_basis` vectors, perhaps the candidate, and the true residual.
template <class T>
double Gmres<T>::end_bytes(int columns, int in_basis) const {
  const double vector = system.vector_bytes(), stored = static_cast<double>(v.vector_bytes());
  const double residual = product + 3 * vector;
  if (flexible) return residual + (columns + 2) * vector;
  const double read = in_basis * stored + (columns > in_basis ? vector : 0);
  if (system.preconditioned && !left) return residual + read + vector + added;
  return residual + read + 2 * vector + (left ? applied : 0);
}

template <class T>
SolveReport solve(const char* name, bool flexible, Queue& queue, const Operator<T>& a, const Operator<T>& m,
                  Vectors<const T> b, Vectors<T> x, const SolveOptions& options) {
  SolveOptions plain = options;  // cycles capture and listen themselves
  plain.graph = false;
  plain.monitor = nullptr;
  System<T> system(name, queue, a, m, b, x, plain, 2);
  Gmres<T> solver(system, options, flexible);
  Method method;
  method.start = [&] { solver.start(); };
  method.iterate = [&] { solver.cycle(); };
  method.iterations = options.restart;
  method.start_bytes = [&] { return solver.start_bytes(); };
  method.counted_bytes = [&](int iterations) { return solver.counted_bytes(iterations); };
  method.forget = [&] { solver.forget(); };
  method.explain = explain_gmres;
  return run(system, solver.progress(), method);
}

}  // namespace

template <class T>
SolveReport gmres(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                  std::type_identity_t<Vectors<T>> x, const SolveOptions& options) {
  const ThreadLimit limit(queue);
  return solve("gmres", false, queue, a, m, b, x, options);
}
template <class T>
SolveReport fgmres(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                   std::type_identity_t<Vectors<T>> x, const SolveOptions& options) {
  const ThreadLimit limit(queue);
  return solve("fgmres", true, queue, a, m, b, x, options);
}

template SolveReport gmres(Queue&, const Operator<float>&, const Operator<float>&, Vectors<const float>, Vectors<float>,
                           const SolveOptions&);
template SolveReport gmres(Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                           Vectors<double>, const SolveOptions&);
template SolveReport gmres(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                           Vectors<const std::complex<float>>, Vectors<std::complex<float>>, const SolveOptions&);
template SolveReport gmres(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                           Vectors<const std::complex<double>>, Vectors<std::complex<double>>, const SolveOptions&);
template SolveReport fgmres(Queue&, const Operator<float>&, const Operator<float>&, Vectors<const float>,
                            Vectors<float>, const SolveOptions&);
template SolveReport fgmres(Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                            Vectors<double>, const SolveOptions&);
template SolveReport fgmres(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                            Vectors<const std::complex<float>>, Vectors<std::complex<float>>, const SolveOptions&);
template SolveReport fgmres(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                            Vectors<const std::complex<double>>, Vectors<std::complex<double>>, const SolveOptions&);

}  // namespace millrace
