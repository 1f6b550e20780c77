// Sizes of margins, axes, colour bar and legend.
#include "millrace/io/picture/scene.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/to_size.hpp"
#include "millrace/io/picture/font.hpp"
#include "millrace/io/picture/ticks.hpp"

namespace millrace::picture {
namespace {

constexpr double axis_gap = 0.5;    // between the mesh and its axes, in units of the size
constexpr double cap_height = 0.7;  // of a text, in units of its size

// What stands right of the plot, drawn when the plot's place is known.
struct Side {
  double width = 0;
  double least_height = 0;
  std::function<void(Scene&)> draw;
};

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text));
  return width;
}

double font_of(const PictureOptions& options) { return std::clamp(options.width / 58.0, 9.0, 60.0); }

void frame(Scene& scene, double x, double y, double w, double h) {
  scene.strokes.push_back({{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}, {x, y}}, scene.font / 18});
}

void draw_axes(Scene& scene, const PictureOptions& options, const std::vector<Tick>& right,
               const std::vector<Tick>& up) {
  const double font = scene.font, mark = 0.3 * font, bottom = scene.top + scene.plot_height, pen = font / 18;
  const double pad = axis_gap * font, side = scene.left - pad;
  scene.strokes.push_back({{{side, scene.top}, {side, bottom}}, pen});
  scene.strokes.push_back({{{scene.left, bottom + pad}, {scene.left + scene.plot_width, bottom + pad}}, pen});
  for (const Tick& tick : right) {
    const double x = scene.pixel({tick.value, 0})[0];
    scene.strokes.push_back({{{x, bottom + pad}, {x, bottom + pad + mark}}, pen});
    scene.texts.push_back({x, bottom + pad + mark + 1.15 * font, font, Anchor::middle, false, tick.text});
  }
  for (const Tick& tick : up) {
    const double y = scene.pixel({0, tick.value})[1];
    scene.strokes.push_back({{{scene.left - pad - mark, y}, {scene.left - pad, y}}, pen});
    scene.texts.push_back(
        {scene.left - pad - mark - 0.35 * font, y + cap_height / 2 * font, font, Anchor::end, false, tick.text});
  }
  scene.texts.push_back({scene.left + scene.plot_width / 2, bottom + pad + mark + 2.6 * font, font, Anchor::middle,
                         false, options.right_name});
  scene.texts.push_back({scene.left - pad - mark - (0.35 + 0.7 + widest(up)) * font, scene.top + scene.plot_height / 2,
                         font, Anchor::middle, true, options.up_name});
}

Scene place(const PlaneFigure& figure, const PictureOptions& options, const Side& side) {
  Scene scene;
  scene.font = font_of(options);
  scene.lower = figure.lower;
  const double font = scene.font, margin = font;
  const double dx = figure.upper[0] - figure.lower[0], dy = figure.upper[1] - figure.lower[1];
  std::vector<Tick> right, up;
  const double pad = options.axes ? axis_gap * font : 0;
  const double above = margin + (options.title.empty() ? 0 : 1.9 * font);
  double below = margin + pad;
  scene.left = margin + pad;
  if (options.axes) {
    constexpr int most_ticks = 7;
    const auto ticks = [](double low, double high, double fit) {
      return round_ticks(low, high, static_cast<int>(std::clamp(fit, 2.0, double{most_ticks})));
    };
    right = ticks(figure.lower[0], figure.upper[0], 9 * dx / dy);
    up = ticks(figure.lower[1], figure.upper[1], 0.75 * options.width / (2 * font) * dy / dx);
    scene.left += (0.3 + 0.35 + widest(up) + (options.up_name.empty() ? 0 : 1.3)) * font;
    below += (0.3 + 1.3 + (options.right_name.empty() ? 0 : 1.5)) * font;
  }
  const double room = options.width - scene.left - side.width - margin, most_height = 1.25 * options.width;
  require(room > 40, "picture: ", options.width,
          " pixels leave no room for the mesh beside its legend; a larger width "
          "or shorter names are accepted");
  scene.scale = std::min(room / dx, most_height / dy);
  scene.plot_width = dx * scene.scale;
  scene.plot_height = dy * scene.scale;
  const double missing = std::max(0.0, side.least_height - scene.plot_height);
  scene.top = above + missing / 2;
  scene.width = static_cast<int>(std::ceil(scene.left + scene.plot_width + side.width + margin));
  scene.height = static_cast<int>(std::ceil(scene.top + scene.plot_height + missing / 2 + below));
  if (options.axes) draw_axes(scene, options, right, up);
  if (!options.title.empty()) {  // over the plot, or as far to the side and as small as the picture asks for
    const double room_above = scene.width - 2 * margin;
    const double size = std::min(1.2 * font, room_above / text_width(options.title));
    const double half = std::min(text_width(options.title) * size, room_above) / 2;
    const double x = std::clamp(scene.left + scene.plot_width / 2, margin + half, scene.width - margin - half + 1e-9);
    scene.texts.push_back({x, margin + 0.9 * font, size, Anchor::middle, false, options.title});
  }
  side.draw(scene);
  return scene;
}

