// A cell at its points, straight or curved: places, volumes, outward normals; and the gradient q as a linear function
// of u and the traces, which the geometry alone decides.
#pragma once

#include <vector>

#include "millrace/hdg/trace_space.hpp"

namespace millrace::hdg {

/// Work space of one thread, made once and filled for one cell after another. F = faces per cell times face points.
struct CellGeometry {
  explicit CellGeometry(const TraceSpace& space);
  void evaluate(Index cell);
  /// (q, w) + (u, div w) - <uh, w n> = 0: q_j = from_u u + from_trace uh for each component. After evaluate.
  void make_gradients();

  const TraceSpace& space;
  double volume = 0, perimeter = 0;
  std::vector<double> x;                    // [dim, points]
  std::vector<double> weights;              // [points]: of the rule times det J
  std::vector<double> grads;                // [dim, points, modes]: gradients in space, times those weights
  std::vector<double> face_x;               // [dim, F]
  std::vector<double> normals;              // [dim, F]: outward, of length 1
  std::vector<double> areas;                // [F]: weights of the faces
  std::vector<double> on_faces;             // [modes, F]: the cell's functions there
  std::vector<double> on_faces_transposed;  // [F, modes]
  std::vector<double> mass;                 // [modes, modes]
  // Of direction j, at the points of the cell and of its faces; traces are [faces per cell, face modes].
  std::vector<double> from_u, from_trace;              // [dim, modes, modes], [dim, traces, modes]: q itself
  std::vector<double> point_u, point_trace;            // [dim, modes, points], [dim, traces, points]
  std::vector<double> face_point_u, face_point_trace;  // [dim, modes, F], [dim, traces, F]

  int num_traces() const { return space.faces_per_cell() * space.face_modes(); }
  int num_face_points() const { return space.faces_per_cell() * space.num_face_points(); }

 private:
  std::vector<double> scratch_, weighted_;
  std::vector<Index> pivots_;
};

}  // namespace millrace::hdg
