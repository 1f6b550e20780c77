// Files of VTK: every array where the head says it is, with the values that were given; refusals.
#include "millrace/io/vtu.hpp"

#include <limits>

#include "expect.hpp"
#include "io/vtu_tools.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/io/vtk_cells.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace {
namespace {

/// A square of two triangles, beside a square of one quad of order 2: 15 points.
struct TwoKinds {
  std::vector<double> points;
  std::vector<Index> triangles{0, 1, 3, 4, 3, 1}, quad;
  VtuData data;

  TwoKinds() {
    for (const double y : {0.0, 1.0})
      for (const double x : {-1.0, 0.0, 5.0}) points.insert(points.end(), {x, y});  // those at 5 are of no cell
    for (const Lattice& at : lattice(Cell::quad, 2)) {
      quad.push_back(static_cast<Index>(points.size() / 2));
      points.insert(points.end(), {at[0] / 2.0, at[1] / 2.0});
    }
    data.dim = 2;
    data.points = points;
    data.blocks = {{Cell::triangle, 1, triangles}, {Cell::quad, 2, quad}};
  }
  std::size_t num_points() const { return points.size() / 2; }
};

TEST(Vtu, ArraysOfTwoKindsOfCells) {
  const test::TempFolder folder;
  TwoKinds two;
  std::vector<double> u(two.num_points()), flow(2 * two.num_points());
  std::vector<float> tensor(9 * two.num_points());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.1 * static_cast<double>(i);
  for (std::size_t i = 0; i < flow.size(); ++i) flow[i] = 1 + static_cast<double>(i);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = -static_cast<float>(i);
  u[3] = std::numeric_limits<double>::quiet_NaN();
  u[4] = -std::numeric_limits<double>::infinity();
  const std::vector<std::int32_t> group{7, -1, 3};
  const std::vector<double> size{0.5, 0.5, 1};
  two.data.point_fields = {{"u", 1, u},
                           {"flow", 2, flow},
                           {"as vector", 2, flow, true},
                           {"<\"t\" & 'o'>", 9, std::span<const float>(tensor)}};
  two.data.cell_fields = {{"group", 1, std::span<const std::int32_t>(group)}, {"u", 1, size}};
  write_vtu(folder / "a.vtu", two.data);
  EXPECT_EQ(folder.num_files(), 1u);

  const test::VtuFile file = test::read_vtu(folder / "a.vtu");
  EXPECT_TRUE(
      file.head.starts_with("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"));
  EXPECT_EQ(file.num_points, std::to_string(two.num_points()));
  EXPECT_EQ(file.num_cells, "3");
  EXPECT_EQ(file.arrays.size(), 10u);

  const auto& places = file.array("Points/Points");
  EXPECT_EQ(places.type + places.comps, "Float643");
  const auto x = places.as<double>();
  ASSERT_EQ(x.size(), 3 * two.num_points());
  for (std::size_t p = 0; p < two.num_points(); ++p) {
    EXPECT_EQ(x[3 * p], two.points[2 * p]);
    EXPECT_EQ(x[3 * p + 1], two.points[2 * p + 1]);
    EXPECT_EQ(x[3 * p + 2], 0);
  }
  EXPECT_EQ(file.array("Cells/types").type, "UInt8");
  EXPECT_EQ(file.array("Cells/types").as<std::uint8_t>(), (std::vector<std::uint8_t>{5, 5, 70}));
  EXPECT_EQ(file.array("Cells/offsets").type, "Int64");
  EXPECT_EQ(file.array("Cells/offsets").as<std::int64_t>(), (std::vector<std::int64_t>{3, 6, 15}));
  EXPECT_EQ(file.array("Cells/connectivity").type, "Int64");
  EXPECT_EQ(file.array("Cells/connectivity").as<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 3, 4, 3, 1, 6, 8, 14, 12, 7, 11, 13, 9, 10}));

  EXPECT_EQ(file.array("PointData/u").type + file.array("PointData/u").comps, "Float641");
  EXPECT_TRUE(testing::same_bits<double>(file.array("PointData/u").as<double>(), u));
  EXPECT_EQ(file.array("PointData/flow").comps, "2");
  EXPECT_EQ(file.array("PointData/flow").as<double>(), flow);
  EXPECT_EQ(file.array("PointData/as vector").comps, "3");
  const auto vector = file.array("PointData/as vector").as<double>();
  ASSERT_EQ(vector.size(), 3 * two.num_points());
  for (std::size_t p = 0; p < two.num_points(); ++p) {
    EXPECT_EQ(vector[3 * p + 1], flow[2 * p + 1]);
    EXPECT_EQ(vector[3 * p + 2], 0);
  }
  const auto& escaped = file.array("PointData/&lt;&quot;t&quot; &amp; &apos;o&apos;&gt;");
  EXPECT_EQ(escaped.type + escaped.comps, "Float329");
  EXPECT_EQ(escaped.as<float>(), tensor);
  EXPECT_EQ(file.array("CellData/group").type + file.array("CellData/group").comps, "Int321");
  EXPECT_EQ(file.array("CellData/group").as<std::int32_t>(), group);
  EXPECT_EQ(file.array("CellData/u").as<double>(), size);
}

