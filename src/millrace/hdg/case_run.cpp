// The run of a case: spaces of one order after the other, each from the solution of the last.
#include <algorithm>
#include <cmath>
#include <memory>

#include "millrace/base/device.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/case.hpp"

namespace millrace::hdg {
namespace {

class Run {
 public:
  Run(Queue& queue, const Case& c, const std::function<bool(const CaseStep&)>& monitor)
      : queue_(queue), case_(c), monitor_(monitor) {}

  CaseResult operator()() {
    if (case_.time) return in_time();
    std::unique_ptr<TraceSpace> below;
    for (int order = case_.first_order; order <= case_.order; ++order) {
      auto space = std::make_unique<TraceSpace>(case_.mesh, order);
      if (!below) require_memory(*space);
      const LocalSolver solver(*space, case_.problem);
      result_.state = below ? raise(*below, result_.state, *space) : project(*space, solver.comps(), case_.start);
      if (!below) result_.mass_start = mass(solver);
      const bool converged = solve(solver);
      result_.converged = converged && order == case_.order;
      if (!converged || result_.converged) result_.mass_end = mass(solver);
      if (!converged) break;
      below = std::move(space);
    }
    result_.seconds = seconds_since(begin_);
    return std::move(result_);
  }

 private:
  CaseResult in_time() {
    const TraceSpace space(case_.mesh, case_.order);
    require_memory(space);
    LocalSolver solver(space, case_.problem);
    TimeState now{.state = project(space, solver.comps(), case_.start), .time = case_.time_start};
    const auto fluxes = [&] { return boundary_fluxes(solver, now.state, case_.about); };
    result_.state = now.state;
    result_.mass_start = mass(solver);
    TimeOptions options = *case_.time;
    options.monitor = [&](const TimeStep& step) {
      result_.fluxes = fluxes();
      result_.steps.push_back({.order = case_.order,
                               .number = step.number,
                               .coefficients = coefficients(result_.fluxes),
                               .seconds = seconds_since(begin_),
                               .time = step,
                               .fluxes = result_.fluxes});
      return !monitor_ || monitor_(result_.steps.back());
    };
    const TimeReport report = integrate(queue_, solver, now, options);
    result_.converged = report.finished;
    result_.reason = join("order ", case_.order, ": ", report.reason);
    result_.state = std::move(now.state);
    result_.mass_end = mass(solver);
    const Offset unknowns = Offset{space.num_faces()} * solver.comps() * space.face_modes();
    result_.orders.push_back({.order = case_.order,
                              .unknowns = unknowns,
                              .num_steps = static_cast<int>(report.steps.size()),
                              .seconds = seconds_since(begin_),
                              .coefficients = coefficients(result_.fluxes),
                              .errors = report.finished ? errors(solver) : std::vector<double>{}});
    result_.seconds = seconds_since(begin_);
    return std::move(result_);
  }

  void require_memory(const TraceSpace& space) const {
    const double bytes = estimate_memory(space.num_cells(), space.num_faces(), space.dim(),
                                         case_.problem.equation->comps(), case_.order, case_.newton.keep_solutions);
    const double there = static_cast<double>(facts(Device::host()).memory_bytes);
    require(bytes <= there, case_.file, ": order ", case_.order, " on ", space.num_cells(), " cells needs about ",
            std::ceil(bytes / 1e8) / 10, " GB; this machine has ", std::floor(there / 1e8) / 10,
            " GB; a lower order, fewer cells or solver.keep_solutions = false need less");
  }

  bool solve(const LocalSolver& solver) {
    const int order = solver.space().order();
    const auto begin = Clock::now();
    NewtonOptions options = case_.newton;
    if (order > case_.first_order) {
      options.cfl = case_.cfl_later;
      options.cfl_growth = case_.growth_later;
    }
    options.max_steps -= static_cast<int>(result_.steps.size());
    int number = 0;
    options.monitor = [&](const NewtonStep& step) {
      result_.steps.push_back({order, ++number, step, coefficients(boundary_fluxes(solver, result_.state, case_.about)),
                               seconds_since(begin_)});
      return !monitor_ || monitor_(result_.steps.back());
    };
    const NewtonReport report = newton(queue_, solver, result_.state, options);
    result_.reason = join("order ", order, ": ", report.reason);
    const Offset unknowns = Offset{solver.space().num_faces()} * solver.comps() * solver.space().face_modes();
    result_.fluxes = boundary_fluxes(solver, result_.state, case_.about);
    result_.orders.push_back(
        {order, unknowns, number, report.residual, seconds_since(begin), coefficients(result_.fluxes), errors(solver)});
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
  const Clock::time_point begin_ = Clock::now();
  CaseResult result_{};
};

}  // namespace

double estimate_memory(Index num_cells, Index num_faces, int dim, int comps, int order, bool keep_solutions) {
  const Cell cell = dim == 2 ? Cell::triangle : Cell::tet;
  const double n = comps * num_nodes(cell, order), block = comps * num_nodes(face_cell(cell), order);
  const double faces = num_faces, cells = num_cells;
  const double matrix = faces * (2 * dim + 1) * block * block;
  const double kept = keep_solutions ? cells * n * ((dim + 1) * block + 1) : 0;
  return sizeof(double) * (2 * matrix + kept + (gmres_cycle + 12) * faces * block + 6 * cells * n);
}

CaseResult run_case(Queue& queue, const Case& c, const std::function<bool(const CaseStep&)>& monitor) {
  return Run(queue, c, monitor)();
}

}  // namespace millrace::hdg
