// One pass over the cells makes the trace system, one solves it, one more brings the result into the cells.
#include "millrace/hdg/newton.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>

#include "millrace/base/dense.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/trace_system.hpp"

namespace millrace::hdg {
namespace {

class Newton {
 public:
  Newton(Queue& queue, const LocalSolver& solver, State& state, const NewtonOptions& options)
      : queue_(queue),
        solver_(solver),
        space_(solver.space()),
        state_(state),
        options_(options),
        system_(space_, solver.comps()),
        traces_(space_, solver.comps(), options.linear),
        face_sizes_(to_size(space_.num_faces())),
        cell_norms_(to_size(space_.num_cells())),
        cell_fluxes_(to_size(space_.num_cells())),
        inverse_steps_(to_size(space_.num_cells())),
        weights_(to_size(solver.comps()), 1.0) {
    for (std::size_t c = 0; c < options.scales.size(); ++c) weights_[c] = 1 / options.scales[c];
    require(queue.device().on_host(), "hdg: the flow solver runs on the host; the queue is of ",
            to_string(queue.device()));
    for (int thread = 0; thread < queue.num_threads(); ++thread)
      work_.push_back(std::make_unique<LocalWork>(space_, solver.equation()));
    n_ = work_[0]->n;
    m_ = work_[0]->m;
    require(std::ssize(state.u) == Offset{space_.num_cells()} * n_ &&
                std::ssize(state.trace) == Offset{space_.num_faces()} * system_.block(),
            "hdg: the state has ", state.u.size(), " and ", state.trace.size(), " numbers; the space needs ",
            Offset{space_.num_cells()} * n_, " and ", Offset{space_.num_faces()} * system_.block());
    measure();
  }

  NewtonReport operator()() {
    NewtonReport report;
    Continuation& now = report.next;
    now = begin();
    for (int made_here = 0;; ++made_here) {
      report.residual = now.residual;
      // Nothing more to be had: gradients, differences over a cell, lose more digits than fluxes.
      const bool rounding = now.step > 0 && ((now.residual <= rounding_ && now.residual > 0.25 * now.last) ||
                                             (now.residual <= lost_digits * rounding_ && now.stalled > 3));
      if (now.residual <= options_.tolerance || rounding) {
        converge(report, now.step, rounding);
        return report;
      }
      if (made_here == options_.max_steps) break;
      NewtonStep made{.residual = now.residual, .cfl = now.cfl, .number = now.step + 1};
      // Eisenstat and Walker (1996), second choice: as much of the linear system as the last step has proved useful.
      const double gain = now.residual / now.last;
      made.tolerance = std::max(options_.linear_tolerance, std::min(options_.loosest, 0.9 * gain * gain));
      if (options_.keep_mass) made.tolerance = options_.linear_tolerance;
      linear_step(made);
      if (!made.changes.empty()) now.fallbacks.push_back(made.changes);
      made.length = advance(made.residual);
      report.steps.push_back(made);
      const bool stop = options_.monitor && !options_.monitor(made);
      if (made.length == 0) {
        if (now.residual <= lost_digits * rounding_) {
          converge(report, now.step + 1, true);
          return report;
        }
        if (now.cfl == 0 || now.cfl < 1e-3) {
          report.reason = join("no step along Newton's direction lowers the residual of ", now.residual,
                               "; a start nearer to the solution or pseudo-time (cfl) might help");
          now = {};
          return report;
        }
        now.cfl /= 5;
      } else if (now.cfl > 0 && made.length == 1) {
        now.cfl *= options_.cfl_growth;
        if (options_.keep_mass)
          now.cfl = std::min(now.cfl, max_cfl_of_kept_mass);
        else if (now.cfl > options_.max_cfl)
          now.cfl = 0;
      }
      if (options_.keep_mass && made.length > 0) rescale(now.mass / mass());
      prepare(made.residual, now);
      if (options_.checkpoint) options_.checkpoint(now);
      if (stop) {
        report.residual = now.residual;
        report.reason = "stopped by the caller";
        return report;
      }
    }
    report.reason =
        join("the residual is ", now.residual, " after ", options_.max_steps, " steps, the most that were allowed");
    return report;
  }