void draw_bar(Scene& scene, const PictureOptions& options, const Limits& limits, const std::vector<Tick>& ticks,
              const std::vector<double>& levels, double least_height) {
  const double font = scene.font, pen = font / 18;
  const double height = std::max(scene.plot_height, least_height), width = 1.1 * font;
  const double x = scene.left + scene.plot_width + 1.3 * font;
  const double y = scene.top + scene.plot_height / 2 - height / 2;
  constexpr int num_steps = 192;
  for (int k = 0; k < num_steps; ++k)  // each reaches to the top, so that there are no seams
    scene.boxes.push_back(
        {x, y, width, height * (num_steps - k) / num_steps, colour_of(options.colours, (k + 0.5) / num_steps)});
  for (const double t : levels)
    scene.strokes.push_back({{{x, y + height * (1 - t)}, {x + width, y + height * (1 - t)}}, pen});
  frame(scene, x, y, width, height);
  for (const Tick& tick : ticks) {
    const double at = y + height * (1 - limits.part(tick.value));
    scene.strokes.push_back({{{x + width, at}, {x + width + 0.3 * font, at}}, pen});
    scene.texts.push_back({x + width + 0.6 * font, at + cap_height / 2 * font, font, Anchor::start, false, tick.text});
  }
  if (!options.label.empty())
    scene.texts.push_back(
        {x + width + (0.6 + widest(ticks) + 1.25) * font, y + height / 2, font, Anchor::middle, true, options.label});
}

std::string shortened(const std::string& name) {
  constexpr std::size_t longest = 30;
  std::size_t end = 0, count = 0;
  for (; end < name.size() && count < longest; ++end)
    if (end + 1 == name.size() || (static_cast<unsigned char>(name[end + 1]) & 0xC0U) != 0x80U) ++count;
  return end >= name.size() ? name : name.substr(0, end) + "...";
}

}  // namespace

Scene make_scene(const PlaneFigure& figure, const PictureOptions& options, const Limits& limits,
                 const std::vector<double>& levels) {
  const double font = font_of(options), height = 8 * font;
  const double plot_height =
      0.8 * options.width * (figure.upper[1] - figure.lower[1]) / std::max(figure.upper[0] - figure.lower[0], 1e-300);
  const int wanted = std::clamp(static_cast<int>(std::min(std::max(plot_height, height) / (2.5 * font), 8.0)), 3, 8);
  const std::vector<Tick> ticks = round_ticks(limits.low, limits.high, wanted);
  const double label = options.label.empty() ? 0 : 1.6;
  return place(figure, options, {(1.3 + 1.1 + 0.6 + widest(ticks) + label) * font, height, [&](Scene& scene) {
                                   draw_bar(scene, options, limits, ticks, levels, height);
                                 }});
}

Scene make_scene(const PlaneFigure& figure, const PictureOptions& options, const std::vector<std::string>& names) {
  constexpr std::size_t most = 24;
  const double font = font_of(options), line = 1.6 * font;
  std::vector<std::string> shown;
  for (std::size_t g = 0; g < names.size() && g < most; ++g) shown.push_back(shortened(names[g]));
  if (names.size() > most) shown.back() = join("and ", names.size() - most + 1, " more");
  double width = 0;
  for (const std::string& name : shown) width = std::max(width, text_width(name));
  const double height = line * static_cast<double>(shown.size());
  const auto draw = [&](Scene& scene) {
    const double x = scene.left + scene.plot_width + 1.3 * font;
    double y = scene.top + std::min(0.0, (scene.plot_height - height) / 2);
    for (std::size_t g = 0; g < shown.size(); ++g, y += line) {
      const bool is_group = names.size() <= most || g + 1 < most;
      if (is_group) {
        scene.boxes.push_back({x, y, font, font, colour_of_group(static_cast<std::int32_t>(g))});
        frame(scene, x, y, font, font);
      }
      scene.texts.push_back({x + (is_group ? 1.5 * font : 0), y + 0.86 * font, font, Anchor::start, false, shown[g]});
    }
  };
  if (names.empty()) return place(figure, options, {0, 0, [](Scene&) {}});
  return place(figure, options, {(1.3 + 1.5 + width) * font, height, draw});
}

double pen_of(const Scene& scene) { return std::max(scene.font / 16, 0.9); }

double mesh_line_strength(const PlaneFigure& figure, const Scene& scene) {
  Index cells = 0, last = -1;
  for (const Patch& patch : figure.patches) {
    cells += patch.cell != last ? 1 : 0;
    last = patch.cell;
  }
  const double size = std::sqrt(scene.plot_width * scene.plot_height / std::max<Index>(cells, 1));
  return 0.65 * std::clamp(size / 14, 0.2, 1.0);
}

}  // namespace millrace::picture