TEST(Vtu, LinearPiecesKeepPointsAndRepeatCells) {
  const test::TempFolder folder;
  TwoKinds two;
  const std::vector<std::int32_t> group{7, -1, 3};
  two.data.cell_fields = {{"group", 1, std::span<const std::int32_t>(group)}};
  write_vtu(folder / "a.vtu", two.data, {.linear_pieces = true});
  const test::VtuFile file = test::read_vtu(folder / "a.vtu");
  EXPECT_EQ(file.num_points, std::to_string(two.num_points()));
  EXPECT_EQ(file.num_cells, "6");
  EXPECT_EQ(file.array("Cells/types").as<std::uint8_t>(), (std::vector<std::uint8_t>{5, 5, 9, 9, 9, 9}));
  EXPECT_EQ(file.array("Cells/offsets").as<std::int64_t>(), (std::vector<std::int64_t>{3, 6, 10, 14, 18, 22}));
  EXPECT_EQ(file.array("CellData/group").as<std::int32_t>(), (std::vector<std::int32_t>{7, -1, 3, 3, 3, 3}));
  const auto nodes = file.array("Cells/connectivity").as<std::int64_t>();
  ASSERT_EQ(nodes.size(), 22u);
  EXPECT_EQ(std::vector<std::int64_t>(nodes.begin() + 18, nodes.end()), (std::vector<std::int64_t>{10, 11, 14, 13}));
}

TEST(Vtu, LagrangeCellsOfEveryOrder) {
  const test::TempFolder folder;
  for (const Cell cell : {Cell::segment, Cell::triangle, Cell::quad, Cell::tet, Cell::hex})
    for (int order = 1; order <= max_vtk_order; ++order) {
      const int nodes = num_nodes(cell, order);
      std::vector<double> points(3 * to_size(nodes));
      std::vector<Index> numbers;
      for (Index n = 0; n < nodes; ++n) numbers.push_back(nodes - 1 - n);
      write_vtu(folder / "a.vtu", VtuData{.points = points, .blocks = {{cell, order, numbers}}});
      const test::VtuFile file = test::read_vtu(folder / "a.vtu");
      EXPECT_EQ(file.array("Cells/types").as<std::uint8_t>()[0], vtk_cell_type(cell, order));
      EXPECT_EQ(file.array("Cells/offsets").as<std::int64_t>()[0], nodes);
      EXPECT_NE(file.head.find(cell == Cell::hex && order > 1 ? " version=\"2.2\" byte" : " version=\"1.0\" byte"),
                std::string::npos)
          << name(cell) << " order " << order;
      const auto written = file.array("Cells/connectivity").as<std::int64_t>();
      const std::vector<int> expected = vtk_nodes(cell, order);
      ASSERT_EQ(std::ssize(written), nodes);
      for (std::size_t n = 0; n < written.size(); ++n) EXPECT_EQ(written[n], nodes - 1 - expected[n]);
    }
}

TEST(Vtu, NothingAtAllIsAFileToo) {
  const test::TempFolder folder;
  write_vtu(folder / "a.vtu", VtuData{.point_fields = {{"u", 1, std::span<const double>()}}});
  const test::VtuFile file = test::read_vtu(folder / "a.vtu");
  EXPECT_EQ(file.num_points + file.num_cells, "00");
  EXPECT_EQ(file.array("PointData/u").bytes, "");
  EXPECT_EQ(file.array("Cells/connectivity").bytes, "");
}

/// More than the buffers on the way hold at once.
TEST(Vtu, LargeArrays) {
  const test::TempFolder folder;
  const Mesh mesh = make_box(Cell::quad, {150, 140, 1});
  std::vector<double> u(to_size(mesh.num_points()));
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i);
  write_vtu(folder / "a.vtu", {.dim = 2,
                               .points = mesh.points.span(),
                               .blocks = {{Cell::quad, 1, mesh.blocks[0].nodes.span()}},
                               .point_fields = {{"u", 1, u}}});
  const test::VtuFile file = test::read_vtu(folder / "a.vtu");
  EXPECT_EQ(file.array("PointData/u").as<double>(), u);
  const auto nodes = file.array("Cells/connectivity").as<std::int64_t>();
  ASSERT_EQ(nodes.size(), 4u * 150 * 140);
  EXPECT_EQ(nodes[nodes.size() - 2], mesh.num_points() - 1);
  EXPECT_EQ(file.array("Cells/offsets").as<std::int64_t>().back(), 4 * 150 * 140);
}

