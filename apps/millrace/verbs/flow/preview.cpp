// Which part of a flow a small picture shows.
#include "verbs/flow/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "millrace/hdg/problem.hpp"

namespace millrace::command {

namespace {

struct PlaneBox {
  double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
  void add(const millrace::Point& x) {
    for (std::size_t d = 0; d < 2; ++d) {
      lower[d] = std::min(lower[d], x[d]);
      upper[d] = std::max(upper[d], x[d]);
    }
  }
};

// Around the walls, with more room behind them, if that is less than the mesh; empty: all.
std::string view_of_walls(const hdg::Case& c) {
  if (c.mesh.dim != 2 || c.force_groups.empty()) return "";
  PlaneBox walls, all;
  for (const BoundaryBlock& block : c.mesh.boundary)
    for (Index face = 0; face < block.num_cells(); ++face)
      for (const Index node : block.nodes_of(face)) {
        all.add(c.mesh.point(node));
        if (std::ranges::count(c.force_groups, hdg::group_name(c.mesh, block.tag.data()[face])) > 0)
          walls.add(c.mesh.point(node));
      }
  const double length = std::max(walls.upper[0] - walls.lower[0], walls.upper[1] - walls.lower[1]);
  const double left = walls.lower[0] - length, right = walls.upper[0] + 2 * length, bottom = walls.lower[1] - length,
               top = walls.upper[1] + length;
  const bool less = left > all.lower[0] && right < all.upper[0] && bottom > all.lower[1] && top < all.upper[1];
  return less ? fmt::format("{},{},{},{}", left, right, bottom, top) : "";
}

PictureRequest small_request(PictureRequest asked, const hdg::Case& c) {
  if (asked.file.empty()) asked.view = view_of_walls(c);
  return asked;
}

}  // namespace

FlowPreview::FlowPreview(const PreviewRoom& room, const PictureRequest& asked, const std::string& field,
                         const hdg::Case& c)
    : room_(room), drawing_(small_request(asked, c), field, c) {}

std::string FlowPreview::text(const hdg::LocalSolver& solver, const hdg::State& state) const {
  const SmallPicture picture = drawing_.small(solver, state, room_.columns, 2 * room_.lines);
  return half_blocks(picture, room_.depth) + colour_line(picture, drawing_.field(), room_.columns, room_.depth);
}

}  // namespace millrace::command
