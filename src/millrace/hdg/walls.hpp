// What a gas does to walls in the plane, along them: pressure and friction, for tables and plots.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "millrace/hdg/local_solver.hpp"

namespace millrace::hdg {

/// One point of a face, in the scales of the flow (density times speed squared).
struct WallPoint {
  double s = 0;  // length along the curve, from its begin
  double x = 0, y = 0;
  double pressure = 0;
  double friction = 0;  // force along the wall per length, positive towards larger s
};

/// Faces of a group that follow each other, the gas to the left. A closed curve begins where its x is largest: at the
/// trailing edge of an aerofoil.
struct WallCurve {
  std::string group;
  int part = 0;  // of the group, from 0
  bool closed = false;
  double length = 0;
  std::vector<WallPoint> points{};
};

/// Of all of these groups, in their order. Pressure is that of the trace, friction that of the numerical flux, so that
/// their integrals are the forces of boundary_fluxes. An Unsupported for a mesh in space, and for an equation without a
/// pressure.
std::vector<WallCurve> wall_curves(const LocalSolver& solver, const State& state,
                                   const std::vector<std::string>& groups);

/// A table of text: group,part,s,x,y,pressure,friction. The file appears when it is complete.
void write_wall_table(const std::filesystem::path& path, const std::vector<WallCurve>& curves);

/// Two plots above each other as SVG, pressure and friction along the length of each curve.
void write_wall_plot(const std::filesystem::path& path, const std::vector<WallCurve>& curves, const std::string& title);

}  // namespace millrace::hdg
