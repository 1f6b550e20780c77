// One path for all polygons of a colour. Polygons carry a thin stroke of their colour, so that viewers show no seams.
#include "millrace/io/picture/svg.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>

#include "millrace/base/to_size.hpp"
#include "millrace/io/picture/bands.hpp"
#include "millrace/io/picture/escaped.hpp"

namespace millrace::picture {
namespace {

// Moves to the first place and on by differences.
void append_path(std::string& path, const std::vector<Tenths>& places, bool closed) {
  fmt::format_to(std::back_inserter(path), "M{} {}l", places[0].x, places[0].y);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const int dx = places[i].x - places[i - 1].x, dy = places[i].y - places[i - 1].y;
    fmt::format_to(std::back_inserter(path), "{}{}{}{}", i > 1 && dx >= 0 ? " " : "", dx, dy >= 0 ? " " : "", dy);
  }
  if (closed) path += 'z';
}

std::vector<Tenths> rounded(const Scene& scene, const std::vector<Place>& places, bool in_mesh) {
  std::vector<Tenths> result;
  for (const Place& place : places) {
    const Place at = in_mesh ? scene.pixel(place) : place;
    result.push_back(
        {static_cast<std::int32_t>(std::lround(10 * at[0])), static_cast<std::int32_t>(std::lround(10 * at[1]))});
  }
  return result;
}

void append_fill(std::string& text, const Colour& colour, const std::vector<std::vector<Tenths>>& polygons) {
  if (polygons.empty()) return;
  const std::string code = hex_text(colour);
  std::string path;
  for (const auto& polygon : polygons) append_path(path, polygon, true);
  text += fmt::format("<path fill=\"{}\" stroke=\"{}\" d=\"{}\"/>\n", code, code, path);
}

void append_field(std::string& text, std::string& contours, const PlaneFigure& figure, const Scene& scene,
                  const Shading& shading) {
  constexpr std::size_t most_polygons = 200000;  // about four megabytes
  Bands bands;
  for (const int num_bands : {64, 40, 24}) {
    bands = make_bands(figure, scene, shading, num_bands, num_bands == 24 ? SIZE_MAX : most_polygons);
    if (bands.num_polygons <= most_polygons) break;
  }
  for (int k = 0; k < bands.num_bands; ++k)
    append_fill(text, shading.colour((k + 0.5) / bands.num_bands), bands.polygons[to_size(k)]);
  append_fill(text, not_a_number, bands.polygons.back());
  for (const auto& piece : bands.contours) append_path(contours, piece, false);
}

void append_groups(std::string& text, const PlaneFigure& figure, const Scene& scene, const Shading& shading) {
  std::map<double, std::vector<std::vector<Tenths>>> polygons;
  for (const Patch& patch : figure.patches)
    polygons[shading.value(patch.cell, patch.xi[0])].push_back(
        rounded(scene, {patch.places.begin(), patch.places.end()}, true));
  for (const auto& [group, members] : polygons) append_fill(text, shading.colour(group), members);
}

void append_stroke(std::string& text, const std::string& path, double width, double strength) {
  if (path.empty()) return;
  text +=
      fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\" stroke-opacity=\"{:.2f}\" d=\"{}\"/>\n",
                  hex_text(ink), 10 * width, strength, path);
}

std::string lines_path(const PlaneFigure& figure, const Scene& scene, bool on_boundary) {
  std::string path;
  for (const PlaneLine& line : figure.lines)
    if (line.on_boundary == on_boundary && line.places.size() > 1)
      append_path(path, rounded(scene, line.places, true), false);
  return path;
}

std::string text_element(const Text& text) {
  constexpr std::string_view anchors[] = {"start", "middle", "end"};
  const std::string turned =
      text.upwards ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", text.x, text.y) : "";
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", text.x,
                     text.y, text.size, anchors[static_cast<std::size_t>(text.anchor)], turned, escaped(text.text));
}

}  // namespace

std::string svg_text(const PlaneFigure& figure, const Scene& scene, const Shading& shading,
                     const PictureOptions& options) {
  const double pen = pen_of(scene);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      scene.width, scene.height);
  if (!options.title.empty()) text += fmt::format("<title>{}</title>\n", escaped(options.title));
  text += "<g transform=\"scale(0.1)\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<g stroke-width=\"5\">\n";
  std::string contours;
  if (shading.flat)
    append_groups(text, figure, scene, shading);
  else
    append_field(text, contours, figure, scene, shading);
  text += "</g>\n";
  if (options.mesh_lines)
    append_stroke(text, lines_path(figure, scene, false), 0.75 * pen, mesh_line_strength(figure, scene));
  append_stroke(text, contours, pen, 0.85);
  if (options.outline || options.mesh_lines) append_stroke(text, lines_path(figure, scene, true), 1.2 * pen, 1);
  text += "</g>\n";
  for (const Box& box : scene.boxes)
    text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", box.x,
                        box.y, box.width, box.height, hex_text(box.fill));
  text += "<g transform=\"scale(0.1)\">\n";
  for (const Stroke& stroke : scene.strokes) {
    std::string path;
    append_path(path, rounded(scene, stroke.places, false), false);
    append_stroke(text, path, stroke.width, 1);
  }
  text += fmt::format("</g>\n<g font-family=\"Helvetica, Arial, sans-serif\" fill=\"{}\">\n", hex_text(ink));
  for (const Text& one : scene.texts)
    if (!one.text.empty()) text += text_element(one);
  return text + "</g>\n</svg>\n";
}

}  // namespace millrace::picture
