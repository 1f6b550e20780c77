// The trace system on the O-mesh of the paper (Roca, Nguyen, Peraire 2011): Table 1's counts, the gallery's pattern.
#include "millrace/hdg/trace_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hdg_tools.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::test {

constexpr int around = 95, across = 41;

// Numbers of the gallery for the faces of a mesh whose points lie on circles: per ring `around` edges along it, then as
// many across and as many diagonals, as the gallery's ring numbers them. `sign`: the way round.
std::vector<Index> gallery_numbers(const hdg::TraceSpace& space, const std::vector<double>& radii, int sign) {
  std::vector<Index> numbers(to_size(space.num_faces()), -1);
  hdg::CellGeometry geometry(space);
  const auto place = [&](Index node) {
    const Point x = space.mesh().point(node);
    const double radius = std::hypot(x[0], x[1]);
    const auto ring = std::min_element(radii.begin(), radii.end(),
                                       [&](double a, double b) { return std::abs(a - radius) < std::abs(b - radius); });
    const int step = static_cast<int>(std::lround(sign * std::atan2(x[1], x[0]) / (2 * M_PI) * around));
    return std::pair((step + around) % around, static_cast<int>(ring - radii.begin()));
  };
  const int per_face = space.num_face_points();
  for (Index cell = 0; cell < space.num_cells(); ++cell) {
    geometry.evaluate(cell);
    const std::span<const Index> nodes = space.nodes_of(cell);
    for (int f = 0; f < 3; ++f) {
      double middle[2] = {};
      for (int p = 0; p < per_face; ++p)
        for (int d = 0; d < 2; ++d)
          middle[d] += geometry.face_x[to_size(d * geometry.num_face_points() + f * per_face + p)] / per_face;
      double best = INFINITY;
      std::pair<int, int> a, b;
      for (const auto& [k, l] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 0)}) {
        const Point x = space.mesh().point(nodes[to_size(k)]), y = space.mesh().point(nodes[to_size(l)]);
        const double distance = std::hypot((x[0] + y[0]) / 2 - middle[0], (x[1] + y[1]) / 2 - middle[1]);
        if (distance >= best) continue;
        best = distance;
        a = place(nodes[to_size(k)]);
        b = place(nodes[to_size(l)]);
      }
      if (a.second > b.second || (a.second == b.second && (a.first + 1) % around != b.first)) std::swap(a, b);
      const Index ring = 3 * around * a.second;
      const bool diagonal = a.second != b.second && a.first != b.first;
      numbers[to_size(space.trace(cell, f))] = a.second == b.second ? ring + a.first
                                               : diagonal           ? ring + 2 * around + a.first
                                                                    : ring + around + a.first;
    }
  }
  return numbers;
}

TEST(TraceSystem, HasTheCountsOfTable1) {
  const Mesh mesh = make_o_mesh(Cell::triangle, make_circle(1), {.around = around, .across = across, .far = 10});
  const Offset values[] = {3769600, 8481600, 15078400, 23560000, 33926400};
  for (int order = 1; order <= 5; ++order) {
    const hdg::TraceSpace space(mesh, order);
    EXPECT_EQ(space.num_faces(), 11780);
    const Offset block = 4 * space.face_modes();
    EXPECT_EQ(Offset{space.num_faces()} * space.max_neighbours() * block * block, values[order - 1]);
    const auto blocks = std::ranges::count_if(space.neighbours(), [](Index neighbour) { return neighbour >= 0; });
    EXPECT_NEAR(static_cast<double>(space.num_faces() * space.max_neighbours()) / static_cast<double>(blocks), 1.0065,
                1e-4);
    if (order > 1) continue;
    const hdg::TraceSystem system(space, 4);
    EXPECT_EQ(system.block(), block);
    EXPECT_EQ(system.matrix().shape().rows, 11780 * block);
  }
}

TEST(TraceSystem, HasThePatternOfTheGallery) {
  const Mesh mesh = make_o_mesh(Cell::triangle, make_circle(1), {.around = around, .across = across, .far = 10});
  const hdg::TraceSpace space(mesh, 1);
  std::vector<double> radii;
  for (Index p = 0; p < mesh.num_points(); ++p) {
    const double radius = std::hypot(mesh.point(p)[0], mesh.point(p)[1]);
    if (std::ranges::none_of(radii, [&](double known) { return std::abs(known - radius) < 1e-9; }))
      radii.push_back(radius);
  }
  std::ranges::sort(radii);
  ASSERT_EQ(radii.size(), std::size_t{across + 1});
  const Csr<double> gallery = gallery::make("hdg-omesh:m=1");
  ASSERT_EQ(gallery.num_rows, space.num_faces());
  int matches = 0;
  for (const int sign : {-1, 1}) {
    const std::vector<Index> numbers = gallery_numbers(space, radii, sign);
    if (std::set<Index>(numbers.begin(), numbers.end()).size() != numbers.size()) continue;
    bool same = true;
    for (Index t = 0; t < space.num_faces() && same; ++t) {
      std::set<Index> mine, theirs;
      for (int k = 0; k < space.max_neighbours(); ++k) {
        const Index neighbour = space.neighbours()[to_size(Offset{t} * space.max_neighbours() + k)];
        if (neighbour >= 0) mine.insert(numbers[to_size(neighbour)]);
      }
      const Index row = numbers[to_size(t)];
      for (Offset s = gallery.row_begin(row); s < gallery.row_begin(row + 1); ++s)
        theirs.insert(gallery.cols.data()[s]);
      same = mine == theirs;
    }
    matches += same;
  }
  EXPECT_GE(matches, 1);  // one way round, as the diagonals lie
}

}  // namespace millrace::test
