// Reads the plane of --cut, or chooses one.
#include "verbs/cut_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "millrace/base/error.hpp"
#include "millrace/base/printable.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

constexpr std::string_view axis_names = "xyz";

double number_in(std::string_view verb, const std::string& text, const std::string& whole) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(code == std::errc{} && end == text.data() + text.size() && std::isfinite(value), verb, ": --cut ",
          in_quotes(whole), ": ", in_quotes(text), " is no number; z=0.5 and x,y,z,nx,ny,nz are accepted");
  return value;
}

NamedPlane across(std::size_t axis, double value) {
  millrace::Point through{}, normal{};
  through[axis] = value;
  normal[axis] = 1;
  return {make_plane(through, normal), fmt::format("{} = {:.6g}", axis_names[axis], value), axis == 0 ? "y" : "x",
          axis == 2 ? "y" : "z"};
}

}  // namespace

NamedPlane parse_cut(std::string_view verb, const std::string& text) {
  if (text.size() > 2 && text[1] == '=' && axis_names.find(text[0]) != std::string_view::npos)
    return across(axis_names.find(text[0]), number_in(verb, text.substr(2), text));
  const std::vector<std::string> parts = split(text);
  require(parts.size() == 6, verb, ": --cut ", in_quotes(text),
          " is no plane; z=0.5 (or x or y) and x,y,z,nx,ny,nz, a point and a normal, are accepted");
  std::array<double, 6> n{};
  for (std::size_t k = 0; k < n.size(); ++k) n[k] = number_in(verb, parts[k], text);
  return {make_plane({n[0], n[1], n[2]}, {n[3], n[4], n[5]}),
          fmt::format("({:.6g}, {:.6g}, {:.6g}), normal ({:.6g}, {:.6g}, {:.6g})", n[0], n[1], n[2], n[3], n[4], n[5]),
          "", ""};
}

NamedPlane middle_plane(const Mesh& mesh) {
  millrace::Point low = mesh.point(0), high = low;
  for (Index p = 0; p < mesh.num_points(); ++p)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], mesh.point(p)[d]);
      high[d] = std::max(high[d], mesh.point(p)[d]);
    }
  std::size_t shortest = 2;
  for (const std::size_t d : {std::size_t{1}, std::size_t{0}})
    if (high[d] - low[d] < 0.999 * (high[shortest] - low[shortest])) shortest = d;
  return across(shortest, (low[shortest] + high[shortest]) / 2);
}

}  // namespace millrace::command
