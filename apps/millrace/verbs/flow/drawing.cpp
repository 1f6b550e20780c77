// Fields of a flow by name, with colours around zero where a field has both signs.
#include "verbs/flow/drawing.hpp"

#include <algorithm>

#include "millrace/hdg/equations.hpp"
#include "millrace/hdg/fields.hpp"
#include "millrace/io/vtu.hpp"

namespace millrace::command {

namespace {

std::string checked_field(const std::string& asked, const hdg::Equation& equation) {
  const int number = asked.empty() ? 0 : equation.field_number(asked);
  return std::string(equation.fields()[static_cast<std::size_t>(number)]);
}

// Does a field reach as far below zero as above, within a factor of ten?
bool has_both_signs(const PlaneFigure& figure, const PictureField& field) {
  double low = 0, high = 0;
  for (const Patch& patch : figure.patches)
    for (const millrace::Point& xi : patch.xi) {
      const double value = field(patch.cell, xi);
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return std::min(-low, high) > 0.1 * std::max(-low, high);
}

}  // namespace

std::string flow_field_names() {
  std::string scalars, gases;
  for (const std::string_view name : hdg::Poisson<3>::fields)
    scalars += (scalars.empty() ? "" : " ") + std::string(name);
  for (const std::string_view name : hdg::NavierStokes<3>::fields) gases += ' ' + std::string(name);
  return scalars + "; of a gas:" + gases + " (default: the first)";
}

FlowDrawing::FlowDrawing(const PictureRequest& asked, const std::string& field, const hdg::Case& c)
    : field_(checked_field(field, *c.problem.equation)),
      picture_(asked, {"flow", c.mesh, c.file, c.title, field_, field_}) {}

void FlowDrawing::draw(const hdg::LocalSolver& solver, const hdg::State& state) const {
  const PictureField field = hdg::cell_function(solver, state, field_);
  picture_.draw(field, has_both_signs(picture_.figure(), field));
}

SmallPicture FlowDrawing::small(const hdg::LocalSolver& solver, const hdg::State& state, int max_width,
                                int max_height) const {
  const PictureField field = hdg::cell_function(solver, state, field_);
  return small_picture(picture_.figure(), field, max_width, max_height,
                       picture_.options(has_both_signs(picture_.figure(), field)));
}

std::string write_flow_vtu(const std::string& file, const hdg::LocalSolver& solver, const hdg::State& state,
                           int subdivide) {
  const CellSamples samples = hdg::sample(solver, state, subdivide);
  write_vtu(file, samples, {.linear_pieces = subdivide > 0});
  std::string names;
  for (const CellSamples::Field& field : samples.fields) names += (names.empty() ? "" : ", ") + field.name;
  return file + ": " + names;
}

}  // namespace millrace::command
