// Errors block by block, and the fields for files and pictures.
#include "verbs/pde/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/evaluate.hpp"
#include "millrace/fem/norms.hpp"
#include "millrace/fem/sample.hpp"
#include "millrace/io/vtu.hpp"
#include "verbs/cut_plane.hpp"

namespace millrace::command {
namespace {

// One block of a mesh and its part of a space, with the unknowns of all of it, for what takes one kind of cell.
Mesh mesh_of_block(const Mesh& mesh, std::size_t number) {
  Mesh part;
  part.dim = mesh.dim;
  part.points = mesh.points.clone();
  part.blocks.push_back(mesh.blocks[number].clone());
  return part;
}
Space space_of_block(const Space& space, std::size_t number) {
  Space part;
  part.order = space.order, part.dim = space.dim, part.comps = space.comps, part.num_nodes = space.num_nodes;
  const auto& [cell, r] = space.blocks[number];
  part.blocks.push_back({cell, {r.num_elem, r.nodes, r.comps, r.num_dofs, r.comp_stride, r.offsets.clone()}});
  return part;
}

PdeErrors errors_of(Queue& queue, const PdeCase& c, const FieldView& field) {
  const auto dim = to_size(c.dim());
  const VectorFunction value = [&](const millrace::Point& x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = c.exact[i].at(x, c.time);
  };
  const VectorFunction gradient = [&](const millrace::Point& x, std::span<double> slopes) {  // [comps, dim]
    for (std::size_t i = 0; i < c.exact.size(); ++i) {
      const Jet jet = c.exact[i].jet_at(x, c.time);
      std::copy_n(jet.first, dim, slopes.begin() + static_cast<std::ptrdiff_t>(i * dim));
    }
  };
  return {l2_error(queue, field, value), h1_seminorm_error(queue, field, gradient)};
}

}  // namespace

std::optional<PdeErrors> pde_errors(Queue& queue, const PdeCase& c, const Space& space, std::span<const double> u) {
  if (c.exact.empty()) return std::nullopt;
  if (space.blocks.size() == 1) return errors_of(queue, c, FieldView(c.mesh, space, Vectors<const double>(u)));
  PdeErrors all;
  for (std::size_t number = 0; number < space.blocks.size(); ++number) {
    const Mesh mesh = mesh_of_block(c.mesh, number);
    const Space part = space_of_block(space, number);
    const PdeErrors here = errors_of(queue, c, FieldView(mesh, part, Vectors<const double>(u)));
    all = {std::hypot(all.l2, here.l2), std::hypot(all.h1, here.h1)};
  }
  return all;
}

PdeRange pde_range(const Space& space, std::span<const double> u, int component) {
  const auto values = u.subspan(to_size(space.entry(0, component)), to_size(space.num_nodes));
  const auto [low, high] = std::ranges::minmax(values);
  return {low, high};
}

PdeDrawing::PdeDrawing(const PdePicture& asked, const PdeCase& c) : asked_(asked) {
  require(asked.component.empty() || c.comps() > 1, "pde: --component is for vectors; the u of ", name_of(c.kind),
          " is a number");
  if (!asked.component.empty()) component_ = asked.component[0] - 'x';
  require(component_ < c.comps(), "pde: --component ", asked.component, " of a case in the plane, where x and y are");
  if (c.comps() == 1) component_ = 0;
  const std::string shown = c.comps() == 1 ? "u" : (component_ < 0 ? "|u|" : "u_" + asked.component);
  options_ = {.num_contours = 10, .mesh_lines = asked.mesh_lines, .title = c.title, .label = "solution " + shown};
  description_ = fmt::format("{}: {}", asked.file, shown);
  if (c.dim() == 2) {
    require(asked.cut.empty(), "pde: --cut is for meshes in space; that of ", c.file, " is in the plane");
    figure_ = patches_of(c.mesh);
    return;
  }
  const NamedPlane chosen = asked.cut.empty() ? middle_plane(c.mesh) : parse_cut("pde", asked.cut);
  figure_ = millrace::cut(c.mesh, chosen.plane);
  require(!figure_.patches.empty(), "pde: the plane ", chosen.name, " does not cut the mesh of ", c.file);
  options_.label = shown + ", cut at " + chosen.name;
  options_.right_name = chosen.right;
  options_.up_name = chosen.up;
  description_ += ", cut at " + chosen.name;
}

void PdeDrawing::draw(const PdeCase& c, const Space& space, std::span<const double> u) const {
  PictureOptions options = options_;
  const PictureField field = component_ < 0 ? cell_magnitude(space, u) : cell_function(space, u, component_);
  if (c.kind == PdeKind::helmholtz) {  // a wave goes up and down
    options.colours = ColourMap::diverging;
    options.symmetric = true;
    options.num_contours = 0;
  }
  write_picture(asked_.file, figure_, field, options);
}

void write_pde_vtu(const std::string& file, const PdeCase& c, const Space& space, std::span<const double> u) {
  const bool vector = c.comps() > 1;
  std::vector<FieldToSample> fields{{"u", &space, u, vector}};
  std::vector<double> exact(u.size()), error(u.size());
  if (!c.exact.empty()) {
    for (Index node = 0; node < space.num_nodes; ++node) {
      millrace::Point x{};
      std::copy_n(space.place(node), space.dim, x.begin());
      for (int i = 0; i < space.comps; ++i) {
        const std::size_t at = to_size(space.entry(node, i));
        exact[at] = c.exact[to_size(i)].at(x, c.time);
        error[at] = u[at] - exact[at];
      }
    }
    fields.push_back({"exact", &space, exact, vector});
    fields.push_back({"error", &space, error, vector});
  }
  write_vtu(file, sample(c.mesh, fields));
}

}  // namespace millrace::command
