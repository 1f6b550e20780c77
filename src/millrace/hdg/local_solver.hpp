// The equations of one cell, linearised, with all that is inside the cell eliminated: a small dense system between the
// traces on its faces. q goes first (a product), then u (LU factors with many right-hand sides).
#pragma once

#include <vector>

#include "millrace/hdg/cell_geometry.hpp"
#include "millrace/hdg/problem.hpp"

namespace millrace::hdg {

/// Work space of one thread, and the result for the cell that it was last used for. n = comps * cell modes unknowns
/// inside, m = faces per cell * comps * face modes on the faces, by faces, then components.
struct LocalWork {
  LocalWork(const TraceSpace& space, const Equation& equation);

  int n, m;
  CellGeometry geometry;
  std::vector<double> u, q, flux, flux_u, flux_q, source, source_u;  // at the points of the cell, see VolumePoints
  std::vector<double> face_u, face_q, face_uh, face_flux, face_flux_d, condition, condition_d;  // see FacePoints
  std::vector<double> trace;                                                                    // [m]
  std::vector<double> trace_by_comp;             // [comps, faces * face modes]
  std::vector<double> inside;                    // [n + m + 1, n]: D, F and the residual
  std::vector<double> outside;                   // [n + m, m]: K and H
  std::vector<double> residual, trace_residual;  // [n], [m]
  std::vector<double> slopes;                    // of one component at all points
  std::vector<double> weighted;                  // scratch
  std::vector<Index> pivots;                     // [n]
  std::vector<double> trace_rhs;                 // [m]

  /// The eliminated cell: trace matrix [m, m], column by column (with stride m), and D^-1 (F | residual) [m + 1, n].
  const double* trace_matrix() const { return outside.data() + static_cast<Offset>(n) * m; }
  const double* solution() const { return inside.data() + static_cast<Offset>(n) * n; }
};

/// The term (u - old) / dt of a step in pseudo-time; without it the equations are steady.
struct PseudoTime {
  double inverse_step = 0;
  const double* old = nullptr;  // [n]
};

class LocalSolver {
 public:
  /// All must live longer than this.
  LocalSolver(const TraceSpace& space, const Problem& problem);

  const TraceSpace& space() const { return space_; }
  const Problem& problem() const { return problem_; }
  const Equation& equation() const { return *problem_.equation; }
  int comps() const { return equation().comps(); }
  /// Conditions and sources that change are those of this time; 0 until then.
  void set_time(double time);
  /// Residuals of the cell and of the conditions on its faces, into work.residual and work.trace_residual.
  void residual(Index cell, const State& state, const PseudoTime& time, LocalWork& work) const;
  /// The same with derivatives, and the elimination. An Error names a cell whose system is singular.
  void eliminate(Index cell, const State& state, const PseudoTime& time, LocalWork& work) const;
  /// Before eliminate overwrites them: D | F in work.inside, K | H in work.outside. For tests.
  void linearise(Index cell, const State& state, const PseudoTime& time, LocalWork& work) const;
  /// Are density, pressure and whatever the equation asks for possible at all points of the cell that `work` was last
  /// used for, and of its faces?
  bool admissible(const LocalWork& work) const;
  /// u, q and traces at the points of the cell and its faces.
  void evaluate(Index cell, const State& state, LocalWork& work) const;
  /// Coefficients of q [comps, dim, cell modes] in the cell that `evaluate` was called for last. The equation must use
  /// gradients.
  void gradient_modes(Index cell, const State& state, const LocalWork& work, double* modes) const;

 private:
  void sample_source(double time);
  void at_points(bool derivatives, LocalWork& work) const;
  void at_faces(Index cell, bool derivatives, LocalWork& work) const;
  void add_residuals(Index cell, const State& state, const PseudoTime& time, LocalWork& work) const;
  void add_volume(const PseudoTime& time, LocalWork& work) const;
  void add_faces(Index cell, LocalWork& work) const;
  void fill_slopes(const double* by, int comp, int first, int count, LocalWork& work) const;

  const TraceSpace& space_;
  const Problem& problem_;
  BoundaryTable boundary_;
  std::vector<double> source_;  // [cells, comps, points], or empty
};

}  // namespace millrace::hdg
