// A box is a lattice of points; a cell takes those between its corners, which are corners of its brick.
#include <algorithm>
#include <cmath>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace {
namespace {

// The lattice places of the nodes of each cell that a brick is cut into, relative to the brick's lower corner.
using Pattern = std::vector<std::vector<Lattice>>;

// Kuhn's simplices: from the lower corner to the upper one along the axes in some order. Odd orders would be mirrored,
// so two of their vertices change places.
Pattern make_pattern(Cell cell, int order) {
  if (is_tensor(cell)) return {lattice(cell, order)};
  Pattern pattern;
  const int d = dim(cell);
  std::array<int, 3> axes{0, 1, 2};
  do {
    std::array<Lattice, 4> corners{};
    for (int v = 0; v < d; ++v) {
      corners[to_size(v + 1)] = corners[to_size(v)];
      corners[to_size(v + 1)][to_size(axes[to_size(v)])] = 1;
    }
    int inversions = 0;
    for (int a = 0; a < d; ++a)
      for (int b = a + 1; b < d; ++b) inversions += axes[to_size(a)] > axes[to_size(b)];
    if (inversions % 2 == 1) std::swap(corners[1], corners[2]);
    auto& nodes = pattern.emplace_back();
    for (const Lattice& at : lattice(cell, order)) {
      Lattice place{};
      for (std::size_t a = 0; a < 3; ++a)
        place[a] = at[0] * corners[1][a] + at[1] * corners[2][a] + at[2] * corners[3][a];
      nodes.push_back(place);
    }
  } while (std::next_permutation(axes.begin(), axes.begin() + d));
  return pattern;
}

class BoxMaker {
 public:
  BoxMaker(Cell cell, std::array<int, 3> cells, int order)
      : cell_(cell), dim_(dim(cell)), order_(order), cells_(cells), pattern_(make_pattern(cell, order)) {
    if (dim_ == 2) cells_[2] = 1;
    for (std::size_t a = 0; a < to_size(dim_); ++a) points_[a] = static_cast<Offset>(cells_[a]) * order + 1;
  }

  Offset num_points() const { return points_[0] * points_[1] * points_[2]; }
  Offset num_bricks() const { return static_cast<Offset>(cells_[0]) * cells_[1] * cells_[2]; }
  Offset num_cells() const { return num_bricks() * std::ssize(pattern_); }

  void fill_points(const Box& box, Mesh& mesh) const {
    mesh.points = Array<double>(num_points() * dim_);
    parallel_for(default_num_threads(), num_points(), [&](Offset begin, Offset end) {
      for (Offset p = begin; p < end; ++p) {
        const std::array<Offset, 3> at{p % points_[0], p / points_[0] % points_[1], p / points_[0] / points_[1]};
        Point x{};
        for (std::size_t a = 0; a < to_size(dim_); ++a) {
          const double t = static_cast<double>(at[a]) / static_cast<double>(points_[a] - 1);
          x[a] = std::lerp(box.lower[a], box.upper[a], t);
        }
        mesh.set_point(static_cast<Index>(p), x);
      }
    });
  }

  void fill_cells(Mesh& mesh) const {
    CellBlock block{cell_, order_, Array<Index>(num_cells() * num_nodes(cell_, order_)),
                    Array<std::int32_t>(num_cells(), 0)};
    parallel_for(default_num_threads(), num_bricks(), [&](Offset begin, Offset end) {
      for (Offset brick = begin; brick < end; ++brick)
        for (std::size_t s = 0; s < pattern_.size(); ++s) {
          const auto c = static_cast<Index>(brick * std::ssize(pattern_) + static_cast<Offset>(s));
          const auto nodes = block.nodes_of(c);
          for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = point_of(brick, pattern_[s][n]);
        }
    });
    mesh.blocks.push_back(std::move(block));
  }