 private:
  static constexpr double max_cfl_of_kept_mass = 1e3, lost_digits = 16;

  /// Where the options say that the method stands, if the residual agrees; else at the beginning.
  Continuation begin() {
    old_ = state_.u;
    const double residual = norm(state_);  // the term of pseudo-time vanishes, where the old state is this one
    require(possible_, "hdg: the start is no possible state of ", solver_.equation().name());
    const Continuation& from = options_.from;
    constexpr double same = 1e-6;  // of the residual: other machines round otherwise
    Continuation now{.residual = residual, .last = residual, .best = residual, .stalled = 1};
    now.cfl = options_.keep_mass && options_.cfl == 0 ? max_cfl_of_kept_mass : options_.cfl;
    if (options_.keep_mass) now.mass = mass();
    if (from.step > 0 && std::abs(residual - from.residual) <= same * from.residual + rounding_) {
      now = from;
      now.residual = residual;
      traces_.recall(from.linear);
    }
    set_steps(now.cfl);
    return now;
  }

  /// After a step, for the next one.
  void prepare(double residual_before, Continuation& now) {
    ++now.step;
    now.last = residual_before;
    now.linear = traces_.memory();
    old_ = state_.u;
    set_steps(now.cfl);
    now.residual = norm(state_);
    now.stalled = now.residual < 0.5 * now.best ? 0 : now.stalled + 1;
    now.best = std::min(now.best, now.residual);
  }

  void converge(NewtonReport& report, int steps, bool rounding) const {
    report.converged = true;
    report.reason = join("the residual is ", report.residual, " after ", steps, " steps",
                         rounding && report.residual > options_.tolerance ? ", which is rounding" : "");
  }

  /// The integral of the first component.
  double mass() const {
    const int modes = space_.cell_modes();
    double sum = 0;
    for (Index cell = 0; cell < space_.num_cells(); ++cell)
      for (int i = 0; i < modes; ++i)
        sum += integrals_[to_size(Offset{cell} * modes + i)] * state_.u[to_size(Offset{cell} * n_ + i)];
    return sum;
  }
  /// A denser or thinner gas of the same velocity and temperature.
  void rescale(double factor) {
    for (double& value : state_.u) value *= factor;
    for (double& value : state_.trace) value *= factor;
  }

  /// Calls f(cell, work) for all cells, such that no two at a time share a face.
  template <class F>
  void for_cells(F&& f) {
    for (const std::vector<Index>& cells : space_.colours())
      parallel(queue_.num_threads(), [&](int thread, int count) {
        const auto [begin, end] = even_part(std::ssize(cells), thread, count);
        for (std::int64_t k = begin; k < end; ++k) f(cells[to_size(k)], *work_[to_size(thread)]);
      });
  }

  void measure() {
    volumes_.resize(to_size(space_.num_cells()));
    heights_.resize(volumes_.size());
    const int per_face = space_.num_face_points(), modes = space_.cell_modes(), points = space_.num_points();
    integrals_.assign(options_.keep_mass ? to_size(Offset{space_.num_cells()} * modes) : 0, 0.0);
    for_cells([&](Index cell, LocalWork& w) {
      w.geometry.evaluate(cell);
      for (int i = 0; i < modes && options_.keep_mass; ++i)
        for (int p = 0; p < points; ++p)
          integrals_[to_size(Offset{cell} * modes + i)] +=
              w.geometry.weights[to_size(p)] * space_.cell().values[to_size(i * points + p)];
      volumes_[to_size(cell)] = w.geometry.volume;
      heights_[to_size(cell)] = 2 * w.geometry.volume / w.geometry.perimeter;
      for (int f = 0; f < space_.faces_per_cell(); ++f) {
        double size = 0;
        for (int p = 0; p < per_face; ++p) size += w.geometry.areas[to_size(f * per_face + p)];
        face_sizes_[to_size(space_.trace(cell, f))] = size;
      }
    });
  }

