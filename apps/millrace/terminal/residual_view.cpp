// Draws the live line and the plot of residuals.
#include "terminal/residual_view.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"

namespace millrace::command {

ResidualLine::ResidualLine() : terminal_(talks() && isatty(STDERR_FILENO) != 0) {}

ResidualLine::~ResidualLine() { wipe(); }

void ResidualLine::wipe() {
  if (progress_shown(false)) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void ResidualLine::start(std::string name, double tolerance, int max_iterations) {
  name_ = std::move(name);
  tolerance_ = tolerance;
  max_iterations_ = max_iterations;
  first_ = 0;
  begin_ = Clock::now();
  drawn_ = begin_;
}

void ResidualLine::update(int iteration, double relative) {
  using namespace std::chrono_literals;
  if (!terminal_) return;
  if (!(first_ > 0)) first_ = relative;
  const auto now = Clock::now();
  if (now - drawn_ < 100ms) return;
  drawn_ = now;
  constexpr int bar_width = 16;  // how many of the decimals are done
  const double share = std::log(first_ / relative) / std::log(first_ / tolerance_);
  const int done = static_cast<int>(bar_width * (std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0));
  const double each = std::chrono::duration<double>(now - begin_).count() / std::max(1, iteration);
  std::string text =
      fmt::format("[{:#<{}}{:.<{}}] {}: {} of {}, residual {:.1e}, aim {:.0e}, {} each", "", done, "", bar_width - done,
                  name_, iteration, max_iterations_, relative, tolerance_, seconds_text(each));
  text.resize(std::min(text.size(), static_cast<std::size_t>(std::max(20, stderr_width() - 1))));  // one line, always
  progress_shown(true);
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

namespace {

// The largest residual of every column, as logarithms; steps between columns lose nothing.
std::vector<double> columns_of(std::span<const double> history, std::size_t width) {
  std::vector<double> columns(std::min(width, history.size()), -300.0);
  for (std::size_t k = 0; k < history.size(); ++k) {
    double& column = columns[k * columns.size() / history.size()];
    if (std::isfinite(history[k]) && history[k] > 0) column = std::max(column, std::log10(history[k]));
  }
  for (std::size_t c = 1; c < columns.size(); ++c)
    if (columns[c] == -300.0) columns[c] = columns[c - 1];
  return columns;
}

// How much of a line of the plot a column fills, from 0 to 1.
std::string cell(double share, const Style& style) {
  static constexpr std::array<const char*, 9> eighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (!style.unicode) return share >= 1 ? ":" : share > 0 ? "*" : " ";
  return eighths[static_cast<std::size_t>(std::lround(8 * std::clamp(share, 0.0, 1.0)))];
}

}  // namespace

std::string residual_plot(std::span<const double> history, double tolerance, int height, const Style& style) {
  constexpr int label = 9;
  if (history.size() < 3 || height < 1) return {};
  const std::vector<double> columns =
      columns_of(history, static_cast<std::size_t>(std::min(72, style.width - label - 2)));
  const double top = std::ceil(std::max(*std::max_element(columns.begin(), columns.end()), -299.0) + 1e-9);
  double bottom = std::floor(std::log10(std::max(tolerance, 1e-300)));
  bottom = std::max(std::min(bottom, *std::min_element(columns.begin(), columns.end())), top - 40);
  const double step = std::max(top - bottom, 1.0) / height;
  std::string text;
  for (int line = 0; line < height; ++line) {
    const double low = top - (line + 1) * step;
    std::string cells;
    for (const double value : columns) cells += cell((value - low) / step, style);
    cells.erase(cells.find_last_not_of(' ') + 1);
    const std::string mark = line == 0            ? fmt::format("1e{:+03.0f}", top)
                             : line + 1 == height ? fmt::format("1e{:+03.0f}", bottom)
                                                  : "";
    text += fmt::format("{:>{}} {}{}\n", mark, label - 2, style.unicode ? "│" : "|", cells);
  }
  const std::string end = fmt::format("{} iterations", history.size() - 1);
  const int room = std::max(static_cast<int>(columns.size()) - 1, static_cast<int>(end.size()) + 2);
  return text + fmt::format("{:>{}} {}0{:>{}}\n", "", label - 2, style.unicode ? "└" : "+", end, room);
}

}  // namespace millrace::command
