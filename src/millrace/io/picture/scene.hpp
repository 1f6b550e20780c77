// A picture as plain data that both kinds of files draw: where the plot is, and the lines, boxes and texts around it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/io/picture/colours.hpp"

namespace millrace::picture {

/// Lengths are pixels from the upper left corner, y grows downwards.
struct Box {
  double x, y, width, height;
  Colour fill;
};

struct Stroke {
  std::vector<Place> places;
  double width;
};

enum class Anchor : std::uint8_t { start, middle, end };

struct Text {
  double x, y;  // of the anchor, on the base line
  double size;
  Anchor anchor;
  bool upwards;  // turned by a quarter to the left
  std::string text;
};

struct Scene {
  int width = 0, height = 0;
  double left = 0, top = 0, plot_width = 0, plot_height = 0;  // of the box around the patches
  double scale = 1;                                           // pixels per unit of the mesh
  Place lower{};                                              // the place at the lower left of the plot
  double font = 16;
  std::vector<Box> boxes;       // first
  std::vector<Stroke> strokes;  // in ink
  std::vector<Text> texts;

  Place pixel(const Place& at) const {
    return {left + (at[0] - lower[0]) * scale, top + plot_height - (at[1] - lower[1]) * scale};
  }
};

/// What colours a patch. A field gives t, 0 at the low and 1 at the high end of the bar; groups give their numbers.
struct Shading {
  std::function<double(Index cell, const Point& xi)> value;
  std::function<Colour(double value)> colour;
  std::vector<double> levels{};  // of contours, in t
  bool flat = false;             // one value in each cell
};

struct Limits {
  double low, high;
  /// (value - low) / (high - low) without overflow.
  double part(double value) const { return (value / 2 - low / 2) / (high / 2 - low / 2); }
};

/// The frame of a picture with a colour bar of these limits.
Scene make_scene(const PlaneFigure& figure, const PictureOptions& options, const Limits& limits,
                 const std::vector<double>& levels);
/// ... and with a legend of these groups.
Scene make_scene(const PlaneFigure& figure, const PictureOptions& options, const std::vector<std::string>& names);

/// Width of lines of the field and the mesh.
double pen_of(const Scene& scene);
/// How dark mesh lines are: lighter where cells are only a few pixels large.
double mesh_line_strength(const PlaneFigure& figure, const Scene& scene);

}  // namespace millrace::picture
