// Pictures: colours where a field has its values, contours and bars where they belong, well-formed SVG, and one clear
// sentence for what cannot be drawn.
#include "millrace/io/picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "expect.hpp"
#include "millrace/io/picture/font.hpp"
#include "millrace/io/picture/raster.hpp"
#include "millrace/io/picture/svg.hpp"
#include "millrace/io/picture/ticks.hpp"
#include "millrace/io/png.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"
#include "temporary_folder.hpp"

namespace millrace::testing {
namespace {

using picture::Colour;
using picture::Limits;
using picture::Raster;
using picture::Scene;
using picture::Shading;

class PictureFolder : public test::TemporaryFolder {
 public:
  PictureFolder() : TemporaryFolder("millrace-picture") {}
  std::string operator/(const std::string& name) const { return (path() / name).string(); }
};

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A function of the plane on a mesh.
PictureField on(const Mesh& mesh, std::function<double(double, double)> f) {
  return [&mesh, f](Index cell, const Point& xi) {
    const CellBlock& block = mesh.only_block();
    const Point x = map_point(mesh, block.nodes_of(cell), tabulate_geometry(block.cell, block.order, {&xi, 1}), 0);
    return f(x[0], x[1]);
  };
}

Shading shading_of(const PictureField& field, const Limits& limits, std::vector<double> levels = {}) {
  return {[field, limits](Index cell, const Point& xi) { return limits.part(field(cell, xi)); },
          [](double t) { return picture::colour_of(ColourMap::sequential, t); }, std::move(levels)};
}

double difference(const Colour& a, const Colour& b) {
  return std::max({std::abs(a.red - b.red), std::abs(a.green - b.green), std::abs(a.blue - b.blue)});
}

// The pixel that shows a place of the mesh.
Colour pixel_at(const Raster& raster, const Scene& scene, double x, double y) {
  const Place p = scene.pixel({x, y});
  return raster.at(static_cast<int>(p[0]), static_cast<int>(p[1]));
}

// Every element is closed, attributes are quoted, and characters that need it are escaped.
void expect_well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '&') {
      const auto end = text.find(';', at);
      ASSERT_NE(end, std::string::npos);
      const std::string name = text.substr(at + 1, end - at - 1);
      EXPECT_TRUE(name == "amp" || name == "lt" || name == "gt" || name == "quot") << name;
    }
    if (text[at] != '<') {
      ASSERT_NE(text[at], '>') << text.substr(at < 40 ? 0 : at - 40, 80);
      ++at;
      continue;
    }
    const auto end = text.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = text.substr(at + 1, end - at - 1);
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    const std::string name = tag.substr(0, tag.find(' '));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  EXPECT_TRUE(open.empty());
}

TEST(Picture, ColoursFollowTheFieldInsideCurvedCells) {
  for (const Cell cell : {Cell::triangle, Cell::quad}) {
    const Mesh mesh = make_annulus(cell, 1, 2, {.around = 6, .across = 1}, 4);
    const PlaneFigure figure = patches_of(mesh);
    const Limits limits{-2, 2};
    const PictureOptions options{.width = 500, .outline = false};
    const Scene scene = picture::make_scene(figure, options, limits, {});
    const Raster raster =
        picture::paint(figure, scene, shading_of(on(mesh, [](double x, double) { return x; }), limits), options);
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
      const double r = 1.05 + 0.9 * (k % 17) / 17.0, angle = k * 0.7, x = r * std::cos(angle), y = r * std::sin(angle);
      worst = std::max(
          worst, difference(pixel_at(raster, scene, x, y), picture::colour_of(ColourMap::sequential, (x + 2) / 4)));
    }
    EXPECT_LT(worst, 0.02) << name(cell);  // a pixel is 1/400 of the range
    EXPECT_EQ(pixel_at(raster, scene, 0, 0), picture::white);
  }
}

TEST(Picture, NeighbouringPatchesLeaveNoSeams) {
  Mesh mesh = make_box(Cell::triangle, {7, 5, 0});
  deform(mesh, [](const Point& x) -> Point { return {x[0] + 0.1 * x[1] * x[1], x[1] + 0.07 * std::sin(3 * x[0]), 0}; });
  const PlaneFigure figure = patches_of(mesh);
  const PictureOptions options{.width = 400, .outline = false};
  const Limits limits{0, 2};
  const Scene scene = picture::make_scene(figure, options, limits, {});
  const Raster raster =
      picture::paint(figure, scene, shading_of([](Index, const Point&) { return 1.0; }, limits), options);
  const Colour middle = picture::colour_of(ColourMap::sequential, 0.5);
  for (const Patch& patch : figure.patches) {  // along all edges inside
    for (std::size_t k = 0; k < 3; ++k)
      for (double t : {0.1, 0.35, 0.5, 0.8}) {
        const Place &a = patch.places[k], &b = patch.places[(k + 1) % 3];
        const double x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
        const double u = x - 0.1 * y * y;  // nearly the reference square
        const double v = y - 0.07 * std::sin(3 * u);
        if (u > 0.03 && u < 0.97 && v > 0.03 && v < 0.95) {
          EXPECT_LT(difference(pixel_at(raster, scene, x, y), middle), 1e-9) << x << " " << y;
        }
      }
  }
}

