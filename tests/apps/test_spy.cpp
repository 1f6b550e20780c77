// Spy plots: sizes, frames and shades, as files and as parts.
#include "command.hpp"
#include "millrace/io/png.hpp"
#include "millrace/sparse/gallery.hpp"
#include "run_command.hpp"
#include "verbs/inspect/spy.hpp"

namespace millrace::test {

using command::SpyGrid;

std::uint32_t big_endian(const std::string& bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(place + i));
  return value;
}

TEST(Spy, GridKeepsShapeAndPlaces) {
  const SpyGrid small = command::make_spy_grid(gallery::make("poisson2d5:n=3"), 100);
  EXPECT_EQ(small.height, 9);
  EXPECT_EQ(small.width, 9);
  EXPECT_EQ(small.at(0, 0), 1);
  EXPECT_EQ(small.at(0, 1), 1);
  EXPECT_EQ(small.at(0, 2), 0);
  const SpyGrid large = command::make_spy_grid(gallery::make("poisson2d5:n=64"), 128);
  EXPECT_EQ(large.height, 128);
  EXPECT_GT(large.at(5, 5), large.at(5, 7));  // the diagonal is denser than the far bands
  EXPECT_GT(large.at(5, 7), 0);
  EXPECT_EQ(large.at(0, 127), 0);
}

TEST(Spy, FilesAreWrittenBesideTheReport) {
  const Folder folder;
  const std::vector<std::string> inspect = {"inspect", "poisson2d5:n=40", "--read-gb-s", "10", "--spy"};
  auto svg = inspect;
  svg.push_back(folder / "a.svg");
  expect_plain(run_command(svg));
  const std::string text = read_file(folder / "a.svg");
  EXPECT_TRUE(text.starts_with("<svg"));
  EXPECT_NE(text.find("1600 x 1600, 7840 nonzeros"), std::string::npos);
  EXPECT_NE(text.find("<path"), std::string::npos);
  EXPECT_TRUE(text.ends_with("</svg>\n"));
  EXPECT_GT(text.size(), 2000u);
  EXPECT_LT(text.size(), 2000000u);

  auto png = inspect;
  png.push_back(folder / "a.png");
  if (!has_png()) {
    expect_error(run_command(png), 1, "libpng");
    return;
  }
  expect_plain(run_command(png));
  const std::string bytes = read_file(folder / "a.png");
  ASSERT_GT(bytes.size(), 500u);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(big_endian(bytes, 16), 804u);  // 800 cells and the frame
  EXPECT_EQ(big_endian(bytes, 20), 804u);
}

TEST(Spy, DenseMatricesStayBelowAMegabyte) {
  SpyGrid grid;
  grid.height = grid.width = 256;
  for (int i = 0; i < 256 * 256; ++i) grid.shade.push_back(static_cast<float>((i * 7919) % 100) / 100);
  EXPECT_LT(command::spy_svg(grid).size(), 1100000u);
}

TEST(Spy, OtherEndingsAreRefusedBeforeTheWork) {
  expect_error(run_command({"inspect", "no-such.mtx", "--spy", "a.gif"}), 1, ".png or .svg");
}

}  // namespace millrace::test
