// Chooses the plane, the view and the texts of a picture of a field.
#include "verbs/field_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/base/printable.hpp"
#include "verbs/cut_plane.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct PictureView {
  Place lower, upper;
};

// Numbers with commas between them; none where there are not as many as wanted.
std::vector<double> parse_numbers(const std::string& text, std::size_t wanted) {
  const std::vector<std::string> parts = split(text);
  std::vector<double> numbers;
  for (const std::string& part : parts) {
    double value = 0;
    const char* end = part.data() + part.size();
    const auto found = std::from_chars(part.data(), end, value);
    if (found.ec == std::errc{} && found.ptr == end && std::isfinite(value)) numbers.push_back(value);
  }
  if (parts.size() != wanted || numbers.size() != wanted) numbers.clear();
  return numbers;
}

PictureView parse_view(std::string_view verb, const std::string& text) {
  const std::vector<double> n = parse_numbers(text, 4);
  require(!n.empty() && n[0] < n[1] && n[2] < n[3], verb, ": --view ", in_quotes(text),
          " is no view; four numbers are accepted, left,right,bottom,top, as -1,3,-2,2");
  return {{n[0], n[2]}, {n[1], n[3]}};
}

std::vector<double> parse_range(std::string_view verb, const std::string& text) {
  std::vector<double> n = parse_numbers(text, 2);
  require(!n.empty() && n[0] < n[1], verb, ": --range ", in_quotes(text),
          " is no range; two numbers are accepted, low,high, as -1,1");
  return n;
}

// The figure in the view, its curved cells as fine as the view asks for, with a frame where the view cuts it.
template <class MakeFigure>
PlaneFigure within(const PictureView& view, const MakeFigure& make) {
  PlaneFigure whole = make(Fineness{});
  const auto& [lower, upper] = view;
  double longest = 0;
  bool cuts = false;
  for (std::size_t d = 0; d < 2; ++d) {
    longest = std::max(longest, std::min(upper[d], whole.upper[d]) - std::max(lower[d], whole.lower[d]));
    cuts = cuts || lower[d] > whole.lower[d] || upper[d] < whole.upper[d];
  }
  if (!cuts) return whole;
  if (longest <= 0) return {};
  PlaneFigure part = clip(make(Fineness{.tolerance = longest / 4000}), lower, upper);
  const Place &low = part.lower, &high = part.upper;
  part.lines.push_back({{low, {high[0], low[1]}, high, {low[0], high[1]}, low}, true});
  return part;
}

}  // namespace

void add_picture_options(CLI::App& app, PictureRequest& picture, std::string& vtu) {
  app.add_option("--vtu", vtu, "Write the solution for ParaView and other readers of VTK's files")->type_name("FILE");
  app.add_option("--picture", picture.file, "Paint the solution, .png or .svg")->type_name("FILE");
  app.add_option("--cut", picture.cut,
                 "Where the picture cuts a mesh in space: z=0.5, or x,y,z,nx,ny,nz (default: through the middle)")
      ->type_name("PLANE");
  app.add_option("--view", picture.view, "What the picture shows: left,right,bottom,top (default: all)")
      ->type_name("BOX");
  app.add_option("--range", picture.range, "Values at the ends of the colours: low,high (default: those of the field)")
      ->type_name("VALUES");
  app.add_flag("--mesh-lines", picture.mesh_lines, "Draw the cells into the picture, too");
}

void check_picture_options(std::string_view verb, const PictureRequest& asked, const std::string& vtu) {
  if (!vtu.empty()) check_output(vtu, {".vtu"});
  if (!asked.file.empty()) {
    check_picture_name(asked.file);
    check_output_place(asked.file);
  }
  if (!asked.cut.empty()) parse_cut(verb, asked.cut);
  if (!asked.view.empty()) parse_view(verb, asked.view);
  if (!asked.range.empty()) parse_range(verb, asked.range);
}

void require_picture(std::string_view verb, const PictureRequest& asked, std::string_view own_option, bool own_given) {
  const bool given = own_given || !asked.cut.empty() || !asked.view.empty() || !asked.range.empty() || asked.mesh_lines;
  require(!asked.file.empty() || !given, verb, ": ", own_option,
          ", --cut, --view, --range and --mesh-lines say what --picture FILE shows; they need that");
}

FieldPicture::FieldPicture(const PictureRequest& asked, const PictureSubject& subject)
    : file_(asked.file), description_(fmt::format("{}: {}", asked.file, subject.shown)) {
  const auto& [verb, mesh, case_file, title, shown, label] = subject;
  options_ = {.num_contours = 10, .mesh_lines = asked.mesh_lines, .title = title, .label = label};
  if (!asked.range.empty()) {
    const std::vector<double> range = parse_range(verb, asked.range);
    options_.low = range[0];
    options_.high = range[1];
  }
  std::optional<NamedPlane> plane;
  if (mesh.dim == 2) {
    require(asked.cut.empty(), verb, ": --cut is for meshes in space; that of ", case_file, " is in the plane");
  } else {
    plane = asked.cut.empty() ? middle_plane(mesh) : parse_cut(verb, asked.cut);
    options_.label = shown + ", cut at " + plane->name;
    options_.right_name = plane->right;
    options_.up_name = plane->up;
    description_ += ", cut at " + plane->name;
  }
  const auto make = [&](const Fineness& fineness) {
    PlaneFigure figure = plane ? millrace::cut(mesh, plane->plane, fineness) : patches_of(mesh, fineness);
    require(!figure.patches.empty(), verb, ": the plane ", plane ? plane->name : "", " does not cut the mesh of ",
            case_file);
    return figure;
  };
  figure_ = asked.view.empty() ? make({}) : within(parse_view(verb, asked.view), make);
  require(!figure_.patches.empty(), verb, ": nothing of the mesh of ", case_file, " is in --view ", asked.view);
}

PictureOptions FieldPicture::options(bool signs) const {
  PictureOptions options = options_;
  if (signs) {
    options.colours = ColourMap::diverging;
    options.symmetric = true;
    options.num_contours = 0;
  }
  return options;
}

void FieldPicture::draw(const PictureField& field, bool signs) const {
  write_picture(file_, figure_, field, options(signs));
}

}  // namespace millrace::command