TEST(Picture, ContoursAreWhereTheFieldPassesTheirLevels) {
  const Mesh mesh = make_box(Cell::quad, {2, 2, 0});
  const PlaneFigure figure = patches_of(mesh);
  const PictureOptions options{.width = 500, .num_contours = 1, .outline = false};
  const Limits limits{0, 2};
  const auto radius = on(mesh, [](double x, double y) { return x * x + y * y; });
  const Scene scene = picture::make_scene(figure, options, limits, {0.25});
  const Raster with = picture::paint(figure, scene, shading_of(radius, limits, {0.25}), options),
               without = picture::paint(figure, scene, shading_of(radius, limits), options);
  const double pixel = 1 / scene.scale, level = std::sqrt(0.5);
  for (double angle = 0.1; angle < 1.5; angle += 0.05) {
    const auto change = [&](double r) {
      const double x = r * std::cos(angle), y = r * std::sin(angle);
      return difference(pixel_at(with, scene, x, y), pixel_at(without, scene, x, y));
    };
    EXPECT_GT(std::max({change(level - 0.7 * pixel), change(level), change(level + 0.7 * pixel)}), 0.1) << angle;
    EXPECT_EQ(change(level + 4 * pixel), 0) << angle;
    EXPECT_EQ(change(level - 4 * pixel), 0) << angle;
  }
}

TEST(Picture, ColourBarShowsItsMapAndRoundNumbers) {
  const PlaneFigure figure = patches_of(make_box(Cell::quad, {1, 1, 0}));
  const PictureOptions options{.width = 600};
  const Limits limits{0, 10};
  const Scene scene = picture::make_scene(figure, options, limits, {});
  const Raster raster =
      picture::paint(figure, scene, shading_of([](Index, const Point&) { return 5.0; }, limits), options);
  ASSERT_FALSE(scene.boxes.empty());
  const picture::Box bar = scene.boxes.front();
  for (const double t : {0.13, 0.5, 0.91}) {
    const Colour found =
        raster.at(static_cast<int>(bar.x + bar.width / 2), static_cast<int>(std::lround(bar.y + bar.height * (1 - t))));
    EXPECT_LT(difference(found, picture::colour_of(ColourMap::sequential, t)), 0.03) << t;
  }
  for (const char* number : {"0", "2", "4", "10"})
    EXPECT_TRUE(std::any_of(scene.texts.begin(), scene.texts.end(), [&](const picture::Text& text) {
      return text.text == number && text.anchor == picture::Anchor::start;
    })) << number;
  for (const picture::Text& text : scene.texts) {  // all inside of the picture
    const double width = picture::text_width(text.text) * text.size;
    if (text.upwards) continue;
    const double left = text.x - (text.anchor == picture::Anchor::start ? 0
                                  : text.anchor == picture::Anchor::end ? width
                                                                        : width / 2);
    EXPECT_GE(left, 0) << text.text;
    EXPECT_LE(left + width, scene.width) << text.text;
    EXPECT_LE(text.y, scene.height) << text.text;
  }
}

TEST(Picture, TicksAreRoundAndFewWhateverTheRange) {
  for (const auto& [low, high] : {std::pair{0.0, 1.0},
                                  {-3e-7, 5e-7},
                                  {1e300, 1.7e308},
                                  {-1.7e308, 1.7e308},
                                  {99999.0, 100001.0},
                                  {-1e-310, 1e-310},
                                  {0.1234, 0.1235}}) {
    const auto ticks = picture::round_ticks(low, high, 6);
    EXPECT_GE(ticks.size(), 2u) << low << " " << high;
    EXPECT_LE(ticks.size(), 8u) << low << " " << high;
    for (const auto& tick : ticks) {
      EXPECT_GE(tick.value, low - std::abs(low) * 1e-8);
      EXPECT_LE(tick.value, high + std::abs(high) * 1e-8);
      EXPECT_NEAR(std::strtod(tick.text.c_str(), nullptr), tick.value, 1e-9 * (high / 2 - low / 2) + 1e-320)
          << tick.text;
    }
  }
  EXPECT_EQ(picture::round_ticks(0, 1, 5)[1].text, "0.2");
  EXPECT_EQ(picture::round_ticks(0, 2e-5, 5)[1].text, "5e-6");
}

