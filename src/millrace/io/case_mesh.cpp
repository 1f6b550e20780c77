// Generators by name, with the sizes that they take.
#include "millrace/io/case_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/io/case_formulas.hpp"
#include "millrace/io/gmsh.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace {
namespace {

constexpr int max_cells = 100'000;  // along a side

AroundOptions around_options(const CaseTable& table, bool wake, bool space) {
  AroundOptions options;
  options.around = table.integer("around", 3, max_cells, options.around);
  options.across = table.integer("across", 1, max_cells, options.across);
  options.growth = table.positive("growth", options.growth);
  if (table.has("first_height")) options.first_height = table.positive("first_height");
  options.mirrored = table.flag("mirrored", false);
  options.random_diagonals = table.integer("random_diagonals", 0, 1'000'000, 0);
  if (wake) {
    options.wake = table.integer("wake", 1, max_cells, options.wake);
    options.wake_length = table.positive("wake_length", options.wake_length);
  }
  if (space) {
    options.layers = table.integer("layers", 1, max_cells, options.layers);
    options.height = table.positive("height", options.height);
  }
  return options;
}

Profile profile_of(const CaseTable& table) {
  const PlacedText found = table.text("profile", "circle");
  if (found.text == "circle") return make_circle(table.positive("radius", 0.5));
  if (found.text.starts_with("naca") && found.text.size() == 8 &&
      found.text.find_first_not_of("0123456789", 4) == std::string::npos)
    return make_naca(std::stoi(found.text.substr(4)));
  throw Error(join(found.place, ": 'mesh.profile' is '", found.text,
                   "'; accepted are: circle, and naca with four digits, as naca0012"));
}

// Sizes are read and checked here; the mesh is made by the call of what is returned.
std::function<Mesh()> generator(const CaseTable& table, int which, int order, CaseCells cells_of) {
  Cell cell = Cell::triangle;
  if (cells_of == CaseCells::all)
    cell = std::array{Cell::triangle, Cell::quad, Cell::tet,
                      Cell::hex}[to_size(table.choice("cell", {"triangle", "quad", "tet", "hex"}, 1))];
  else if (which <= 2 && table.integer("dim", 2, 3, 2) == 3)
    cell = Cell::tet;
  const int dim = millrace::dim(cell);
  if (which == 0) {
    const std::vector<double> zeros(to_size(dim), 0.0), ones(to_size(dim), 1.0);
    const std::vector<double> lower = table.numbers("lower", dim, zeros), upper = table.numbers("upper", dim, ones),
                              cells = table.numbers("cells", dim);
    Box box;
    std::array<int, 3> counts{1, 1, 1};
    for (int d = 0; d < dim; ++d) {
      const double count = cells[to_size(d)];
      require(count >= 1 && count <= max_cells && count == std::floor(count), table.place("cells"),
              ": 'mesh.cells' has ", count, "; whole numbers from 1 to ", max_cells, " are accepted");
      require(lower[to_size(d)] < upper[to_size(d)], table.place(table.has("upper") ? "upper" : "lower"),
              ": 'mesh.upper' is not above 'mesh.lower'");
      counts[to_size(d)] = static_cast<int>(count);
      box.lower[to_size(d)] = lower[to_size(d)];
      box.upper[to_size(d)] = upper[to_size(d)];
    }
    return [=] { return make_box(cell, counts, box, order); };
  }
  AroundOptions options = around_options(table, which == 3, dim == 3);
  if (which == 1) {
    const double inner = table.positive("inner"), outer = table.positive("outer");
    require(inner < outer, table.place("outer"), ": 'mesh.outer' is ", outer, ", not more than 'mesh.inner', ", inner);
    return [=] { return make_annulus(cell, inner, outer, options, order); };
  }
  options.far = table.positive("far", options.far);
  const Profile profile = profile_of(table);
  return [=] {
    return which == 2 ? make_o_mesh(cell, profile, options, order) : make_c_mesh(cell, profile, options, order);
  };
}

}  // namespace

Mesh make_case_mesh(const CaseTable& table, const std::string& case_path, const Expression::Names& names,
                    CaseCells cells) {
  Mesh mesh;
  if (table.has("file")) {
    require(!table.has("generator"), table.place("generator"),
            ": [mesh] has 'file' and 'generator'; one of them is accepted");
    const PlacedText file = table.text("file");
    try {
      mesh = read_gmsh(std::filesystem::path(case_path).parent_path() / file.text);
    } catch (const Error& error) {
      throw Error(join(file.place, ": ", error.what()));
    }
    if (table.has("geometry_order")) {
      int order = table.integer("geometry_order", 1, max_geometry_order);
      for (const CellBlock& block : mesh.blocks) order = std::max(order, block.order);
      if (std::ranges::any_of(mesh.blocks, [&](const CellBlock& block) { return block.order < order; }))
        mesh = elevate(mesh, order);
    }
  } else {
    const int which = table.choice("generator", {"box", "annulus", "o-mesh", "c-mesh"});
    const int order = table.integer("geometry_order", 1, max_geometry_order, which == 0 ? 1 : max_geometry_order);
    const std::function<Mesh()> make = generator(table, which, order, cells);
    try {
      mesh = make();
    } catch (const Error& error) {
      throw Error(join(table.place(), ": ", error.what()));
    }
  }
  if (table.has("map")) {
    const std::vector<Expression> map = parse_formulas(table, "map", mesh.dim, names);
    deform(mesh, [&](const Point& x) {
      Point y{};
      for (int d = 0; d < mesh.dim; ++d) y[to_size(d)] = map[to_size(d)].at(x);
      return y;
    });
  }
  return mesh;
}

}  // namespace millrace
