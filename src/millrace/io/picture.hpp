// Pictures of fields and meshes as PNG or SVG files: coloured patches of a picture plane (mesh/patches.hpp), contour
// and mesh lines, axes, a title, and a colour bar or a legend.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "millrace/mesh/patches.hpp"

namespace millrace {

/// How values become colours: from dark to bright, or from one hue through white to another, for values around zero.
enum class ColourMap : std::uint8_t { sequential, diverging };

/// What is drawn around and over the patches.
struct PictureOptions {
  int width = 1200;                     // pixels, 200 to 8000; the height follows from the mesh
  std::optional<double> low{}, high{};  // values at the ends of the colour bar; without them those of the field
  bool symmetric = false;               // the same distance below and above zero, where neither is given
  ColourMap colours = ColourMap::sequential;
  int num_contours = 0;  // lines that divide the range of values evenly, 0 to 100
  bool mesh_lines = false;
  bool outline = true;                          // the boundary of the mesh
  bool axes = true;                             // with numbers
  std::string title{}, label{};                 // above the picture, and beside the colour bar
  std::string right_name = "x", up_name = "y";  // of the axes
};

/// The value of a field at a point of the reference cell of a cell, which is numbered over all blocks of the mesh.
using PictureField = std::function<double(Index cell, const Point& xi)>;

/// Paints a field. In a PNG it is evaluated in every pixel, in an SVG until no piece is curved more than a fraction of
/// a colour step. Where it is not a number the picture is grey. The file appears when it is complete.
void write_picture(const std::filesystem::path& path, const PlaneFigure& figure, const PictureField& field,
                   const PictureOptions& options = {});

/// A few pixels of a field and nothing else, as a terminal can show them.
struct SmallPicture {
  using Rgb = std::array<std::uint8_t, 3>;
  int width = 0, height = 0;
  std::vector<std::optional<Rgb>> pixels{};  // [height, width], from the top; none where there is no mesh
  std::vector<Rgb> bar{};                    // [width]: colours from the low to the high end
  double low = 0, high = 0;                  // values at its ends
};

/// As large as fits into these pixels, 1 to 8000 each way, and at least one pixel. Of the options limits and colours
/// are used.
SmallPicture small_picture(const PlaneFigure& figure, const PictureField& field, int max_width, int max_height,
                           const PictureOptions& options = {});

/// Cells by the group they are in.
struct PictureGroups {
  std::vector<std::int32_t> group_of_cell;  // [num_cells]: an index of names
  std::vector<std::string> names;           // of the legend
};
/// The physical groups of the cells of a mesh, in the order of their tags, with their names.
PictureGroups groups_of(const Mesh& mesh);

/// Paints every cell in the colour of its group, with a legend. Values and contours of the options have no meaning
/// here.
void write_picture(const std::filesystem::path& path, const PlaneFigure& figure, const PictureGroups& groups,
                   const PictureOptions& options = {});

/// Refuses a name that ends neither in .png nor in .svg, and .png in a build without libpng, before any work is done.
void check_picture_name(const std::filesystem::path& path);

}  // namespace millrace
