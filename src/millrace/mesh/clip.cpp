// A window of a figure: convex pieces of patches (Sutherland and Hodgman 1974) and pieces of lines (Liang and Barsky
// 1984).
#include <algorithm>
#include <cmath>

#include "millrace/base/error.hpp"
#include "millrace/mesh/patches/cell_map.hpp"

namespace millrace {
namespace {

/// A corner of a piece of a patch.
struct Corner {
  Place place;
  Point xi;
};

Corner between(const Corner& a, const Corner& b, double t) {
  Corner c;
  for (std::size_t d = 0; d < 2; ++d) c.place[d] = a.place[d] + t * (b.place[d] - a.place[d]);
  for (std::size_t d = 0; d < 3; ++d) c.xi[d] = a.xi[d] + t * (b.xi[d] - a.xi[d]);
  return c;
}

/// What is left of a convex piece on the inner side of place[axis] = limit: above it, or (sign -1) below.
void keep_side(std::vector<Corner>& piece, std::size_t axis, double limit, double sign) {
  std::vector<Corner> kept;
  for (std::size_t k = 0; k < piece.size(); ++k) {
    const Corner &a = piece[k], &b = piece[(k + 1) % piece.size()];
    const double at_a = sign * (a.place[axis] - limit), at_b = sign * (b.place[axis] - limit);
    if (at_a >= 0) kept.push_back(a);
    if ((at_a > 0 && at_b < 0) || (at_a < 0 && at_b > 0)) {
      kept.push_back(between(a, b, at_a / (at_a - at_b)));
      kept.back().place[axis] = limit;  // to the last bit, as the neighbour has it
    }
  }
  piece = std::move(kept);
}

void clip_patch(const Patch& patch, const Place& lower, const Place& upper, std::vector<Patch>& to) {
  std::vector<Corner> piece;
  for (std::size_t k = 0; k < 3; ++k) piece.push_back({patch.places[k], patch.xi[k]});
  for (std::size_t axis = 0; axis < 2; ++axis) {
    keep_side(piece, axis, lower[axis], 1);
    keep_side(piece, axis, upper[axis], -1);
  }
  for (std::size_t k = 1; k + 1 < piece.size(); ++k) {
    const Corner &a = piece[0], &b = piece[k], &c = piece[k + 1];
    if (detail::doubled_area(a.place, b.place, c.place) > 0)
      to.push_back({patch.cell, {a.place, b.place, c.place}, {a.xi, b.xi, c.xi}});
  }
}

void clip_line(const PlaneLine& line, const Place& lower, const Place& upper, std::vector<PlaneLine>& to) {
  bool open = false;  // the last piece ends where the next segment begins
  for (std::size_t k = 0; k + 1 < line.places.size(); ++k) {
    const Place &a = line.places[k], &b = line.places[k + 1];
    double from = 0, until = 1;
    for (std::size_t d = 0; d < 2; ++d) {
      const double step = b[d] - a[d];
      if (step == 0) {
        if (a[d] < lower[d] || a[d] > upper[d]) until = -1;
        continue;
      }
      const double first = (lower[d] - a[d]) / step, second = (upper[d] - a[d]) / step;
      from = std::max(from, std::min(first, second));
      until = std::min(until, std::max(first, second));
    }
    if (from >= until) {
      open = false;
      continue;
    }
    const auto at = [&](double t) { return Place{a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])}; };
    if (!open || from > 0) to.push_back({{from > 0 ? at(from) : a}, line.on_boundary});
    to.back().places.push_back(until < 1 ? at(until) : b);
    open = until == 1;
  }
}

}  // namespace

PlaneFigure clip(const PlaneFigure& figure, const Place& lower, const Place& upper) {
  for (std::size_t d = 0; d < 2; ++d)
    require(std::isfinite(lower[d]) && std::isfinite(upper[d]) && lower[d] < upper[d], "clip: a window from ", lower[d],
            " to ", upper[d], d == 0 ? " to the right" : " upwards", "; the first must be smaller");
  PlaneFigure part;
  for (const Patch& patch : figure.patches) clip_patch(patch, lower, upper, part.patches);
  for (const PlaneLine& line : figure.lines) clip_line(line, lower, upper, part.lines);
  detail::set_box(part);
  return part;
}

}  // namespace millrace
