// From a field or groups to a file: limits of values, the frame around the plot, then pixels or text.
#include "millrace/io/picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "millrace/base/printable.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/io/picture/raster.hpp"
#include "millrace/io/picture/svg.hpp"
#include "millrace/io/png.hpp"

namespace millrace {
namespace {

using picture::Limits;
using picture::Scene;
using picture::Shading;

constexpr int max_pixels = 8000;

void check_figure(const PlaneFigure& figure, const PictureOptions& options) {
  require(!figure.patches.empty(), "picture: there is nothing to draw; the mesh has no cells there");
  for (std::size_t d = 0; d < 2; ++d) {
    const double extent = figure.upper[d] - figure.lower[d];
    require(std::isfinite(extent) && extent > 0, "picture: the mesh reaches from ", figure.lower[d], " to ",
            figure.upper[d], d == 0 ? " to the right" : " upwards", "; that cannot be drawn");
  }
  for (const auto& limit : {options.low, options.high})
    require(!limit || std::isfinite(*limit), "picture: a limit of values is ", limit.value_or(0),
            "; finite numbers are accepted");
  require(!options.low || !options.high || *options.low < *options.high, "picture: the values are to reach from ",
          options.low.value_or(0), " to ", options.high.value_or(0), "; the first must be smaller");
}

void check_picture(const std::filesystem::path& path, const PlaneFigure& figure, const PictureOptions& options) {
  check_picture_name(path);
  require(options.width >= 200 && options.width <= max_pixels, "picture: a width of ", options.width,
          " pixels; 200 to ", max_pixels, " are accepted");
  require(options.num_contours >= 0 && options.num_contours <= 100, "picture: ", options.num_contours,
          " contour lines; 0 to 100 are accepted");
  check_figure(figure, options);
}

// Smallest and largest value at a lattice in every patch, whatever the kind of file; those that are not finite do not
// count, and there may be none.
std::optional<Limits> values_of(const PlaneFigure& figure, const PictureField& field) {
  constexpr double wanted_samples = 200000;
  const int n = static_cast<int>(std::clamp(std::sqrt(2 * wanted_samples / double(figure.patches.size())), 2.0, 12.0));
  std::optional<Limits> limits;
  for (const Patch& patch : figure.patches)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i + j <= n; ++i) {
        const double a = double(i) / n, b = double(j) / n;
        Point xi{};
        for (std::size_t d = 0; d < 3; ++d)
          xi[d] = (1 - a - b) * patch.xi[0][d] + a * patch.xi[1][d] + b * patch.xi[2][d];
        const double value = field(patch.cell, xi);
        if (!std::isfinite(value)) continue;
        if (!limits) limits = {value, value};
        limits->low = std::min(limits->low, value);
        limits->high = std::max(limits->high, value);
      }
  return limits;
}

Limits limits_of(const PlaneFigure& figure, const PictureField& field, const PictureOptions& options) {
  if (options.low && options.high) return {*options.low, *options.high};
  Limits limits = values_of(figure, field).value_or(Limits{0, 1});
  if (options.symmetric && !options.low && !options.high) {
    limits.high = std::max(std::abs(limits.low), std::abs(limits.high));
    limits.low = -limits.high;
  }
  // A field that is constant but for rounding gets the middle of the colours.
  const double size = std::max(std::abs(limits.low), std::abs(limits.high));
  if (limits.high / 2 - limits.low / 2 <= 1e-12 * size) {
    constexpr double largest = std::numeric_limits<double>::max();
    const double around = size < 1e-300 ? 1 : 0.1 * size;
    limits = {std::max(limits.low - around, -largest), std::min(limits.high + around, largest)};
  }
  if (options.low) limits.low = *options.low;
  if (options.high) limits.high = *options.high;
  require(limits.low < limits.high, "picture: the values are to reach from ", limits.low, " to ", limits.high,
          ", of which ", options.low ? "the first" : "the second",
          " was asked for and the other is the field's; the first must be smaller");
  return limits;
}

void write_file(const std::filesystem::path& path, const PlaneFigure& figure, const Scene& scene,
                const Shading& shading, const PictureOptions& options) {
  std::string bytes;
  if (path.extension() == ".png") {
    const picture::Raster raster = picture::paint(figure, scene, shading, options);
    bytes = encode_png(raster.width(), raster.height(), 3, raster.bytes());
  } else {
    bytes = picture::svg_text(figure, scene, shading, options);
  }
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace

void check_picture_name(const std::filesystem::path& path) {
  require<IoError>(path.extension() == ".png" || path.extension() == ".svg", path.string(),
                   ": the name of a picture must end in .png or .svg");
  require<Unsupported>(has_png() || path.extension() == ".svg", path.string(),
                       ": this build has no libpng; a name that ends in .svg is accepted");
}

void write_picture(const std::filesystem::path& path, const PlaneFigure& figure, const PictureField& field,
                   const PictureOptions& options) {
  check_picture(path, figure, options);
  require(field != nullptr, "picture: there is no field to draw");
  const Limits limits = limits_of(figure, field, options);
  Shading shading{[&](Index cell, const Point& xi) { return limits.part(field(cell, xi)); },
                  [&](double t) { return picture::colour_of(options.colours, t); }};
  for (int i = 1; i <= options.num_contours; ++i) shading.levels.push_back(double(i) / (options.num_contours + 1));
  write_file(path, figure, picture::make_scene(figure, options, limits, shading.levels), shading, options);
}

SmallPicture small_picture(const PlaneFigure& figure, const PictureField& field, int max_width, int max_height,
                           const PictureOptions& options) {
  check_figure(figure, options);
  require(field != nullptr, "picture: there is no field to draw");
  require(max_width >= 1 && max_width <= max_pixels && max_height >= 1 && max_height <= max_pixels,
          "picture: a small one of ", max_width, " x ", max_height, " pixels; 1 to ", max_pixels,
          " are accepted each way");
  const Limits limits = limits_of(figure, field, options);
  const double dx = figure.upper[0] - figure.lower[0], dy = figure.upper[1] - figure.lower[1],
               scale = std::min(max_width / dx, max_height / dy);
  const auto pixels = [scale](double length, int most) {
    return std::clamp(static_cast<int>(std::lround(scale * length)), 1, most);
  };
  SmallPicture small{.width = pixels(dx, max_width), .height = pixels(dy, max_height)};
  small.low = limits.low;
  small.high = limits.high;
  Scene scene;
  scene.width = small.width;
  scene.height = small.height;
  scene.plot_width = small.width;
  scene.plot_height = small.height;
  scene.scale = scale;
  scene.lower = figure.lower;
  const Shading shading{[&](Index cell, const Point& xi) { return limits.part(field(cell, xi)); },
                        [&](double t) { return picture::colour_of(options.colours, t); }};
  const auto rgb = [](const picture::Colour& c) {
    const auto byte = [](double x) { return static_cast<std::uint8_t>(std::lround(255 * x)); };
    return SmallPicture::Rgb{byte(c.red), byte(c.green), byte(c.blue)};
  };
  for (const picture::PatchPixel& pixel : picture::paint_patches(figure, scene, shading))
    small.pixels.push_back(pixel.share >= 0.5 ? std::optional(rgb(pixel.colour)) : std::nullopt);
  for (int k = 0; k < small.width; ++k) small.bar.push_back(rgb(shading.colour((k + 0.5) / small.width)));
  return small;
}

PictureGroups groups_of(const Mesh& mesh) {
  std::set<std::int32_t> tags;
  for (const CellBlock& block : mesh.blocks) tags.insert(block.tag.span().begin(), block.tag.span().end());
  PictureGroups groups;
  for (const std::int32_t tag : tags) {
    const std::string_view name = mesh.name_of(mesh.dim, tag);
    groups.names.push_back(!name.empty() ? printable(name) : tag == 0 ? "no group" : join("group ", tag));
  }
  for (const CellBlock& block : mesh.blocks)
    for (const std::int32_t tag : block.tag.span())
      groups.group_of_cell.push_back(static_cast<std::int32_t>(std::distance(tags.begin(), tags.find(tag))));
  return groups;
}

void write_picture(const std::filesystem::path& path, const PlaneFigure& figure, const PictureGroups& groups,
                   const PictureOptions& options) {
  check_picture(path, figure, options);
  const auto num_groups = static_cast<std::int32_t>(groups.names.size());
  for (const std::int32_t group : groups.group_of_cell)
    require(group >= 0 && group < num_groups, "picture: a cell has the group ", group, "; there are ", num_groups);
  for (const Patch& patch : figure.patches)
    require(to_size(patch.cell) < groups.group_of_cell.size(), "picture: cell ", patch.cell,
            " has no group; there are groups of ", groups.group_of_cell.size(), " cells");
  const Shading shading{
      .value = [&](Index cell, const Point&) { return double(groups.group_of_cell[to_size(cell)]); },
      .colour = [](double group) { return picture::colour_of_group(static_cast<std::int32_t>(group)); },
      .flat = true};
  write_file(path, figure, picture::make_scene(figure, options, groups.names), shading, options);
}

}  // namespace millrace
