// Errors, and the fields for files and pictures.
#include "verbs/pde/outputs.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/evaluate.hpp"
#include "millrace/fem/norms.hpp"
#include "millrace/fem/sample.hpp"
#include "millrace/io/vtu.hpp"

namespace millrace::command {
namespace {

// The number of the component that a picture shows; -1: the length.
int component_of(const std::string& asked, const PdeCase& c) {
  require(asked.empty() || c.comps() > 1, "pde: --component is for vectors; the u of ", name_of(c.kind),
          " is a number");
  const int component = asked.empty() ? -1 : asked[0] - 'x';
  require(component < c.comps(), "pde: --component ", asked, " of a case in the plane, where x and y are");
  return c.comps() == 1 ? 0 : component;
}

PictureSubject subject_of(const std::string& component, const PdeCase& c) {
  const std::string shown = c.comps() == 1 ? "u" : (component.empty() ? "|u|" : "u_" + component);
  return {"pde", c.mesh, c.file, c.title, shown, "solution " + shown};
}

}  // namespace

std::optional<PdeErrors> pde_errors(Queue& queue, const PdeCase& c, const Space& space, std::span<const double> u) {
  if (c.exact.empty()) return std::nullopt;
  const FieldView field(c.mesh, space, Vectors<const double>(u));
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
  return PdeErrors{l2_error(queue, field, value), h1_seminorm_error(queue, field, gradient)};
}

PdeRange pde_range(const Space& space, std::span<const double> u, int component) {
  const auto values = u.subspan(to_size(space.entry(0, component)), to_size(space.num_nodes));
  const auto [low, high] = std::ranges::minmax(values);
  return {low, high};
}

PdeDrawing::PdeDrawing(const PictureRequest& asked, const std::string& component, const PdeCase& c)
    : component_(component_of(component, c)), picture_(asked, subject_of(component, c)) {}

void PdeDrawing::draw(const PdeCase& c, const Space& space, std::span<const double> u) const {
  const bool wave = c.kind == PdeKind::helmholtz;  // it goes up and down
  picture_.draw(component_ < 0 ? cell_magnitude(space, u) : cell_function(space, u, component_), wave);
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
