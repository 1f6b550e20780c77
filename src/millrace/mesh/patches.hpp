// What is seen of a mesh in a picture plane: its cells as triangles and its edges as lines. A mesh of the plane is seen
// as it is, a mesh in space where a plane cuts it. Geometry alone; io/picture.hpp paints it.
#pragma once

#include <array>
#include <vector>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// A place in the picture plane: to the right, and up.
using Place = std::array<double, 2>;

/// A triangle of the picture plane, inside one cell. Corners turn to the left (counter-clockwise).
struct Patch {
  Index cell = 0;                 // number over all blocks of the mesh, one after another
  std::array<Place, 3> places{};  // of the corners
  std::array<Point, 3> xi{};      // the corners in the reference cell; the map of the cell takes them to the places
};

/// A line of the picture plane: an edge of a cell, or where the plane cuts a face of a cell.
struct PlaneLine {
  std::vector<Place> places;
  bool on_boundary = false;  // the edge or face has one cell
};

/// A mesh as a picture plane shows it.
struct PlaneFigure {
  std::vector<Patch> patches;
  std::vector<PlaneLine> lines;  // each edge or face once
  Place lower{}, upper{};        // the box around the patches; zero where there are none
};

/// How finely curved cells are cut into triangles.
struct Fineness {
  double tolerance = 0;  // of places, in units of the mesh; 0: 1/4000 of the longest side of its box
  int subdivisions = 1;  // of every edge of a cell, at least; 1 to 64
};

/// The cells of a mesh of the plane; cells with a curved (or not affine) map are subdivided by the tolerance.
PlaneFigure patches_of(const Mesh& mesh, const Fineness& fineness = {});

/// The part of a figure that lies in a window from `lower` to `upper`: patches and lines are cut at its sides. The box
/// is around what is left, which may be nothing. New corners of curved cells are as near to the map as the patch is.
PlaneFigure clip(const PlaneFigure& figure, const Place& lower, const Place& upper);

/// A plane in space with its axes. Whatever the sign of the normal, `up` is the z-axis as it is seen in the plane, or
/// the y-axis where z is the largest part of the normal; `right` is perpendicular to it, along growing x, or growing y
/// where x does not change. So z = c shows x to the right and y up; y = c shows x and z; x = c shows y and z.
struct Plane {
  Point point{};          // where the place (0, 0) is
  Point normal{0, 0, 1};  // of length 1
  Point right{1, 0, 0}, up{0, 1, 0};

  /// Signed distance of a point of space.
  double distance(const Point& x) const;
  /// Where a point of space is seen, and the point of space that is seen there.
  Place place(const Point& x) const;
  Point at(const Place& place) const;
};
/// The plane through a point with this normal, which need not have length 1. The place of x is its distance along
/// `right` and `up` from the point of the plane that is nearest to the origin, so that axis-parallel planes show the
/// coordinates of the mesh.
Plane make_plane(const Point& through, const Point& normal);

/// The cells of a mesh in space where the plane cuts them. Corners of patches lie in the plane to rounding, for curved
/// cells too. Where the plane runs along faces between cells, the cells on its negative side are shown.
PlaneFigure cut(const Mesh& mesh, const Plane& plane, const Fineness& fineness = {});

}  // namespace millrace
