// Counts entries by cell and writes them as pixels or as SVG.
#include "verbs/inspect/spy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/io/picture.hpp"
#include "millrace/io/png.hpp"
#include "verbs/files.hpp"

namespace millrace::command {

namespace {

bool is_png(const std::filesystem::path& path) { return path.extension() == ".png"; }

int cells(Index size, Index longer, int longest) {
  if (longer <= longest) return std::max<Index>(size, 1);
  return std::max(1, static_cast<int>(std::lround(static_cast<double>(size) / longer * longest)));
}

}  // namespace

SpyGrid make_spy_grid(const AnyCsr& any, int longest) {
  return std::visit(
      [&](const auto& a) {
        const Index longer = std::max(a.num_rows, a.num_cols);
        SpyGrid grid;
        grid.height = cells(a.num_rows, longer, longest);
        grid.width = cells(a.num_cols, longer, longest);
        grid.num_rows = a.num_rows;
        grid.num_cols = a.num_cols;
        grid.num_entries = a.num_entries();
        std::vector<Offset> counts(static_cast<std::size_t>(grid.height) * static_cast<std::size_t>(grid.width));
        for (Index r = 0; r < a.num_rows; ++r) {
          const std::int64_t y = std::int64_t{r} * grid.height / a.num_rows;
          for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s) {
            const std::int64_t x = std::int64_t{a.cols.data()[s]} * grid.width / a.num_cols;
            ++counts[static_cast<std::size_t>(y * grid.width + x)];
          }
        }
        const Offset most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
        for (const Offset count : counts)  // a lone entry must be seen beside a dense block
          grid.shade.push_back(count == 0 ? 0.0f
                                          : static_cast<float>(0.35 + 0.65 * std::sqrt(static_cast<double>(count) /
                                                                                       static_cast<double>(most))));
        return grid;
      },
      any);
}

std::string spy_svg(const SpyGrid& grid) {
  constexpr int num_levels = 8, frame = 1, side = 800;
  const double scale = static_cast<double>(side) / std::max(grid.height, grid.width);
  std::vector<std::string> paths(num_levels + 1);
  const auto level = [&](int y, int x) { return static_cast<int>(std::lround(grid.at(y, x) * num_levels)); };
  for (int y = 0; y < grid.height; ++y)
    for (int x = 0; x < grid.width;) {
      const int here = level(y, x);
      int end = x + 1;
      while (end < grid.width && level(y, end) == here) ++end;
      if (here > 0) paths[static_cast<std::size_t>(here)] += fmt::format("M{} {}h{}v1h{}z", x, y, end - x, x - end);
      x = end;
    }
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"{} {} {} {}\">\n"
      "<title>{} x {}, {} nonzeros</title>\n<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n",
      grid.width * scale, grid.height * scale, -frame, -frame, grid.width + 2 * frame, grid.height + 2 * frame,
      grid.num_rows, grid.num_cols, grid.num_entries, grid.width, grid.height);
  for (int l = 1; l <= num_levels; ++l)
    if (const std::string& path = paths[static_cast<std::size_t>(l)]; !path.empty())
      text += fmt::format("<path fill=\"#103a5e\" fill-opacity=\"{:.3f}\" d=\"{}\"/>\n", l / double{num_levels}, path);
  return text +
         fmt::format(
             "<rect width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\" stroke-width=\"{:.3f}\"/>\n</svg>\n",
             grid.width, grid.height, 1.5 / scale);
}

std::string spy_png(const SpyGrid& grid, int scale) {
  constexpr int frame = 2;
  constexpr std::uint8_t white = 255, black = 0;
  const int width = grid.width * scale + 2 * frame, height = grid.height * scale + 2 * frame;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), black);
  for (int y = 0; y < grid.height * scale; ++y)
    for (int x = 0; x < grid.width * scale; ++x)
      pixels[static_cast<std::size_t>(y + frame) * static_cast<std::size_t>(width) +
             static_cast<std::size_t>(x + frame)] =
          static_cast<std::uint8_t>(std::lround(white * (1 - grid.at(y / scale, x / scale))));
  return encode_png(width, height, 1, pixels);
}

void check_spy(const std::filesystem::path& path) {
  check_picture_name(path);
  check_output_place(path);
}

void write_spy(const std::filesystem::path& path, const AnyCsr& a) {
  check_spy(path);
  constexpr int png_cells = 800, svg_cells = 256;
  std::string bytes;
  if (is_png(path)) {
    const SpyGrid grid = make_spy_grid(a, png_cells);
    bytes = spy_png(grid, std::max(1, png_cells / std::max(grid.height, grid.width)));
  } else {
    bytes = spy_svg(make_spy_grid(a, svg_cells));
  }
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace millrace::command
