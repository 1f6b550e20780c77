// The run of a case: spaces of one order after the other, each from the solution of the last.
#include <algorithm>
#include <cmath>
#include <memory>

#include "millrace/base/device.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/base/resident.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/case.hpp"
#include "millrace/hdg/state_file.hpp"

namespace millrace::hdg {
namespace {

class Run {
 public:
  Run(Queue& queue, const Case& c, const std::function<bool(const CaseStep&)>& monitor, const Checkpoints& checkpoints)
      : queue_(queue), case_(c), monitor_(monitor), checkpoints_(checkpoints), resume_(checkpoints.resume) {}

  CaseResult operator()() {
    try {
      if (case_.time)
        in_time();
      else
        run();
    } catch (...) {
      if (!result_.steps.empty()) save();  // that of the last step
      throw;
    }
    save();
    return std::move(result_);
  }

 private:
  void run() {
    std::unique_ptr<TraceSpace> below;
    const int first = resume_ ? std::clamp(resume_->order, case_.first_order, case_.order) : case_.first_order;
    for (int order = first; order <= case_.order; ++order) {
      release_free_memory();  // what the last order had
      forget_peak();
      auto space = std::make_unique<TraceSpace>(case_.mesh, order);
      if (!below) require_memory(*space);
      const LocalSolver solver(*space, case_.problem);
      if (!below) begin(solver);
      if (below) result_.state = raise(*below, result_.state, *space);
      saved_.order = order;
      saved_.continuation = {};
      const bool converged = solve(solver);
      result_.converged = converged && order == case_.order;
      if (!converged || result_.converged) result_.mass_end = mass(solver);
      if (!converged) break;
      below = std::move(space);
    }
    result_.seconds = seconds_since(begin_);
  }

  void in_time() {
    forget_peak();
    const TraceSpace space(case_.mesh, case_.order);
    require_memory(space);
    LocalSolver solver(space, case_.problem);
    begin(solver);
    saved_.order = case_.order;
    begin_time(space);
    solver.set_time(now_.time);
    result_.fluxes = boundary_fluxes(solver, now_.state, case_.about);
    const auto show = [&] {
      if (checkpoints_.show) checkpoints_.show({solver, now_.state, now_.time, now_.number});
    };
    show();
    TimeOptions options = *case_.time;
    options.monitor = [&](const TimeStep& step) {
      saved_.time.last_error = step.error;
      result_.fluxes = boundary_fluxes(solver, now_.state, case_.about);
      result_.steps.push_back({.order = case_.order,
                               .number = step.number,
                               .coefficients = coefficients(result_.fluxes),
                               .seconds = seconds_since(begin_),
                               .time = step,
                               .fluxes = result_.fluxes});
      show();
      const bool goes_on = !monitor_ || monitor_(result_.steps.back());
      if (goes_on) save_often();
      return goes_on;
    };
    const TimeReport report = integrate(queue_, solver, now_, options);
    result_.converged = report.finished;
    result_.reason = join("order ", case_.order, ": ", report.reason);
    result_.state = now_.state;
    result_.mass_end = mass(solver);
    const Offset unknowns = Offset{space.num_faces()} * solver.comps() * space.face_modes();
    result_.orders.push_back({.order = case_.order,
                              .unknowns = unknowns,
                              .num_steps = now_.number,
                              .seconds = seconds_since(begin_),
                              .coefficients = coefficients(result_.fluxes),
                              .errors = report.finished ? errors(solver) : std::vector<double>{}});
    add_memory(space);
    result_.seconds = seconds_since(begin_);
  }

  /// Where the steps in time begin: at the start of the case, or where those of the saved state ended.
  void begin_time(const TraceSpace& space) {
    now_.state = result_.state;
    now_.time = case_.time_start;
    if (!resume_ || resume_->time.num_steps == 0) return;
    const SavedTime& saved = resume_->time;
    require_fit(*resume_, case_.file, case_.time->end);
    now_.time = saved.time;
    now_.number = saved.num_steps;
    now_.step = saved.step;
    saved_.time.last_error = saved.last_error;
    if (case_.time->scheme != TimeScheme::bdf2) return;  // others have no use for the past
    for (const TimeLevel& level : saved.earlier)
      now_.earlier.push_back(
          {level.time, with_order({level.u, resume_->state.trace}, resume_->order, saved_.comps, space).u});
  }

  /// The state that the run begins with.
  void begin(const LocalSolver& solver) {
    const TraceSpace& space = solver.space();
    saved_.equation = solver.equation().name();
    saved_.case_text = case_.text;
    saved_.mesh = identity_of(space);
    saved_.comps = solver.comps();
    if (resume_) require_fit(*resume_, case_.file, saved_.mesh, solver.equation());
    result_.state = resume_ ? with_order(resume_->state, resume_->order, solver.comps(), space)
                            : project(space, solver.comps(), case_.start);
    result_.mass_start = saved_.mass_start = resume_ ? resume_->mass_start : mass(solver);
  }

