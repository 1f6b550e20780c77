// Pictures and files of flows: the right colour in every pixel of a curved mesh, also where a solution jumps between
// cells, the same bytes twice, and VTK files byte by byte.
#include <gtest/gtest.h>

#include <memory>

#include "hdg_tools.hpp"
#include "io/vtu_tools.hpp"
#include "millrace/hdg/fields.hpp"
#include "millrace/io/picture/raster.hpp"
#include "millrace/io/png.hpp"
#include "millrace/io/vtk_cells.hpp"
#include "millrace/io/vtu.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::test {
namespace {

/// A gas on the unit square, whose points have moved to the right by a parabola of y: cells of order 2 are exactly
/// that. Density and momentum are polynomials of degree 3 of the place, 6 in the reference cell; with `jump` every cell
/// has its own number added to the density.
struct PolynomialGas {
  static constexpr int n = 3;
  double jump;
  Mesh mesh = make_box(Cell::triangle, {n, n, 1}, {}, 2);
  hdg::Problem problem{};
  std::unique_ptr<hdg::TraceSpace> space;
  std::unique_ptr<hdg::LocalSolver> solver;
  hdg::State state;

  explicit PolynomialGas(double jump_ = 0) : jump(jump_) {
    deform(mesh, [](const Point& x) { return Point{x[0] + 0.8 * x[1] * (1 - x[1]), x[1], 0}; });
    const hdg::PointFunction smooth = [](const double* x, double* u) {
      u[0] = density(x[0], x[1]);
      u[1] = momentum(x[0], x[1]);
      u[2] = 0.2;
      u[3] = 5;
    };
    problem = {hdg::make_equation(hdg::Euler<2>{}), on_all_sides(2, "far-field", smooth), {}};
    space = std::make_unique<hdg::TraceSpace>(mesh, 6);
    solver = std::make_unique<hdg::LocalSolver>(*space, problem);
    state = hdg::project(*space, 4, smooth);
    const int per_cell = 4 * space->cell_modes();
    for (Index cell = 0; cell < space->num_cells(); ++cell)
      state.u[to_size(cell * per_cell)] += jump_of(cell) / space->cell().values[0];
  }
  static double density(double x, double y) { return 1.5 + 0.5 * x * y - 0.4 * y * y * y + 0.1 * x * x; }
  static double momentum(double x, double y) { return 0.5 + x * (1 - y) - 0.3 * y * y; }
  double jump_of(Index cell) const { return jump * static_cast<double>(cell % 3 - 1); }

