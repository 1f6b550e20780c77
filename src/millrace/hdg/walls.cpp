// Faces become curves by their vertices; the points of a face are ordered along it.
#include "millrace/hdg/walls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "millrace/base/to_size.hpp"
#include "millrace/io/csv.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/io/plot.hpp"

namespace millrace::hdg {
namespace {

/// A face with its vertices so that the gas, which is inside its cell, lies to the left on the way from the first to
/// the second.
struct DirectedFace {
  Index face = 0, from = 0, to = 0;
};

double coordinate(const TraceSpace& space, Index vertex, int d) {
  const Index point = space.topology().vertex_points[to_size(vertex)];
  return space.mesh().points.data()[std::int64_t{point} * 2 + d];
}

DirectedFace directed(const TraceSpace& space, Index face) {
  const Topology& topology = space.topology();
  const FaceSide side = topology.face_sides[to_size(face)][0];
  DirectedFace found{face, topology.face_vertices[to_size(face)][0], topology.face_vertices[to_size(face)][1]};
  const auto vertices = topology.blocks[0].vertices.begin() + std::ptrdiff_t{side.cell} * 3;
  const Index inner =  // the third of the triangle
      *std::find_if(vertices, vertices + 3, [&](Index v) { return v != found.from && v != found.to; });
  const auto step = [&](Index to, int d) { return coordinate(space, to, d) - coordinate(space, found.from, d); };
  if (step(found.to, 0) * step(inner, 1) - step(found.to, 1) * step(inner, 0) < 0) std::swap(found.from, found.to);
  return found;
}

/// Faces that follow each other, each list from its begin on.
std::vector<std::vector<DirectedFace>> chains(const TraceSpace& space, const std::vector<DirectedFace>& faces) {
  std::map<Index, DirectedFace> from;  // by their first vertex
  std::set<Index> ends;
  for (const DirectedFace& f : faces) from[f.from] = f, ends.insert(f.to);
  const auto x_of = [&](Index vertex) { return coordinate(space, vertex, 0); };
  std::vector<std::vector<DirectedFace>> found;
  const auto follow = [&](Index vertex) {
    std::vector<DirectedFace> chain;
    for (auto at = from.find(vertex); at != from.end(); at = from.find(chain.back().to)) {
      chain.push_back(at->second);
      from.erase(at);
    }
    found.push_back(std::move(chain));
  };
  std::vector<Index> begins;
  for (const auto& [vertex, f] : from)
    if (!ends.contains(vertex)) begins.push_back(vertex);
  for (const Index vertex : begins) follow(vertex);
  while (!from.empty()) {  // closed ones
    std::set<Index> loop;
    for (Index vertex = from.begin()->first; loop.insert(vertex).second;) vertex = from.at(vertex).to;
    follow(*std::max_element(loop.begin(), loop.end(), [&](Index a, Index b) { return x_of(a) < x_of(b); }));
  }
  return found;
}

/// Adds the points of a face to the curve.
void add_face(const LocalSolver& solver, const State& state, const DirectedFace& f, int pressure, LocalWork& work,
              WallCurve& curve) {
  const TraceSpace& space = solver.space();
  const FaceSide side = space.topology().face_sides[to_size(f.face)][0];
  solver.residual(side.cell, state, {}, work);
  const int per_face = space.num_face_points(), all = work.geometry.num_face_points(), comps = solver.comps();
  const bool gradients = solver.equation().uses_gradient();
  std::vector<double> uh(to_size(comps)), q(gradients ? to_size(comps * 2) : 0);
  double length = 0;
  std::vector<WallPoint> points;
  for (int p = 0; p < per_face; ++p) {
    const int at = side.face * per_face + p;
    const auto number = [&](const std::vector<double>& of, int row) { return of[to_size(row * all + at)]; };
    for (int c = 0; c < comps; ++c) uh[to_size(c)] = number(work.face_uh, c);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = number(work.face_q, static_cast<int>(i));
    length += work.geometry.areas[to_size(at)];
    const double n[2] = {number(work.geometry.normals, 0), number(work.geometry.normals, 1)};  // out of the gas
    points.push_back({.s = 0,
                      .x = number(work.geometry.face_x, 0),
                      .y = number(work.geometry.face_x, 1),
                      .pressure = solver.equation().field(pressure, uh.data(), q.data()),
                      .friction = number(work.face_flux, 2) * n[0] - number(work.face_flux, 1) * n[1]});
  }
  const double begin[2] = {coordinate(space, f.from, 0), coordinate(space, f.from, 1)},
               end[2] = {coordinate(space, f.to, 0), coordinate(space, f.to, 1)};
  const auto along = [&](const WallPoint& p) {
    return (p.x - begin[0]) * (end[0] - begin[0]) + (p.y - begin[1]) * (end[1] - begin[1]);
  };
  std::sort(points.begin(), points.end(), [&](const WallPoint& a, const WallPoint& b) { return along(a) < along(b); });
  // The length up to a point is that of the chords, stretched to the length of the face.
  double x = begin[0], y = begin[1], chords = 0;
  for (WallPoint& p : points) {
    p.s = chords += std::hypot(p.x - x, p.y - y);
    x = p.x, y = p.y;
  }
  chords += std::hypot(end[0] - x, end[1] - y);
  for (WallPoint& p : points) p.s = curve.length + p.s * length / chords;
  curve.length += length;
  curve.points.insert(curve.points.end(), points.begin(), points.end());
}

}  // namespace

std::vector<WallCurve> wall_curves(const LocalSolver& solver, const State& state,
                                   const std::vector<std::string>& groups) {
  const TraceSpace& space = solver.space();
  const auto names = solver.equation().fields();
  const auto field = std::find(names.begin(), names.end(), "pressure");
  require<Unsupported>(space.dim() == 2, "walls: curves are those of a mesh in the plane; this one is in space");
  require<Unsupported>(field != names.end(), "walls: ", solver.equation().name(),
                       " has no pressure; curves are of the equations of a gas");
  LocalWork work(space, solver.equation());
  std::vector<WallCurve> curves;
  for (const std::string& group : groups) {
    std::vector<DirectedFace> faces;
    for (const Index face : space.topology().boundary_faces)
      if (group_name(space.mesh(), space.topology().face_tags[to_size(face)]) == group)
        faces.push_back(directed(space, face));
    int part = 0;
    for (const std::vector<DirectedFace>& chain : chains(space, faces)) {
      WallCurve curve{group, part++, chain.front().from == chain.back().to};
      for (const DirectedFace& f : chain)
        add_face(solver, state, f, static_cast<int>(field - names.begin()), work, curve);
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

void write_wall_table(const std::filesystem::path& path, const std::vector<WallCurve>& curves) {
  std::string text = "group,part,s,x,y,pressure,friction\n";
  for (const WallCurve& curve : curves) {
    const std::string group = csv_text(curve.group);
    for (const WallPoint& p : curve.points)
      fmt::format_to(std::back_inserter(text), "{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", group, curve.part,
                     p.s, p.x, p.y, p.pressure, p.friction);
  }
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_wall_plot(const std::filesystem::path& path, const std::vector<WallCurve>& curves,
                     const std::string& title) {
  Plot pressure{.title = title, .x_label = "length along the wall", .y_label = "pressure"};
  Plot friction{.x_label = "length along the wall", .y_label = "friction"};
  for (const WallCurve& curve : curves) {
    const std::string name = curve.part == 0 ? curve.group : fmt::format("{} {}", curve.group, curve.part + 1);
    PlotCurve p{name}, f{name};
    for (const WallPoint& point : curve.points) {
      p.x.push_back(point.s), f.x.push_back(point.s);
      p.y.push_back(point.pressure), f.y.push_back(point.friction);
    }
    pressure.curves.push_back(std::move(p));
    friction.curves.push_back(std::move(f));
  }
  write_plots(path, {pressure, friction});
}

}  // namespace millrace::hdg