TEST(Picture, MapsBrightenEvenly) {
  const auto luminance = [](const Colour& c) {
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return std::cbrt(0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue));
  };
  for (int k = 0; k < 20; ++k) {
    const double step = luminance(picture::colour_of(ColourMap::sequential, (k + 1) / 20.0)) -
                        luminance(picture::colour_of(ColourMap::sequential, k / 20.0));
    EXPECT_GT(step, 0.015) << k;
    EXPECT_LT(step, 0.055) << k;
    EXPECT_EQ(k<10, luminance(picture::colour_of(ColourMap::diverging, (k + 1) / 20.0))> luminance(
        picture::colour_of(ColourMap::diverging, k / 20.0)));
  }
  EXPECT_EQ(picture::colour_of(ColourMap::sequential, std::nan("")), picture::not_a_number);
  EXPECT_EQ(picture::colour_of(ColourMap::sequential, HUGE_VAL), picture::colour_of(ColourMap::sequential, 1));
}

TEST(Picture, SvgIsWellFormedAndOfModestSize) {
  const PictureFolder folder;
  const Mesh mesh = make_annulus(Cell::triangle, 1, 2, {.around = 24, .across = 6}, 3);
  const PlaneFigure figure = patches_of(mesh);
  const PictureOptions options{.num_contours = 7, .mesh_lines = true, .title = "u < 1 & \"more\"", .label = "\x01<b>"};
  write_picture(folder / "a.svg", figure, on(mesh, [](double x, double y) { return std::sin(3 * x) * y; }), options);
  const std::string text = file_bytes(folder / "a.svg");
  expect_well_formed(text);
  EXPECT_NE(text.find("u &lt; 1 &amp; &quot;more&quot;"), std::string::npos);
  EXPECT_NE(text.find(">\\x01&lt;b&gt;<"), std::string::npos);
  EXPECT_LT(text.size(), 1800000u);
  EXPECT_GT(text.size(), 20000u);
  write_picture(folder / "b.svg", figure, groups_of(mesh), options);
  expect_well_formed(file_bytes(folder / "b.svg"));
  // Two writes, the same bytes.
  write_picture(folder / "c.svg", figure, on(mesh, [](double x, double y) { return std::sin(3 * x) * y; }), options);
  EXPECT_EQ(file_bytes(folder / "c.svg"), text);
}

// The polygons of the SVG cover the mesh, and each has the colour of the field there.
TEST(Picture, BandsOfSvgCoverThePlot) {
  const Mesh mesh = make_box(Cell::quad, {3, 2, 0});
  const PlaneFigure figure = patches_of(mesh);
  const PictureOptions options{.width = 400, .axes = false};
  const Limits limits{-1, 1};
  const Scene scene = picture::make_scene(figure, options, limits, {});
  const auto shading = shading_of(on(mesh, [](double x, double y) { return std::sin(5 * x + 4 * y); }), limits);
  const std::string text = picture::svg_text(figure, scene, shading, options);
  EXPECT_GT(std::count(text.begin(), text.end(), 'z'), 500);
  EXPECT_NE(text.find(hex_text(picture::colour_of(ColourMap::sequential, 0.5 / 64))), std::string::npos);
  EXPECT_NE(text.find(hex_text(picture::colour_of(ColourMap::sequential, 63.5 / 64))), std::string::npos);
}

TEST(Picture, OddFieldsGiveARightPicture) {
  const PictureFolder folder;
  const Mesh mesh = make_box(Cell::triangle, {3, 3, 0});
  const PlaneFigure figure = patches_of(mesh);
  const double nan = std::nan(""), inf = HUGE_VAL;
  const std::vector<std::function<double(double, double)>> fields{
      [](double, double) { return 0; },
      [](double, double) { return -1.7e308; },
      [](double x, double) { return 1e300 * (x - 0.5); },
      [](double x, double) { return x > 0.5 ? 1.7e308 : -1.7e308; },
      [nan](double, double) { return nan; },
      [nan](double x, double y) { return x > y ? nan : x; },
      [inf](double x, double y) { return x > y ? inf : x; },
      [](double x, double) { return 1 + 1e-16 * x; },
      [](double x, double) { return 5e-324 * std::floor(4 * x); },
  };
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const PictureOptions options{.width = 300, .num_contours = 4};
    write_picture(folder / "a.svg", figure, on(mesh, fields[k]), options);
    const std::string text = file_bytes(folder / "a.svg");
    expect_well_formed(text);
    EXPECT_EQ(text.find("nan"), std::string::npos) << k;
    EXPECT_EQ(text.find("inf"), std::string::npos) << k;
    EXPECT_EQ(text.find(hex_text(picture::not_a_number)) != std::string::npos, k == 4 || k == 5) << k;
    if (has_png()) {
      write_picture(folder / "a.png", figure, on(mesh, fields[k]), options);
      EXPECT_EQ(file_bytes(folder / "a.png").substr(0, 4), "\x89PNG");
    }
  }
}