TEST(Vtu, SamplesComeWithTheirGroups) {
  const test::TempFolder folder;
  CellSamples samples{2, {0, 0, 1, 0, 0, 1}, {{Cell::triangle, 1, {0, 1, 2}}}, {}, {}, {4}};
  samples.fields.push_back({"v", 2, true, {1, 2, 3, 4, 5, 6}});
  samples.cell_fields.push_back({"error", 1, false, {0.25}});
  write_vtu(folder / "a.vtu", samples);
  const test::VtuFile file = test::read_vtu(folder / "a.vtu");
  EXPECT_EQ(file.array("CellData/group").as<std::int32_t>(), std::vector<std::int32_t>{4});
  EXPECT_EQ(file.array("CellData/error").as<double>(), std::vector<double>{0.25});
  EXPECT_EQ(file.array("PointData/v").as<double>(), (std::vector<double>{1, 2, 0, 3, 4, 0, 5, 6, 0}));
}

TEST(Vtu, Refusals) {
  const test::TempFolder folder;
  const auto refusal = [&](const std::function<void(TwoKinds&)>& spoil) {
    TwoKinds two;
    spoil(two);
    return testing::error_of([&] { write_vtu(folder / "a.vtu", two.data); });
  };
  const std::vector<double> values(100);
  const auto with = [&](const std::string& name, int comps, std::size_t size) {
    return refusal([&](TwoKinds& two) {
      two.data.point_fields.push_back({"u", 1, std::span(values).first(15)});
      two.data.point_fields.push_back({name, comps, std::span(values).first(size)});
    });
  };
  EXPECT_EQ(with("u", 1, 15), "vtu: two fields of points have the name 'u'");
  EXPECT_EQ(with("", 1, 15), "vtu: a field of points has no name");
  EXPECT_EQ(with("v", 10, 100), "vtu: field 'v' has 10 components; 1 to 9 are possible");
  EXPECT_EQ(with("v", 2, 29), "vtu: field 'v' needs 30 values (15 points x 2); it has 29");
  EXPECT_EQ(with("v\x02", 1, 15),
            "vtu: the name of a field 'v\\x02' has bytes that XML cannot hold; UTF-8 without "
            "control characters is right");
  EXPECT_NE(with("\xff", 1, 15), "");
  EXPECT_EQ(refusal([&](TwoKinds& two) {
              two.data.cell_fields.push_back({"g", 1, std::span(values).first(2)});
            }),
            "vtu: field 'g' needs 3 values (3 cells x 1); it has 2");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.data.dim = 4; }), "vtu: points of 4 coordinates; 1 to 3 are possible");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.data.points = two.data.points.first(29); }),
            "vtu: 29 coordinates are no whole number of points with 2 each");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.points[1] = std::numeric_limits<double>::infinity(); }),
            "vtu: a coordinate of a point is inf");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.quad[3] = 15; }),
            "vtu: a quad has the node 15; there are 15 points, counted from 0");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.triangles[0] = -1; }),
            "vtu: a triangle has the node -1; there are 15 points, counted from 0");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.data.blocks[1].nodes = std::span(two.quad).first(8); }),
            "vtu: a quad of order 2 has 9 nodes; a block of them has 8 numbers");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.data.blocks[1].order = 0; }),
            "vtu: a block of order 0; at least 1 is right");
  EXPECT_EQ(refusal([](TwoKinds& two) { two.data.blocks[1].order = 11; }),
            "vtu: a block of order 11; VTK's Lagrange cells have orders 1 to 10, linear pieces any");
  EXPECT_EQ(folder.num_files(), 0u);
  EXPECT_EQ(test::error_of([&] { write_vtu(folder / "none" / "a.vtu", TwoKinds().data); }),
            (folder / "none" / "a.vtu").string() + ": cannot be written: No such file or directory");
}

TEST(Vtu, AFailureLeavesTheOldFile) {
  const test::TempFolder folder;
  test::save(folder / "a.vtu", "old");
  TwoKinds two;
  two.quad[0] = 99;
  EXPECT_THROW(write_vtu(folder / "a.vtu", two.data), Error);
  EXPECT_EQ(test::load(folder / "a.vtu"), "old");
  EXPECT_EQ(folder.num_files(), 1u);
}

}  // namespace
}  // namespace millrace