  // The faces of cells that lie in one side of the box, side after side.
  void fill_boundary(Mesh& mesh) const {
    std::vector<Index> nodes;
    std::vector<std::int32_t> tags;
    for (int side = 0; side < 2 * dim_; ++side) {
      const auto faces = faces_on(side);
      const auto axis = to_size(side / 2);
      std::array<Offset, 3> first{}, count{cells_[0], cells_[1], cells_[2]};
      if (side % 2 == 1) first[axis] = count[axis] - 1;
      count[axis] = 1;
      for (Offset k = 0; k < count[2]; ++k)
        for (Offset j = 0; j < count[1]; ++j)
          for (Offset i = 0; i < count[0]; ++i)
            for (const auto& face : faces) {
              const Offset brick = first[0] + i + cells_[0] * (first[1] + j + cells_[1] * (first[2] + k));
              for (const Lattice& at : face) nodes.push_back(point_of(brick, at));
              tags.push_back(side + 1);
            }
      mesh.names.push_back({dim_ - 1, side + 1, {"xyz"[axis], side % 2 == 0 ? '0' : '1'}});
    }
    mesh.boundary.push_back({face_cell(cell_), order_, Array<Index>(std::span<const Index>(nodes)),
                             Array<std::int32_t>(std::span<const std::int32_t>(tags))});
  }

  // The vertices of the upper side of each periodic direction, with those of the lower side.
  void fill_periodic(const Box& box, Mesh& mesh) const {
    for (std::size_t axis = 0; axis < to_size(dim_); ++axis) {
      if (!box.periodic[axis]) continue;
      PeriodicSide& side = mesh.periodic.emplace_back();
      const std::array<Offset, 3> step{1, points_[0], points_[0] * points_[1]};
      const std::size_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
      for (Offset j = 0; j < points_[v]; j += order_)
        for (Offset i = 0; i < points_[u]; i += order_) {
          const Offset lower = i * step[u] + j * step[v];
          side.pairs.push_back(
              {static_cast<Index>(lower + (points_[axis] - 1) * step[axis]), static_cast<Index>(lower)});
        }
    }
  }

 private:
  Index point_of(Offset brick, const Lattice& at) const {
    const Offset i = brick % cells_[0], j = brick / cells_[0] % cells_[1], k = brick / cells_[0] / cells_[1];
    return static_cast<Index>(i * order_ + at[0] +
                              points_[0] * (j * order_ + at[1] + points_[1] * (k * order_ + at[2])));
  }

  // Node places of the faces, of the cells of one brick, that lie in a side of it.
  Pattern faces_on(int side) const {
    Pattern found;
    const int level = side % 2 == 0 ? 0 : order_;
    for (const auto& cell : pattern_)
      for (int f = 0; f < num_faces(cell_); ++f) {
        std::vector<Lattice> places;
        for (const int n : face_nodes(cell_, order_, f)) places.push_back(cell[to_size(n)]);
        const auto in_side = [&](const Lattice& at) { return at[to_size(side / 2)] == level; };
        if (std::all_of(places.begin(), places.end(), in_side)) found.push_back(places);
      }
    return found;
  }

  Cell cell_;
  int dim_, order_;
  std::array<int, 3> cells_;
  std::array<Offset, 3> points_{1, 1, 1};
  Pattern pattern_;
};

}  // namespace

Mesh make_box(Cell cell, std::array<int, 3> cells, const Box& box, int order) {
  require(dim(cell) >= 2, "make_box: boxes are made of triangle, quad, tet or hex cells, not of ", name(cell));
  require(order >= 1 && order <= max_geometry_order, "make_box: the order is ", order, "; 1 to ", max_geometry_order,
          " are possible");
  for (std::size_t a = 0; a < to_size(dim(cell)); ++a) {
    require(cells[a] >= 1, "make_box: ", cells[a], " cells along ", "xyz"[a], "; at least 1 is needed");
    require(box.lower[a] < box.upper[a], "make_box: along ", "xyz"[a], " the box goes from ", box.lower[a], " to ",
            box.upper[a], "; the second must be larger");
  }
  const BoxMaker maker(cell, cells, order);
  require(maker.num_points() <= INT32_MAX && maker.num_cells() <= INT32_MAX, "make_box: ", maker.num_points(),
          " points and ", maker.num_cells(), " cells; both must stay below 2^31");
  Mesh mesh;
  mesh.dim = dim(cell);
  maker.fill_points(box, mesh);
  maker.fill_cells(mesh);
  maker.fill_boundary(mesh);
  maker.fill_periodic(box, mesh);
  return mesh;
}

}  // namespace millrace
