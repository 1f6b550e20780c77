// Cells and faces at their points: volumes, closed surfaces, and the same points from both sides of a face.
#include "millrace/hdg/trace_space.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "hdg_tools.hpp"
#include "millrace/hdg/cell_geometry.hpp"

namespace millrace::test {

TEST(TraceSpace, CellsFillTheDomainAndTheirSurfacesAreClosed) {
  for (const auto& [dim, geometry_order] : {std::pair{2, 1}, {2, 3}, {3, 1}, {3, 2}}) {
    const Mesh mesh = unit_mesh(dim, 3, geometry_order);
    const hdg::TraceSpace space(mesh, 3);
    hdg::CellGeometry geometry(space);
    double volume = 0;
    for (Index cell = 0; cell < space.num_cells(); ++cell) {
      geometry.evaluate(cell);
      volume += geometry.volume;
      const int all = geometry.num_face_points();
      for (int d = 0; d < dim; ++d) {
        double sum = 0;
        for (int p = 0; p < all; ++p) sum += geometry.areas[to_size(p)] * geometry.normals[to_size(d * all + p)];
        EXPECT_NEAR(sum, 0, 1e-14);
      }
    }
    EXPECT_NEAR(volume, 1, 1e-13);
  }
}

TEST(TraceSpace, BothSidesSeeTheSamePointsWithOppositeNormals) {
  for (const int dim : {2, 3}) {
    const Mesh mesh = unit_mesh(dim, 2, 2);
    const hdg::TraceSpace space(mesh, 2);
    hdg::CellGeometry geometry(space);
    const int per_face = space.num_face_points();
    std::map<Index, std::vector<double>> seen;
    std::set<std::pair<int, int>> codes;
    int met = 0;
    for (Index cell = 0; cell < space.num_cells(); ++cell) {
      geometry.evaluate(cell);
      const int all = geometry.num_face_points();
      for (int f = 0; f < space.faces_per_cell(); ++f) {
        codes.insert({f, space.code(cell, f)});
        std::vector<double> mine;
        for (int d = 0; d < dim; ++d)
          for (int p = 0; p < per_face; ++p) {
            mine.push_back(geometry.face_x[to_size(d * all + f * per_face + p)]);
            mine.push_back(geometry.normals[to_size(d * all + f * per_face + p)]);
          }
        const auto [at, first] = seen.emplace(space.trace(cell, f), mine);
        if (first) continue;
        ++met;
        for (std::size_t i = 0; i < mine.size(); i += 2) {
          EXPECT_NEAR(mine[i], at->second[i], 1e-13);
          EXPECT_NEAR(mine[i + 1], -at->second[i + 1], 1e-12);
        }
      }
    }
    EXPECT_EQ(std::ssize(seen), space.num_faces());
    EXPECT_EQ(met, space.num_faces() - std::ssize(space.topology().boundary_faces));
    EXPECT_GE(codes.size(), dim == 2 ? 4u : 6u);
  }
}

TEST(TraceSpace, ColoursShareNoFaceAndNeighboursAreComplete) {
  const Mesh mesh = unit_mesh(3, 3);
  const hdg::TraceSpace space(mesh, 1);
  Index cells = 0;
  for (const auto& colour : space.colours()) {
    std::set<Index> faces;
    for (const Index cell : colour)
      for (int f = 0; f < 4; ++f) EXPECT_TRUE(faces.insert(space.trace(cell, f)).second);
    cells += static_cast<Index>(colour.size());
  }
  EXPECT_EQ(cells, space.num_cells());
  for (Index cell = 0; cell < space.num_cells(); ++cell)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        const auto row = space.neighbours().begin() + space.trace(cell, a) * space.max_neighbours();
        EXPECT_NE(std::find(row, row + space.max_neighbours(), space.trace(cell, b)), row + space.max_neighbours());
      }
}

TEST(TraceSpace, RefusesWhatItCannotTake) {
  const auto text_of = [](const Mesh& mesh, int order) {
    try {
      hdg::TraceSpace space(mesh, order);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(text_of(make_box(Cell::quad, {2, 2, 1}), 2).find("quads; triangles or tets of one order are accepted"),
            std::string::npos)
      << text_of(make_box(Cell::quad, {2, 2, 1}), 2);
  EXPECT_EQ(text_of(unit_mesh(2, 1), 7), "hdg: order 7 in 2 dimensions; 1 to 6 are accepted");
  EXPECT_EQ(text_of(unit_mesh(3, 1), 0), "hdg: order 0 in 3 dimensions; 1 to 4 are accepted");
}

}  // namespace millrace::test