  /// The cell at a place of the bent square; -1: none.
  static Index cell_at(double x, double y) {
    const double u = n * (x - 0.8 * y * (1 - y)), v = n * y;
    if (!(u > 0 && u < n && v > 0 && v < n)) return -1;
    const int i = static_cast<int>(u), j = static_cast<int>(v);
    return 2 * (j * n + i) + (v - j > u - i ? 1 : 0);
  }
};

using Exact = std::function<double(double x, double y, Index cell)>;

/// Of all pixels whose corners are in one cell (or, without jumps, in any): how many there are, and the largest
/// difference of a colour, in 1/255.
std::pair<int, int> worst_pixel(const PolynomialGas& gas, const std::string& name, const Exact& exact,
                                const std::string& path) {
  const PlaneFigure figure = patches_of(gas.mesh);
  const PictureField field = hdg::cell_function(*gas.solver, gas.state, name);
  double low = 1e9, high = -1e9;
  for (const Patch& patch : figure.patches)
    for (const Point& xi : patch.xi) {
      low = std::min(low, field(patch.cell, xi));
      high = std::max(high, field(patch.cell, xi));
    }
  const picture::Limits limits{low, high};
  const PictureOptions options{.width = 400, .low = low, .high = high, .outline = false};
  const picture::Scene scene = picture::make_scene(figure, options, limits, {});
  const picture::Shading shading{[&](Index cell, const Point& xi) { return limits.part(field(cell, xi)); },
                                 [](double t) { return picture::colour_of(ColourMap::sequential, t); }};
  const picture::Raster raster = picture::paint(figure, scene, shading, options);
  const std::vector<std::uint8_t> bytes = raster.bytes();
  if (has_png() && !path.empty()) {  // a file has these pixels, and the same bytes when it is written again
    for (int time = 0; time < 2; ++time) {
      write_picture(path, figure, field, options);
      EXPECT_TRUE(load(path) == encode_png(raster.width(), raster.height(), 3, bytes)) << name << ' ' << time;
    }
  }
  int count = 0, worst = 0;
  for (int j = 0; j < raster.height(); ++j)
    for (int i = 0; i < raster.width(); ++i) {
      const auto place = [&](double right, double down) {
        return Place{scene.lower[0] + (i + right - scene.left) / scene.scale,
                     scene.lower[1] + (scene.top + scene.plot_height - j - down) / scene.scale};
      };
      const Place middle = place(0.5, 0.5);
      const Index cell = PolynomialGas::cell_at(middle[0], middle[1]);
      bool inside = cell >= 0;
      for (const double right : {-0.25, 1.25})  // patches reach a little over their rims
        for (const double down : {-0.25, 1.25}) {
          const Place corner = place(right, down);
          const Index other = PolynomialGas::cell_at(corner[0], corner[1]);
          inside = inside && (gas.jump == 0 ? other >= 0 : other == cell);
        }
      if (!inside) continue;
      ++count;
      const picture::Colour wanted =
          picture::colour_of(ColourMap::sequential, limits.part(exact(middle[0], middle[1], cell)));
      const double parts[] = {wanted.red, wanted.green, wanted.blue};
      for (int k = 0; k < 3; ++k) {
        const int found = bytes[to_size((j * raster.width() + i) * 3 + k)];
        worst = std::max(worst, std::abs(found - static_cast<int>(std::lround(255 * parts[k]))));
      }
    }
  return {count, worst};
}

TEST(HdgPictures, EveryPixelInsideHasTheColourOfThePolynomial) {
  const TempFolder folder;
  for (const double jump : {0.0, 0.3}) {
    const PolynomialGas gas(jump);
    const Exact density = [&](double x, double y, Index cell) {
      return PolynomialGas::density(x, y) + gas.jump_of(cell);
    };
    const Exact mach = [&](double x, double y, Index cell) {
      const double rho = density(x, y, cell), m = PolynomialGas::momentum(x, y), square = (m * m + 0.04) / rho;
      return std::sqrt(square / rho / (1.4 * 0.4 * (5 - 0.5 * square) / rho));
    };
    for (const auto& [name, exact] : {std::pair{"density", density}, {"mach", mach}}) {
      const bool written = jump > 0 && name == std::string("mach");
      const auto [count, worst] = worst_pixel(gas, name, exact, written ? (folder / "a.png").string() : "");
      EXPECT_GT(count, 20'000) << name;
      EXPECT_LE(worst, 2) << name << ", jumps of " << jump;
    }
  }
}

/// A file of VTK as its format has it: a head that says where every array begins, and the arrays, each after its number
/// of bytes. Samples have triangles or tets of one order, 2 or more.
std::string vtu_file(const CellSamples& samples) {
  const std::size_t num_points = samples.points.size() / to_size(samples.dim), num_cells = samples.groups.size();
  const CellSamples::Block& block = samples.blocks.at(0);
  const std::vector<int> to_vtk = vtk_nodes(block.cell, block.order);
  std::string data, array,
      head = join("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" ",
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece ",
                  "NumberOfPoints=\"", num_points, "\" NumberOfCells=\"", num_cells, "\">\n");
  const auto add = [&](auto value) { array.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto end_array = [&](const std::string& attributes) {
    head += join("        <DataArray ", attributes, " format=\"appended\" offset=\"", data.size(), "\"/>\n");
    const std::uint64_t bytes = array.size();
    data.append(reinterpret_cast<const char*>(&bytes), sizeof bytes).append(array);
    array.clear();
  };
  const auto add_points = [&](const std::vector<double>& values, int comps, const std::string& name) {
    const int written = comps == 1 ? 1 : 3;  // a direction of the plane has a third component
    for (std::size_t p = 0; p < num_points; ++p)
      for (int d = 0; d < written; ++d) add(d < comps ? values[p * to_size(comps) + to_size(d)] : 0.0);
    end_array("type=\"Float64\" Name=\"" + name + "\"" + (written == 3 ? " NumberOfComponents=\"3\"" : ""));
  };
  head += "      <PointData>\n";
  for (const CellSamples::Field& field : samples.fields) add_points(field.values, field.comps, field.name);
  head += "      </PointData>\n      <CellData>\n";
  for (const std::int32_t group : samples.groups) add(group);
  end_array("type=\"Int32\" Name=\"group\"");
  head += "      </CellData>\n      <Points>\n";
  add_points(samples.points, samples.dim, "Points");
  head += "      </Points>\n      <Cells>\n";
  for (std::size_t c = 0; c < num_cells; ++c)
    for (const int node : to_vtk) add(std::int64_t{block.nodes[c * to_vtk.size() + to_size(node)]});
  end_array("type=\"Int64\" Name=\"connectivity\"");
  for (std::size_t c = 0; c < num_cells; ++c) add(static_cast<std::int64_t>((c + 1) * to_vtk.size()));
  end_array("type=\"Int64\" Name=\"offsets\"");
  for (std::size_t c = 0; c < num_cells; ++c) add(static_cast<std::uint8_t>(block.cell == Cell::tet ? 71 : 69));
  end_array("type=\"UInt8\" Name=\"types\"");
  head += "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_";
  return head + data + "\n  </AppendedData>\n</VTKFile>\n";
}

TEST(HdgPictures, FilesOfVtkByteByByte) {
  const TempFolder folder;
  const PolynomialGas gas(0.3);
  for (const int order : {0, 2, 3}) {
    const CellSamples samples = hdg::sample(*gas.solver, gas.state, order);
    for (const char* name : {"a.vtu", "b.vtu"}) write_vtu(folder / name, samples);
    const std::string found = load(folder / "a.vtu"), wanted = vtu_file(samples);
    EXPECT_TRUE(found == load(folder / "b.vtu"));
    const std::size_t mark = wanted.find("\n_") + 2;
    EXPECT_EQ(found.substr(0, mark), wanted.substr(0, mark));
    EXPECT_TRUE(found == wanted) << "order " << order;
  }
  write_vtu(folder / "a.vtu", hdg::sample(*gas.solver, gas.state));
  const VtuFile file = read_vtu(folder / "a.vtu");
  EXPECT_EQ(file.num_cells, "18");
  EXPECT_EQ(file.num_points, std::to_string(18 * 28));
  // Values of a cell are those of its own side, where its neighbour has others.
  const std::vector<double> density = file.array("PointData/density").as<double>();
  const std::vector<Point> lattice = lattice_points(Cell::triangle, 6);
  const auto exact = hdg::cell_function(*gas.solver, gas.state, "density");
  for (Index cell = 0; cell < 18; ++cell)
    for (int k = 0; k < 28; ++k) EXPECT_NEAR(density[to_size(cell * 28 + k)], exact(cell, lattice[to_size(k)]), 1e-12);
}

}  // namespace
}  // namespace millrace::test
