// Each letter is a text of commands: M x y begins a stroke, L x y draws a line, A x y rx ry from to begins a stroke
// that is an arc of an ellipse (degrees), and a ... continues the stroke with one. Capitals are 14 high, 20 is the
// size.
#include "millrace/io/picture/font.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>

namespace millrace::picture {
namespace {

constexpr double units = 20, gap = 3.6;

struct Glyph {
  double width;
  const char* strokes;
};

constexpr Glyph box_glyph{7, "M0 0L7 0L7 14L0 14L0 0"};

// Characters 32 to 126.
constexpr std::array<Glyph, 95> glyphs{{
    {3, ""},
    {0.4, "M.2 14L.2 4.6M.2 .2L.2 .4"},
    {3, "M0 14L0 10M3 14L3 10"},
    {10, "M2 0L4 14M6 0L8 14M.5 9.5L10 9.5M0 4.5L9.5 4.5"},
    {9, "A4.5 10.2 4 3.2 35 270a4.5 3.8 4.5 3.2 90 -150M4.5 15.5L4.5 -1.5"},
    {12, "A2.4 11.2 2.4 2.8 0 360A9.6 2.8 2.4 2.8 0 360M10 14L2 0"},
    {10, "M10 0L2.6 9.4a4.6 11.4 2.6 2.6 230 -60L1.6 5.8a3.9 3.2 3.9 3.2 130 350L9.6 6.5"},
    {0, "M0 14L0 10"},
    {2.6, "A6 5 6 10.5 125 235"},
    {2.6, "A-3.4 5 6 10.5 55 -55"},
    {6, "M3 14L3 8M.4 12.5L5.6 9.5M.4 9.5L5.6 12.5"},
    {8, "M4 2L4 10M0 6L8 6"},
    {1, "M1 .5L0 -2.6"},
    {5, "M0 5.4L5 5.4"},
    {0.4, "M.2 .2L.2 .4"},
    {6, "M0 -1.5L6 15"},
    {8, "A4 7 4 7 0 360"},
    {8, "M1.2 11.2L4.8 14L4.8 0"},
    {8, "A4 10 3.9 4 165 -38L0 0L8 0"},
    {8, "A3.8 10.5 3.6 3.5 150 -90a3.8 3.5 4.2 3.5 90 -150"},
    {8.4, "M6.2 0L6.2 14L0 4.4L8.4 4.4"},
    {8, "M7.2 14L1.3 14L.7 7.5a3.8 4.6 4.2 4.6 138 -150"},
    {8, "A4 4.4 4 4.4 0 360A8 4.4 8 9.6 180 108"},
    {8, "M0 14L8 14L3 0"},
    {8, "A4 10.5 3.4 3.5 0 360A4 3.5 4 3.5 0 360"},
    {8, "A4 9.6 4 4.4 0 360A0 9.6 8 9.6 0 -72"},
    {0.4, "M.2 .2L.2 .4M.2 8.8L.2 9"},
    {1, "M1 .5L0 -2.6M1 8.8L1 9"},
    {8, "M8 1.5L0 6L8 10.5"},
    {8, "M0 4L8 4M0 8L8 8"},
    {8, "M0 1.5L8 6L0 10.5"},
    {7, "A3.5 10.4 3.5 3.6 160 -55L3.5 5.6L3.5 4.4M3.5 .2L3.5 .4"},
    {12, "A5.6 6 2.6 3.2 0 360A6 6 6 7 -10 300M8.2 9.2L8.2 4.4a10 4.6 1.8 1.6 190 345"},
    {10, "M0 0L5 14L10 0M1.7 4.8L8.3 4.8"},
    {9, "M0 7.2L4.8 7.2a4.8 10.6 3.5 3.4 -90 90L0 14L0 0L5 0a5 3.6 4 3.6 -90 90"},
    {10.4, "A6 7 6 7 48 312"},
    {10, "M0 0L0 14L4 14a4 7 6 7 90 -90L0 0"},
    {8, "M8 14L0 14L0 0L8 0M0 7.2L7 7.2"},
    {7.6, "M7.6 14L0 14L0 0M0 7.2L6.6 7.2"},
    {11.4, "A6 7 6 7 48 335L11.4 6.6L7.2 6.6"},
    {9.4, "M0 0L0 14M9.4 0L9.4 14M0 7.2L9.4 7.2"},
    {0, "M0 0L0 14"},
    {6, "M6 14L6 4a3 4 3 4 0 -165"},
    {9, "M0 0L0 14M8.6 14L0 5.5M3.2 8.7L9 0"},
    {7.4, "M0 14L0 0L7.4 0"},
    {11, "M0 0L0 14L5.5 3L11 14L11 0"},
    {9.4, "M0 0L0 14L9.4 0L9.4 14"},
    {12, "A6 7 6 7 0 360"},
    {8.6, "M0 0L0 14L4.8 14a4.8 10.2 3.8 3.8 90 -90L0 6.4"},
    {12, "A6 7 6 7 0 360M7.4 3.6L12 -1"},
    {9, "M0 0L0 14L4.8 14a4.8 10.2 3.8 3.8 90 -90L0 6.4M4.8 6.4L9 0"},
    {9, "A4.5 10.5 4 3.5 35 270a4.5 3.5 4.5 3.5 90 -150"},
    {10, "M0 14L10 14M5 14L5 0"},
    {9.4, "M0 14L0 4.7a4.7 4.7 4.7 4.7 180 360L9.4 14"},
    {10, "M0 14L5 0L10 14"},
    {14, "M0 14L3.5 0L7 13L10.5 0L14 14"},
    {9, "M0 0L9 14M0 14L9 0"},
    {10, "M0 14L5 7L10 14M5 7L5 0"},
    {9, "M0 14L9 14L0 0L9 0"},
    {3, "M3 15L0 15L0 -2L3 -2"},
    {6, "M0 15L6 -1.5"},
    {3, "M0 15L3 15L3 -2L0 -2"},
    {7, "M0 8.5L3.5 14L7 8.5"},
    {9, "M0 -2L9 -2"},
    {2.5, "M0 14L2.5 11"},
    {7.6, "A3.8 5 3.8 5 0 360M7.6 10L7.6 0"},
    {7.6, "M0 14L0 0A3.8 5 3.8 5 0 360"},
    {6.8, "A4 5 4 5 52 308"},
    {7.6, "M7.6 14L7.6 0A3.8 5 3.8 5 0 360"},
    {7.7, "M0 5L7.7 5a3.85 5 3.85 5 0 312"},
    {4.8, "M2 0L2 10.8a5 10.8 3 3.2 180 92M0 9.6L4.6 9.6"},
    {7.6, "A3.8 5 3.8 5 0 360M7.6 10L7.6 -.5a3.8 -.5 3.8 3.7 0 -150"},
    {7, "M0 14L0 0M0 6.2a3.5 6.2 3.5 3.8 180 0L7 0"},
    {0.2, "M.1 10L.1 0M.1 13.5L.1 13.7"},
    {2.2, "M2 10L2 -1.5a-.2 -1.5 2.2 2.6 0 -90M2 13.5L2 13.7"},
    {7, "M0 14L0 0M6.5 10L0 3.5M2.6 6.1L7 0"},
    {0, "M0 14L0 0"},
    {11, "M0 10L0 0M0 6.4a2.75 6.6 2.75 3.4 180 0L5.5 0M5.5 6.6a8.25 6.6 2.75 3.4 180 0L11 0"},
    {7, "M0 10L0 0M0 6.2a3.5 6.2 3.5 3.8 180 0L7 0"},
    {8, "A4 5 4 5 0 360"},
    {7.6, "M0 10L0 -4A3.8 5 3.8 5 0 360"},
    {7.6, "M7.6 10L7.6 -4A3.8 5 3.8 5 0 360"},
    {4.4, "M0 10L0 0M0 5.8a4 5.8 4 4.1 180 82"},
    {6.6, "A3.3 7.5 3 2.5 35 270a3.3 2.5 3.3 2.5 90 -150"},
    {5, "M2 13.5L2 3a4.6 3 2.6 3 180 278M0 9.8L4.8 9.8"},
    {7, "M0 10L0 3.8a3.5 3.8 3.5 3.8 180 360M7 10L7 0"},
    {7.6, "M0 10L3.8 0L7.6 10"},
    {11.2, "M0 10L2.8 0L5.6 9L8.4 0L11.2 10"},
    {7, "M0 0L7 10M0 10L7 0"},
    {8, "M0 10L4 0M8 10L2.4 -4"},
    {7, "M0 10L7 10L0 0L7 0"},
    {4, "M4 15L2.6 14.4L2.2 13L2.2 8.6L1.6 7L0 6.5L1.6 6L2.2 4.4L2.2 0L2.6 -1.4L4 -2"},
    {0, "M0 15L0 -2"},
    {4, "M0 15L1.4 14.4L1.8 13L1.8 8.6L2.4 7L4 6.5L2.4 6L1.8 4.4L1.8 0L1.4 -1.4L0 -2"},
    {8.8, "M0 5L1.6 6.6L3.2 6.6L5.6 4.8L7.2 4.8L8.8 6.4"},
}};

const Glyph& glyph_of(unsigned char c) {
  return c >= 32 && c < 127 ? glyphs[static_cast<std::size_t>(c - 32)] : box_glyph;
}

bool continues_character(unsigned char c) { return (c & 0xC0U) == 0x80U; }  // a later byte in UTF-8

void draw(const Glyph& glyph, double left, std::vector<std::vector<Place>>& strokes) {
  const char* p = glyph.strokes;
  const auto number = [&] {
    char* end = nullptr;
    const double value = std::strtod(p, &end);
    p = end;
    return value;
  };
  const auto add = [&](double x, double y) { strokes.back().push_back({(left + x) / units, y / units}); };
  while (*p != '\0') {
    const char command = *p++;
    if (command == 'M' || command == 'A') strokes.emplace_back();
    const double x = number(), y = number();
    if (command == 'M' || command == 'L') {
      add(x, y);
      continue;
    }
    const double rx = number(), ry = number(), from = number(), to = number();
    const int parts = std::max(4, static_cast<int>(std::abs(to - from) / 12));
    for (int i = 0; i <= parts; ++i) {
      const double angle = (from + (to - from) * i / parts) * std::numbers::pi / 180;
      add(x + rx * std::cos(angle), y + ry * std::sin(angle));
    }
  }
}

}  // namespace

std::vector<std::vector<Place>> text_strokes(std::string_view text) {
  std::vector<std::vector<Place>> strokes;
  double left = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (continues_character(byte)) continue;
    draw(glyph_of(byte), left, strokes);
    left += glyph_of(byte).width + gap;
  }
  return strokes;
}

double text_width(std::string_view text) {
  double width = 0;
  for (const char c : text)
    if (!continues_character(static_cast<unsigned char>(c)))
      width += glyph_of(static_cast<unsigned char>(c)).width + gap;
  return width > 0 ? (width - gap) / units : 0;
}

}  // namespace millrace::picture
