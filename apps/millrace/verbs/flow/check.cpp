// Counts the faces of groups, and puts the estimates into words.
#include "verbs/flow/check.hpp"

#include <fmt/format.h>

#include <map>

#include "command.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/hdg/state_file.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace::command {

std::string check_text(Queue& queue, const hdg::Case& c, const Style& style) {
  const Topology topology = make_topology(c.mesh);
  std::map<std::string, Index> faces;
  for (const Index face : topology.boundary_faces)
    ++faces[hdg::group_name(c.mesh, topology.face_tags[static_cast<std::size_t>(face)])];
  // First what may be wrong: groups without a condition and the like are Errors of the solver.
  const hdg::StepEstimate step = hdg::estimate_step(queue, c);
  std::string text;
  for (const hdg::BoundaryCondition& condition : c.problem.conditions)
    text += folded_line(
        text.empty() ? "groups" : "",
        fmt::format("{}: {} faces, {}", condition.group, count_text(faces[condition.group]), condition.kind), style);
  constexpr int iterations = 60, steps = 10;
  const double solve = step.factors + iterations * step.iteration, seconds = step.cells + solve;
  const std::string scaled =
      step.product_order < c.order ? fmt::format(" at order {}, and scaled", step.product_order) : "";
  return text + folded_line("time",
                            fmt::format("about {} per Newton step at order {}: {} in the cells ({} of {} were timed), "
                                        "{} for factors and {} iterations of GMRES (timed{}); {} for {} steps",
                                        seconds_text(seconds), c.order, seconds_text(step.cells),
                                        count_text(step.num_timed), count_text(c.mesh.num_cells()), seconds_text(solve),
                                        iterations, scaled, seconds_text(steps * seconds), steps),
                            style);
}

std::string saved_text(const std::string& path, const hdg::SavedState& saved, const hdg::Case& c, const Style& style) {
  std::string text = fmt::format("{}: order {}", path, saved.order);
  const hdg::Continuation& at = saved.continuation;
  if (at.step > 0) text += fmt::format(" after {} steps, residual {:.1e}", at.step, at.residual);
  if (saved.time.num_steps > 0)
    text += fmt::format(" at time {:g} after {} steps", saved.time.time, saved.time.num_steps);
  if (saved.order > c.order) text += fmt::format(", cut to order {}", c.order);
  if (saved.order < c.first_order) text += fmt::format(", raised to order {}", c.first_order);
  if (saved.case_text != c.text) text += "; the case has changed since";
  return folded_line("resume", text, style);
}

}  // namespace millrace::command