TEST(Picture, GroupsHaveALegend) {
  Mesh mesh = make_box(Cell::quad, {2, 1, 0});
  mesh.blocks[0].tag.data()[1] = 7;
  mesh.names.push_back({2, 7, "copper"});
  const PictureGroups groups = groups_of(mesh);
  EXPECT_EQ(groups.names, (std::vector<std::string>{"no group", "copper"}));
  EXPECT_EQ(groups.group_of_cell, (std::vector<std::int32_t>{0, 1}));
  const PictureFolder folder;
  const PlaneFigure figure = patches_of(mesh);
  write_picture(folder / "a.svg", figure, groups, {.mesh_lines = true});
  const std::string text = file_bytes(folder / "a.svg");
  EXPECT_NE(text.find(">copper<"), std::string::npos);
  for (const int g : {0, 1}) EXPECT_NE(text.find(hex_text(picture::colour_of_group(g))), std::string::npos);
  for (int g = 0; g < 24; ++g)
    for (int h = 0; h < g; ++h)
      EXPECT_GT(difference(picture::colour_of_group(g), picture::colour_of_group(h)), 0.02) << g << " " << h;
}

TEST(Picture, ErrorsSayWhatIsAccepted) {
  const PictureFolder folder;
  const Mesh mesh = make_box(Cell::quad, {1, 1, 0});
  const PlaneFigure figure = patches_of(mesh);
  const PictureField one = [](Index, const Point&) { return 1.0; };
  const auto expect = [&](const std::string& name, const PlaneFigure& drawn, const PictureOptions& options,
                          const char* words) {
    const std::string found = error_of([&] { write_picture(folder / name, drawn, one, options); });
    EXPECT_NE(found.find(words), std::string::npos) << found;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  };
  expect("a.gif", figure, {}, "a.gif: the name of a picture must end in .png or .svg");
  expect("a.svg", {}, {}, "there is nothing to draw");
  expect("a.svg", figure, {.width = 10}, "a width of 10 pixels; 200 to 8000");
  expect("a.svg", figure, {.num_contours = -1}, "-1 contour lines; 0 to 100");
  expect("a.svg", figure, {.low = 2, .high = 1}, "from 2 to 1; the first must be smaller");
  expect("a.svg", figure, {.low = std::nan("")}, "a limit of values is nan");
  expect("a.svg", figure, {.low = 2}, "of which the first was asked for");
  if (!has_png()) expect("a.png", figure, {}, "this build has no libpng");
  const auto groups_error = error_of([&] { write_picture(folder / "a.svg", figure, PictureGroups{{3}, {"a"}}); });
  EXPECT_NE(groups_error.find("a cell has the group 3; there are 1"), std::string::npos) << groups_error;
  EXPECT_NE(error_of([&] { write_picture(folder / "a.svg", figure, PictureGroups{}); }).find("cell 0 has no group"),
            std::string::npos);
}

TEST(Picture, TextsHaveStrokesForAllOfAscii) {
  for (char c = '!'; c <= '~'; ++c) {
    const auto strokes = picture::text_strokes(std::string(1, c));
    ASSERT_FALSE(strokes.empty()) << c;
    for (const auto& stroke : strokes) {
      EXPECT_GE(stroke.size(), 2u) << c;
      for (const Place& p : stroke) {
        EXPECT_GE(p[0], -0.15) << c;
        EXPECT_LE(p[0], picture::text_width(std::string(1, c)) + 0.1) << c;
        EXPECT_TRUE(p[1] >= -0.25 && p[1] <= 0.8) << c;
      }
    }
  }
  EXPECT_EQ(picture::text_width("\xc3\xa4"), picture::text_width("\xff"));  // one box for a character of two bytes
  EXPECT_EQ(picture::text_width(""), 0);
}

}  // namespace
}  // namespace millrace::testing
