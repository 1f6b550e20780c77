// What millrace pde makes of a solution: errors, extremes, the file for VTK and the picture.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "millrace/fem/space.hpp"
#include "verbs/field_picture.hpp"
#include "verbs/pde/case.hpp"

namespace millrace {
class Queue;
}

namespace millrace::command {

/// Against the solution that the case knows.
struct PdeErrors {
  double l2 = 0, h1 = 0;  // of u, and of its gradient
};
/// None where no solution is known. Meshes with several kinds of cells are accepted.
std::optional<PdeErrors> pde_errors(Queue& queue, const PdeCase& c, const Space& space, std::span<const double> u);

/// The lowest and highest value of a component at the nodes.
struct PdeRange {
  double low = 0, high = 0;
};
PdeRange pde_range(const Space& space, std::span<const double> u, int component);

/// A picture of a case: all that can be wrong with it is found before the work.
class PdeDrawing {
 public:
  /// `component`: "x", "y" or "z" of a vector; empty: its length.
  PdeDrawing(const PictureRequest& asked, const std::string& component, const PdeCase& c);
  /// Paints and writes the file.
  void draw(const PdeCase& c, const Space& space, std::span<const double> u) const;
  /// "u.png: |u|, cut at z = 0.5".
  const std::string& description() const { return picture_.description(); }

 private:
  int component_;  // -1: the length
  FieldPicture picture_;
};

/// u, with the exact solution and the error at its points where one is known, and the groups of the cells.
void write_pde_vtu(const std::string& file, const PdeCase& c, const Space& space, std::span<const double> u);

}  // namespace millrace::command
