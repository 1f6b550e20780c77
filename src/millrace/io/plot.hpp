// Curves over an axis as an SVG file: for what a picture of a field does not show, such as values along a wall.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace millrace {

struct PlotCurve {
  std::string name{};
  std::vector<double> x{}, y{};  // as many of each; a number that is not finite interrupts the line
};

struct Plot {
  std::string title{}, x_label{}, y_label{};
  std::vector<PlotCurve> curves{};
};

/// The plots below each other, each with its axes, round numbers and, for several curves, a legend. The file appears
/// when it is complete. An IoError for another name than .svg.
void write_plots(const std::filesystem::path& path, const std::vector<Plot>& plots);

}  // namespace millrace
