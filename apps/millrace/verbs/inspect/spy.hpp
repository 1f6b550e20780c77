// A picture of where the nonzeros are: the matrix as a grid of cells, shaded by how full they are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "millrace/io/matrix_file.hpp"

namespace millrace::command {

struct SpyGrid {
  int height = 0, width = 0;  // cells
  std::vector<float> shade;   // [height, width]: 0 empty, up to 1 the fullest
  Index num_rows = 0, num_cols = 0;
  Offset num_entries = 0;

  float at(int y, int x) const {
    return shade[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
};

/// The longer side has at most `longest` cells, and never more than the matrix has rows or columns.
SpyGrid make_spy_grid(const AnyCsr& a, int longest);

/// A .png (about 800 pixels, in a build with libpng) or .svg (at most about a megabyte) by its name.
void write_spy(const std::filesystem::path& path, const AnyCsr& a);
/// Refuses a name or a place that write_spy could not serve.
void check_spy(const std::filesystem::path& path);

std::string spy_svg(const SpyGrid& grid);
/// The bytes of a grey PNG file with `scale` pixels a cell.
std::string spy_png(const SpyGrid& grid, int scale);

}  // namespace millrace::command
