// Pictures of a few pixels: the colours of a field, holes, sizes.
#include <gtest/gtest.h>

#include <cmath>

#include "expect.hpp"
#include "millrace/io/picture/colours.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::testing {

/// A function of the plane on a mesh.
inline PictureField plane_field(const Mesh& mesh, std::function<double(double, double)> f) {
  return [&mesh, f = std::move(f)](Index cell, const Point& xi) {
    const CellBlock& block = mesh.only_block();
    const Point x = map_point(mesh, block.nodes_of(cell), tabulate_geometry(block.cell, block.order, {&xi, 1}), 0);
    return f(x[0], x[1]);
  };
}

// A field that is linear has the colour of the middle of every pixel, and pixels without a mesh have none.
TEST(SmallPicture, HasTheColoursOfTheField) {
  const Mesh mesh = make_box(Cell::triangle, {3, 2, 1}, {{0, 0, 0}, {2, 1, 0}});
  const PlaneFigure figure = patches_of(mesh);
  const SmallPicture small =
      small_picture(figure, plane_field(mesh, [](double x, double y) { return x + 3 * y; }), 40, 30);
  ASSERT_EQ(small.width, 40);
  ASSERT_EQ(small.height, 20);
  EXPECT_NEAR(small.low, 0, 1e-14);
  EXPECT_NEAR(small.high, 5, 1e-14);
  ASSERT_EQ(small.pixels.size(), 800U);
  ASSERT_EQ(small.bar.size(), 40U);
  const auto near = [](const SmallPicture::Rgb& found, const picture::Colour& wanted) {
    return std::abs(found[0] - 255 * wanted.red) <= 2 && std::abs(found[1] - 255 * wanted.green) <= 2 &&
           std::abs(found[2] - 255 * wanted.blue) <= 2;
  };
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x) {
      const double value = (x + 0.5) / 20 + 3 * (1 - (y + 0.5) / 20);
      const auto& pixel = small.pixels[static_cast<std::size_t>(40 * y + x)];
      ASSERT_TRUE(pixel.has_value()) << x << ' ' << y;
      EXPECT_TRUE(near(*pixel, picture::colour_of(ColourMap::sequential, value / 5))) << x << ' ' << y;
    }
  EXPECT_TRUE(near(small.bar[0], picture::colour_of(ColourMap::sequential, 0.5 / 40)));
  // A high picture fits by its height; limits and colours are those of the options.
  const SmallPicture low = small_picture(figure, plane_field(mesh, [](double x, double) { return x; }), 100, 5,
                                         {.low = -2, .high = 2, .colours = ColourMap::diverging});
  EXPECT_EQ(low.width, 10);
  EXPECT_EQ(low.height, 5);
  EXPECT_EQ(low.low, -2);
  EXPECT_TRUE(near(*low.pixels[0], picture::colour_of(ColourMap::diverging, 0.525)));
  // A hole is a hole.
  const Mesh ring = make_annulus(Cell::triangle, 1, 2, {.around = 16, .across = 2}, 2);
  const SmallPicture round =
      small_picture(patches_of(ring), plane_field(ring, [](double x, double) { return x; }), 40, 40);
  EXPECT_EQ(round.width, 40);
  EXPECT_FALSE(round.pixels[40 * 20 + 20].has_value());
  EXPECT_FALSE(round.pixels[0].has_value());
  EXPECT_TRUE(round.pixels[40 * 20 + 5].has_value());
  for (const auto& [width, height] : {std::pair{0, 10}, {10, 0}, {8001, 10}})
    EXPECT_NE(error_of([&, w = width, h = height] {
                small_picture(figure, plane_field(mesh, [](double x, double) { return x; }), w, h);
              }).find(join("a small one of ", width, " x ", height, " pixels; 1 to 8000 are accepted each way")),
              std::string::npos);
  EXPECT_NE(error_of([&] {
              small_picture({}, plane_field(mesh, [](double x, double) { return x; }), 4, 4);
            }).find("there is nothing to draw"),
            std::string::npos);
}

}  // namespace millrace::testing
