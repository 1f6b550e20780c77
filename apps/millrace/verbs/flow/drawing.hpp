// The picture of a flow, and its file for VTK.
#pragma once

#include <string>

#include "millrace/hdg/case.hpp"
#include "verbs/field_picture.hpp"

namespace millrace::command {

/// A picture of a case: all that can be wrong with it is found before the work.
class FlowDrawing {
 public:
  /// `field`: one of the equation's; empty: its first.
  FlowDrawing(const PictureRequest& asked, const std::string& field, const hdg::Case& c);
  /// Paints and writes the file.
  void draw(const hdg::LocalSolver& solver, const hdg::State& state) const;
  /// The same in a few pixels.
  SmallPicture small(const hdg::LocalSolver& solver, const hdg::State& state, int max_width, int max_height) const;
  const std::string& field() const { return field_; }
  /// "flow.png: mach".
  const std::string& description() const { return picture_.description(); }

 private:
  std::string field_;
  FieldPicture picture_;
};

/// The fields of all equations, for the help of the verb; the first of each is its default.
std::string flow_field_names();

/// Writes all fields of a solution, and says which: "flow.vtu: mach, density". In Lagrange cells of the order of the
/// solution or of the geometry, or, subdivided, in linear cells: every edge of a cell in so many parts, 1 to 8.
std::string write_flow_vtu(const std::string& file, const hdg::LocalSolver& solver, const hdg::State& state,
                           int subdivide = 0);

}  // namespace millrace::command