  void set_steps(double cfl) {
    if (in_time()) {
      std::fill(inverse_steps_.begin(), inverse_steps_.end(), options_.time.inverse_step);
      return;
    }
    const int comps = solver_.comps(), modes = space_.cell_modes();
    std::vector<double> mean(to_size(comps));  // the first function is constant
    for (Index cell = 0; cell < space_.num_cells(); ++cell) {
      for (int c = 0; c < comps; ++c)
        mean[to_size(c)] = state_.u[to_size(Offset{cell} * n_ + c * modes)] * space_.cell().values[0];
      inverse_steps_[to_size(cell)] =
          cfl > 0 ? solver_.equation().speed(mean.data()) / (cfl * heights_[to_size(cell)]) : 0;
    }
  }
  bool in_time() const { return options_.time.inverse_step > 0; }
  PseudoTime time_of(Index cell) const {
    const double* old = in_time() ? options_.time.old.data() : old_.data();
    return {inverse_steps_[to_size(cell)], old + Offset{cell} * n_};
  }

  /// What flows through the faces of a cell, all added up: rounding errors of its residual are parts of it.
  double flux_through(const LocalWork& w) const {
    double sum = 0;
    auto u = w.u.begin();
    auto flux = w.face_flux.begin();
    for (const double weight : weights_) {  // one component after the other
      double part = 0;
      if (in_time())  // and the term of a step in time
        for (const double volume : w.geometry.weights) part += options_.time.inverse_step * std::abs(*u++) * volume;
      for (const double area : w.geometry.areas) part += std::abs(*flux++) * area;
      sum += weight * part;
    }
    return sum;
  }
  /// The sum of the squares of residuals [comps, the same number for each], each over its scale.
  double square_of(const double* residuals, std::ptrdiff_t num) const {
    double sum = 0;
    const std::ptrdiff_t each = num / std::ssize(weights_);
    for (const double weight : weights_) {
      for (std::ptrdiff_t i = 0; i < each; ++i) {
        const double scaled = weight * residuals[i];
        sum += scaled * scaled;
      }
      residuals += each;
    }
    return sum;
  }

  /// Root of the sum of squares of the residuals, of cells and faces, each over the size of the cell or face. Says in
  /// possible_ whether the state is one.
  double norm(const State& state) {
    const int block = system_.block();
    std::vector<double> faces(state.trace.size());
    possible_ = true;
    for_cells([&](Index cell, LocalWork& w) {
      solver_.residual(cell, state, time_of(cell), w);
      if (!solver_.admissible(w)) possible_ = false;
      cell_norms_[to_size(cell)] = square_of(w.residual.data(), std::ssize(w.residual)) / volumes_[to_size(cell)];
      const double flux = flux_through(w);
      cell_fluxes_[to_size(cell)] = flux * flux / volumes_[to_size(cell)];
      for (int f = 0; f < space_.faces_per_cell(); ++f) {
        double* to = faces.data() + Offset{space_.trace(cell, f)} * block;
        for (int i = 0; i < block; ++i) to[i] += w.trace_residual[to_size(f * block + i)];
      }
    });
    double square = 0, fluxes = 0;
    for (const double part : cell_norms_) square += part;
    for (const double part : cell_fluxes_) fluxes += part;
    rounding_ = 128 * std::numeric_limits<double>::epsilon() * std::sqrt(fluxes);
    for (Index f = 0; f < space_.num_faces(); ++f)
      square += square_of(faces.data() + Offset{f} * block, block) / face_sizes_[to_size(f)];
    return std::sqrt(square);
  }
  /// Solves for the change of the traces and of the cells.
  void linear_step(NewtonStep& step) {
    const auto begin = Clock::now();
    system_.clear();
    const Offset kept = Offset{n_} * (m_ + 1);
    if (options_.keep_solutions) solutions_.resize(to_size(space_.num_cells() * kept));
    for_cells([&](Index cell, LocalWork& w) {
      solver_.eliminate(cell, state_, time_of(cell), w);
      system_.add(cell, w.trace_matrix(), w.trace_rhs.data());
      if (options_.keep_solutions) std::copy_n(w.solution(), kept, solutions_.data() + cell * kept);
    });
    step.assembly = seconds_since(begin);
    change_.trace.resize(state_.trace.size());
    const TraceSolve solve =
        traces_.solve(queue_, system_.matrix(), system_.rhs(), std::span<double>(change_.trace), step.tolerance);
    step.iterations = solve.iterations;
    step.changes = solve.changes;
    change_.u.resize(state_.u.size());
    const int block = system_.block();
    for_cells([&](Index cell, LocalWork& w) {
      const double* solution = solutions_.data() + cell * kept;
      if (!options_.keep_solutions) {
        solver_.eliminate(cell, state_, time_of(cell), w);
        solution = w.solution();
      }
      for (int f = 0; f < space_.faces_per_cell(); ++f)
        std::copy_n(change_.trace.data() + Offset{space_.trace(cell, f)} * block, block, w.trace.data() + f * block);
      double* const to = change_.u.data() + Offset{cell} * n_;
      for (int i = 0; i < n_; ++i) to[i] = -solution[Offset{m_} * n_ + i];
      dense::add_product<double>({solution, n_, m_}, {w.trace.data(), m_, 1}, dense::Block<double>(to, n_, 1), -1.0);
    });
  }

