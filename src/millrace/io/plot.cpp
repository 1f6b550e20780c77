// Axes, lines and texts of plots.
#include "millrace/io/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "millrace/base/error.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/io/picture/escaped.hpp"
#include "millrace/io/picture/ticks.hpp"

namespace millrace {
namespace {

constexpr double width = 800, height = 320, left = 90, right = 20, top = 34, bottom = 46;
constexpr std::array<const char*, 6> colours{"#1f6fb4", "#c8501e", "#2f8f4e", "#8a4fa3", "#b08b00", "#555555"};

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value), high = std::max(high, value);
  }
  /// With room around what is drawn; never empty.
  Range widened(double share) const {
    if (!(low <= high)) return {0, 1};
    const double room = high > low ? share * (high - low) : std::max(1e-12, 0.5 * std::abs(low));
    return {low - room, high + room};
  }
};

class Axes {
 public:
  Axes(const Plot& plot, double y0) : y0_(y0) {
    Range x, y;
    for (const PlotCurve& curve : plot.curves) {
      require(curve.x.size() == curve.y.size(), "plot: the curve ", curve.name, " has ", curve.x.size(), " x and ",
              curve.y.size(), " y; as many of each are needed");
      for (const double v : curve.x) x.add(v);
      for (const double v : curve.y) y.add(v);
    }
    x_ = x.widened(0), y_ = y.widened(0.06);
  }
  double px(double x) const { return left + (x - x_.low) / (x_.high - x_.low) * (width - left - right); }
  double py(double y) const {
    return y0_ + height - bottom - (y - y_.low) / (y_.high - y_.low) * (height - top - bottom);
  }
  const Range& x() const { return x_; }
  const Range& y() const { return y_; }

 private:
  double y0_;
  Range x_, y_;
};

void append_text(std::string& svg, double x, double y, const char* more, const std::string& text) {
  fmt::format_to(std::back_inserter(svg), "<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more,
                 picture::escaped(text));
}

void append_axes(std::string& svg, const Plot& plot, const Axes& axes, double y0) {
  const double floor = y0 + height - bottom;
  for (const picture::Tick& tick : picture::round_ticks(axes.x().low, axes.x().high, 8)) {
    fmt::format_to(std::back_inserter(svg), "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#ddd\"/>\n",
                   axes.px(tick.value), floor, y0 + top);
    append_text(svg, axes.px(tick.value), floor + 16, "text-anchor=\"middle\"", tick.text);
  }
  for (const picture::Tick& tick : picture::round_ticks(axes.y().low, axes.y().high, 6)) {
    fmt::format_to(std::back_inserter(svg), "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#ddd\"/>\n", left,
                   axes.py(tick.value), width - right);
    append_text(svg, left - 6, axes.py(tick.value) + 4, "text-anchor=\"end\"", tick.text);
  }
  fmt::format_to(std::back_inserter(svg),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#444\"/>\n",
                 left, y0 + top, width - left - right, height - top - bottom);
  append_text(svg, (left + width - right) / 2, floor + 36, "text-anchor=\"middle\"", plot.x_label);
  const std::string turned = fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 16 {:.1f})\"", y0 + height / 2);
  append_text(svg, 16, y0 + height / 2, turned.c_str(), plot.y_label);
  append_text(svg, left, y0 + 20, "font-weight=\"bold\"", plot.title);
}

void append_curves(std::string& svg, const Plot& plot, const Axes& axes, double y0) {
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    const PlotCurve& curve = plot.curves[k];
    const char* const colour = colours[k % colours.size()];
    std::string path;
    bool drawing = false;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const bool there = std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]);
      if (there)
        fmt::format_to(std::back_inserter(path), "{}{:.2f} {:.2f}", drawing ? 'L' : 'M', axes.px(curve.x[i]),
                       axes.py(curve.y[i]));
      drawing = there;
    }
    fmt::format_to(std::back_inserter(svg), "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", path,
                   colour);
  }
  double end = width - right;  // names stand above the plot, from the right; a letter has some 7 pixels
  for (std::size_t k = plot.curves.size() > 1 ? plot.curves.size() : 0; k-- > 0;) {
    const std::string look = fmt::format("text-anchor=\"end\" fill=\"{}\"", colours[k % colours.size()]);
    append_text(svg, end, y0 + 20, look.c_str(), plot.curves[k].name);
    end -= 7 * static_cast<double>(plot.curves[k].name.size()) + 14;
  }
}

}  // namespace

void write_plots(const std::filesystem::path& path, const std::vector<Plot>& plots) {
  require<IoError>(path.extension() == ".svg", path.string(), ": the name of a plot must end in .svg");
  require(!plots.empty(), "plot: no plot was given; at least 1 is needed");
  const double all = height * static_cast<double>(plots.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, all);
  for (std::size_t k = 0; k < plots.size(); ++k) {
    const double y0 = height * static_cast<double>(k);
    const Axes axes(plots[k], y0);
    append_axes(svg, plots[k], axes, y0);
    append_curves(svg, plots[k], axes, y0);
  }
  svg += "</svg>\n";
  OutputFile file(path);
  file.write(svg);
  file.commit();
}

}  // namespace millrace
