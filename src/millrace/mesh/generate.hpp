// Meshes that need no file: boxes, rings, meshes around bodies, and what is made of a mesh by moving its nodes.
#pragma once

#include <array>
#include <functional>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// An axis-parallel box.
struct Box {
  Point lower{0, 0, 0}, upper{1, 1, 1};
  std::array<bool, 3> periodic{};  // directions whose upper side continues at the lower one
};

/// A box of cells[0] x cells[1] (x cells[2]) quads or hexes, or of that many with each quad cut in two triangles, each
/// hex in six tets (Kuhn 1960; all share the diagonal from the lower to the upper corner). The boundary has the tags
/// 1 to 2 dim with the names "x0" "x1" "y0" ..., periodic sides too; cells have the tag 0. The cells are straight
/// whatever the order.
Mesh make_box(Cell cell, std::array<int, 3> cells, const Box& box = {}, int order = 1);

/// Moves every node. Raise the order first where the new shape is to be curved.
void deform(Mesh& mesh, const std::function<Point(const Point&)>& move);

/// The same cells with nodes of a higher order, at the lattice points of the cells as they are.
Mesh elevate(const Mesh& mesh, int order);

/// The unit square or cube of make_box with the cells of D. S. Kershaw (1981), on which solvers are compared: along x,
/// in six layers, those of one half and then of the other are squeezed by epsilon in y (and z), in (0, 1]; 1 leaves the
/// box as it is. Its pieces are flat where cells[0] is a multiple of 6 and the others are even.
Mesh make_kershaw(Cell cell, std::array<int, 3> cells, double epsilon, int order = 1);

/// A closed curve around a body, run through clockwise by s in [0, 1]; at s = 0 it is at the body's right end.
struct Profile {
  std::function<Point(double)> at;
  bool sharp = false;  // at s = 0, as the trailing edge of an aerofoil
};
Profile make_circle(double radius, const Point& center = {0, 0, 0});
/// The NACA aerofoil of four digits (Jacobs, Ward and Pinkerton 1933), chord from 0 to 1, trailing edge closed. Points
/// are dense at the leading edge, s = 1/2; give a mesh an even number of cells there.
Profile make_naca(int digits);

/// Sizes of meshes around a profile. In space (tet, hex) they are the plane mesh times `layers` cells of [0, height].
struct AroundOptions {
  int around = 32;           // cells along the profile
  int across = 16;           // cells from the profile to the far boundary
  int wake = 16;             // C-mesh: cells from the trailing edge to the outflow
  double far = 10;           // distance of the far boundary: a circle (O), a half circle and two lines (C)
  double wake_length = 10;   // C-mesh
  double growth = 1;         // height of a layer of cells over that of the layer inside it,
  double first_height = 0;   // or the height of the layer at the body, from which they grow to `far`; 0: by growth
  bool mirrored = false;     // triangles: the diagonals of one half mirror those of the other
  int random_diagonals = 0;  // triangles: a seed by which half of the diagonals are turned; 0: none
  int layers = 1;
  double height = 1;
};
/// A ring between two circles with the boundary tags 1 "inner", 2 "outer" (and 3 "z0", 4 "z1").
Mesh make_annulus(Cell cell, double inner, double outer, const AroundOptions& options = {}, int order = 1);
/// Cells around the whole profile up to a circle of radius `far`: 1 "wall", 2 "far" (and 3 "z0", 4 "z1").
Mesh make_o_mesh(Cell cell, const Profile& profile, const AroundOptions& options = {}, int order = 1);
/// Cells around a sharp profile and along its wake: 1 "wall", 2 "far", 3 "outflow" (and 4 "z0", 5 "z1"). The wake
/// begins with cells as long as the last ones of the profile, and they grow by one factor. Not of tets, whose faces
/// would not match across the wake.
Mesh make_c_mesh(Cell cell, const Profile& profile, const AroundOptions& options = {}, int order = 1);

}  // namespace millrace