  void save() {
    if (checkpoints_.save.empty()) return;
    saved_.state = case_.time ? now_.state : result_.state;
    saved_.time = {now_.time, now_.step, saved_.time.last_error, now_.number, now_.earlier};
    write_state(checkpoints_.save, saved_);
  }
  void save_often() {
    if (checkpoints_.save_every > 0 && std::ssize(result_.steps) % checkpoints_.save_every == 0) save();
  }

  void require_memory(const TraceSpace& space) const {
    const double bytes = estimate_memory(case_, space.num_faces(), case_.order, queue_.num_threads()).total();
    const double there = static_cast<double>(facts(Device::host()).memory_bytes);
    require(bytes <= there, case_.file, ": order ", case_.order, " on ", space.num_cells(), " cells needs about ",
            std::ceil(bytes / 1e8) / 10, " GB; this machine has ", std::floor(there / 1e8) / 10,
            " GB; a lower order, fewer cells or solver.keep_solutions = false need less");
  }

  /// What the last order was thought to need, and what it has.
  void add_memory(const TraceSpace& space) {
    OrderResult& result = result_.orders.back();
    result.memory = estimate_memory(case_, space.num_faces(), space.order(), queue_.num_threads());
    if (before_ > 0) result.peak_bytes = std::max(0.0, peak_resident_bytes() - before_);
  }

  bool solve(const LocalSolver& solver) {
    const int order = solver.space().order();
    const auto begin = Clock::now();
    NewtonOptions options = case_.newton;
    if (order > case_.first_order || (resume_ && resume_->order != order)) {
      options.cfl = case_.cfl_later;
      options.cfl_growth = case_.growth_later;
    }
    if (resume_ && resume_->order == order) options.from = resume_->continuation;
    options.max_steps -= static_cast<int>(result_.steps.size());
    options.monitor = [&](const NewtonStep& step) {
      result_.steps.push_back({order, step.number, step,
                               coefficients(boundary_fluxes(solver, result_.state, case_.about)),
                               seconds_since(begin_)});
      return !monitor_ || monitor_(result_.steps.back());
    };
    options.checkpoint = [&](const Continuation& next) {
      saved_.continuation = next;
      save_often();
    };
    const NewtonReport report = newton(queue_, solver, result_.state, options);
    saved_.continuation = report.next;
    const int number = report.steps.empty() ? report.next.step : report.steps.back().number;
    result_.reason = join("order ", order, ": ", report.reason);
    const Offset unknowns = Offset{solver.space().num_faces()} * solver.comps() * solver.space().face_modes();
    result_.fluxes = boundary_fluxes(solver, result_.state, case_.about);
    result_.orders.push_back(
        {order, unknowns, number, report.residual, seconds_since(begin), coefficients(result_.fluxes), errors(solver)});
    add_memory(solver.space());
    return report.converged;
  }

  Coefficients coefficients(const std::vector<BoundaryFlux>& fluxes) const {
    Coefficients sum;
    if (!case_.angle) return sum;
    for (const BoundaryFlux& group : fluxes) {
      if (std::ranges::count(case_.force_groups, group.group) == 0) continue;
      const double x = group.flux[1], y = group.flux[2], scale = 2 / case_.area;
      sum.drag += scale * (x * std::cos(*case_.angle) + y * std::sin(*case_.angle));
      sum.lift += scale * (y * std::cos(*case_.angle) - x * std::sin(*case_.angle));
      sum.moment += scale * group.moment[2];
    }
    return sum;
  }

  double mass(const LocalSolver& solver) const {
    double sum = 0;
    for_each_point(solver, result_.state,
                   [&](const double*, double weight, const double* u, const double*) { sum += weight * u[0]; });
    return sum;
  }

  std::vector<double> errors(const LocalSolver& solver) const {
    if (!case_.exact) return {};
    std::vector<double> sums(to_size(solver.comps())), exact(sums.size());
    for_each_point(solver, result_.state, [&](const double* x, double weight, const double* u, const double*) {
      case_.exact(x, exact.data());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * (u[i] - exact[i]) * (u[i] - exact[i]);
    });
    for (double& sum : sums) sum = std::sqrt(sum);
    return sums;
  }

  Queue& queue_;
  const Case& case_;
  const std::function<bool(const CaseStep&)>& monitor_;
  const Checkpoints& checkpoints_;
  const SavedState* resume_;
  const Clock::time_point begin_ = Clock::now();
  const double before_ = (release_free_memory(), resident_bytes());
  CaseResult result_{};
  TimeState now_{};     // of steps in time
  SavedState saved_{};  // but for the coefficients
};

}  // namespace

CaseResult run_case(Queue& queue, const Case& c, const std::function<bool(const CaseStep&)>& monitor,
                    const Checkpoints& checkpoints) {
  require(checkpoints.save_every >= 0, "run_case: a state after every ", checkpoints.save_every,
          " steps was asked for; 0 and more are accepted");
  const ThreadLimit limit(queue);
  return Run(queue, c, monitor, checkpoints)();
}

}  // namespace millrace::hdg
