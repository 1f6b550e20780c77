// Escape codes of colours, and the half blocks between them.
#include "verbs/flow/small_view.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "millrace/base/environment.hpp"

namespace millrace::command {

namespace {

using Rgb = SmallPicture::Rgb;

// The nearest of the 6 x 6 x 6 colours or of the 24 greys that terminals with 256 colours have.
int palette_number(const Rgb& colour) {
  constexpr int levels[6] = {0, 95, 135, 175, 215, 255};
  const auto square = [](int x) { return x * x; };
  int cube = 16, cube_distance = 0, grey_distance = 0;
  for (const int part : colour) {
    int nearest = 0;
    for (int k = 1; k < 6; ++k)
      if (std::abs(levels[k] - part) < std::abs(levels[nearest] - part)) nearest = k;
    cube = 16 + (cube - 16) * 6 + nearest;
    cube_distance += square(levels[nearest] - part);
  }
  const int mean = (colour[0] + colour[1] + colour[2]) / 3, grey = std::clamp((mean - 3) / 10, 0, 23);
  for (const int part : colour) grey_distance += square(8 + 10 * grey - part);
  return grey_distance < cube_distance ? 232 + grey : cube;
}

/// Text with colours that are named only where they change.
class ColouredText {
 public:
  explicit ColouredText(ColourDepth depth) : depth_(depth) {}
  void put(const char* character, const std::optional<Rgb>& ink, const std::optional<Rgb>& paper) {
    if ((ink_ && !ink) || (paper_ && !paper)) plain();
    if (ink && ink != ink_) text_ += code(38, *ink);
    if (paper && paper != paper_) text_ += code(48, *paper);
    ink_ = ink;
    paper_ = paper;
    text_ += character;
  }
  void plain() {
    if (ink_ || paper_) text_ += "\033[0m";
    ink_ = paper_ = std::nullopt;
  }
  /// Blanks at the end of a line are left out.
  void end_line() {
    plain();
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string code(int which, const Rgb& c) const {
    if (depth_ == ColourDepth::full) return fmt::format("\033[{};2;{};{};{}m", which, c[0], c[1], c[2]);
    return fmt::format("\033[{};5;{}m", which, palette_number(c));
  }
  ColourDepth depth_;
  std::string text_;
  std::optional<Rgb> ink_, paper_;
};

}  // namespace

ColourDepth colour_depth() {
  const std::string many = environment("COLORTERM"), term = environment("TERM");
  if (term == "dumb") return ColourDepth::none;
  if (many == "truecolor" || many == "24bit" || term.ends_with("-direct")) return ColourDepth::full;
  return term.find("256color") != std::string::npos ? ColourDepth::palette : ColourDepth::none;
}

PreviewRoom preview_room(Preview when, const Style& style) {
  if (when == Preview::never) return {};
  constexpr int most_columns = 72, most_lines = 24, least_columns = 24, least_lines = 12;
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  PreviewRoom room{colour_depth(), known ? size.ws_col - 2 : most_columns,
                   known && size.ws_row > 0 ? size.ws_row - 4 : most_lines};
  if (when == Preview::always) {
    if (room.depth == ColourDepth::none) room.depth = ColourDepth::palette;
  } else if (!style.color || !style.unicode || room.columns < least_columns - 2 || room.lines < least_lines - 4) {
    return {};
  }
  room.columns = std::clamp(room.columns, 1, most_columns);
  room.lines = std::clamp(room.lines, 1, most_lines);
  return room;
}

std::string half_blocks(const SmallPicture& picture, ColourDepth depth) {
  ColouredText text(depth);
  const auto pixel = [&](int x, int y) -> std::optional<Rgb> {
    if (y >= picture.height) return {};
    return picture
        .pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)];
  };
  for (int y = 0; y < picture.height; y += 2) {
    for (int x = 0; x < picture.width; ++x) {
      const std::optional<Rgb> upper = pixel(x, y), lower = pixel(x, y + 1);
      if (upper)
        text.put("▀", upper, lower);
      else
        text.put(lower ? "▄" : " ", lower, {});
    }
    text.end_line();
  }
  return text.text();
}

std::string colour_line(const SmallPicture& picture, const std::string& name, int columns, ColourDepth depth) {
  const std::string low = fmt::format("{:.4g}", picture.low), high = fmt::format("{:.4g}", picture.high);
  const int room = columns - static_cast<int>(name.size() + low.size() + high.size()) - 3;
  ColouredText bar(depth);
  const int width = std::min(room, 24), last = static_cast<int>(picture.bar.size()) - 1;
  for (int k = 0; k < width; ++k)
    bar.put("█", picture.bar[static_cast<std::size_t>(width > 1 ? k * last / (width - 1) : 0)], {});
  bar.plain();
  return fmt::format("{} {} {} {}\n", name, low, bar.text(), high);
}

}  // namespace millrace::command
