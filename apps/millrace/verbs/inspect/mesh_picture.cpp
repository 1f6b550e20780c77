// Chooses the plane and the texts of a picture of a mesh.
#include "verbs/inspect/mesh_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "millrace/base/printable.hpp"
#include "millrace/io/picture.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

constexpr std::string_view axis_names = "xyz";

// A plane and what to call it and its axes.
struct NamedPlane {
  Plane plane;
  std::string name, right, up;
};

double number_in(const std::string& text, const std::string& whole) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(code == std::errc{} && end == text.data() + text.size() && std::isfinite(value), "inspect: --cut ",
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

NamedPlane parse_cut(const std::string& text) {
  if (text.size() > 2 && text[1] == '=' && axis_names.find(text[0]) != std::string_view::npos)
    return across(axis_names.find(text[0]), number_in(text.substr(2), text));
  const std::vector<std::string> parts = split(text);
  require(parts.size() == 6, "inspect: --cut ", in_quotes(text),
          " is no plane; z=0.5 (or x or y) and x,y,z,nx,ny,nz, a point and a normal, are accepted");
  std::array<double, 6> n{};
  for (std::size_t k = 0; k < n.size(); ++k) n[k] = number_in(parts[k], text);
  return {make_plane({n[0], n[1], n[2]}, {n[3], n[4], n[5]}),
          fmt::format("({:.6g}, {:.6g}, {:.6g}), normal ({:.6g}, {:.6g}, {:.6g})", n[0], n[1], n[2], n[3], n[4], n[5]),
          "", ""};
}

// Through the middle, across the shortest side; z where sides are as short.
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

}  // namespace

void check_mesh_picture(const MeshPicture& picture) {
  require(picture.cut.empty() || !picture.file.empty(),
          "inspect: --cut says where --picture FILE cuts the mesh; it needs that");
  if (picture.file.empty()) return;
  check_picture_name(picture.file);
  check_output_place(picture.file);
  if (!picture.cut.empty()) parse_cut(picture.cut);
}

std::string draw_mesh(const std::string& mesh_file, const Mesh& mesh, const MeshPicture& picture) {
  PictureOptions options{.mesh_lines = true};
  options.title = std::filesystem::path(mesh_file).filename().string() + ": " + mesh.description();
  if (mesh.dim == 2) {
    require(picture.cut.empty(), "inspect: --cut is for meshes in space; ", mesh_file, " is a mesh of the plane");
    write_picture(picture.file, patches_of(mesh), groups_of(mesh), options);
    return picture.file;
  }
  const NamedPlane chosen = picture.cut.empty() ? middle_plane(mesh) : parse_cut(picture.cut);
  const PlaneFigure figure = cut(mesh, chosen.plane);
  require(!figure.patches.empty(), "inspect: the plane ", chosen.name, " does not cut the mesh ", mesh_file);
  options.title += ", cut at " + chosen.name;
  options.right_name = chosen.right;
  options.up_name = chosen.up;
  write_picture(picture.file, figure, groups_of(mesh), options);
  return picture.file + ", cut at " + chosen.name;
}

}  // namespace millrace::command