  /// The longest step of 1, 1/2, ... that is possible and lowers the residual; 0: none, and the state stays.
  double advance(double residual) {
    constexpr double least = 1.0 / 64;
    const bool unsteady = !in_time() && inverse_steps_[0] > 0;
    for (double length = 1; length >= least; length /= 2) {
      State next = state_;
      for (std::size_t i = 0; i < next.u.size(); ++i) next.u[i] += length * change_.u[i];
      for (std::size_t i = 0; i < next.trace.size(); ++i) next.trace[i] += length * change_.trace[i];
      const double reached = norm(next);
      if (!possible_ || !(reached <= (unsteady ? 1.2 : 1 - 1e-4 * length) * residual)) continue;
      state_ = std::move(next);
      return length;
    }
    return 0;
  }

  Queue& queue_;
  const LocalSolver& solver_;
  const TraceSpace& space_;
  State& state_;
  const NewtonOptions& options_;
  TraceSystem system_;
  TraceSolver traces_;
  std::vector<std::unique_ptr<LocalWork>> work_;  // one per thread
  int n_ = 0, m_ = 0;
  std::vector<double> face_sizes_, cell_norms_, cell_fluxes_, volumes_, heights_, inverse_steps_;
  std::vector<double> weights_;    // [comps], 1 over the scales
  std::vector<double> integrals_;  // [cells, cell modes], where the mass is kept
  std::vector<double> old_;        // u where the step of pseudo-time began
  std::vector<double> solutions_;  // [cells, m + 1, n]
  State change_;
  double rounding_ = 0;                // residuals of this size have no digits, by the last call of norm()
  std::atomic<bool> possible_ = true;  // the state that norm() saw last
};

}  // namespace

NewtonReport newton(Queue& queue, const LocalSolver& solver, State& state, const NewtonOptions& options) {
  const ThreadLimit limit(queue);
  require(options.tolerance > 0 && options.max_steps >= 0 && options.cfl >= 0 && options.cfl_growth >= 1,
          "hdg: tolerance ", options.tolerance, ", at most ", options.max_steps, " steps, cfl ", options.cfl,
          " growing by ", options.cfl_growth,
          "; a positive tolerance, steps and cfl from 0 and a growth from 1 are "
          "accepted");
  require(options.scales.empty() || (std::ssize(options.scales) == solver.comps() &&
                                     std::ranges::all_of(options.scales, [](double s) { return s > 0 && s < 1e300; })),
          "hdg: ", options.scales.size(), " scales of residuals for ", solver.comps(),
          " components; none, or a positive one for each are accepted");
  require(options.linear_tolerance <= options.loosest && options.loosest < 1, "hdg: ", options.linear_tolerance, " to ",
          options.loosest, " are asked of GMRES; the second may not be less, and must be less than 1");
  const TimeTerm& time = options.time;
  require(time.inverse_step == 0 || (time.inverse_step > 0 && options.cfl == 0 && !options.keep_mass),
          "hdg: a step in time of 1 / ", time.inverse_step, " with cfl ", options.cfl, " and keep_mass ",
          options.keep_mass, "; a positive one with neither pseudo-time nor a kept mass is accepted");
  require(time.inverse_step == 0 || time.old.size() == state.u.size(), "hdg: the step in time begins with ",
          time.old.size(), " numbers; the state has ", state.u.size());
  return Newton(queue, solver, state, options)();
}

}  // namespace millrace::hdg
