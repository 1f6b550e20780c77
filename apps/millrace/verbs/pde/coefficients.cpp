// Coefficients by group, in the words of each equation, and the values that they may have.
#include <algorithm>
#include <cmath>
#include <functional>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "verbs/pde/read.hpp"

namespace millrace::command {
namespace {

// The Lame coefficients from Young's modulus and Poisson's ratio, and back. Both pairs are always there.
void read_elastic(const CaseTable& table, const std::function<void(const char*, Expression&)>& read, PdeCoefficients& c,
                  bool is_first) {
  const bool modulus = table.has("young") || table.has("poisson"), lame = table.has("lambda") || table.has("mu");
  require(!(modulus && lame), table.place(), ": [", table.name(),
          "] has 'young' or 'poisson' and 'lambda' or 'mu'; one of these pairs is accepted");
  if (is_first)
    for (const char* key : {lame ? "lambda" : "young", lame ? "mu" : "poisson"})
      require(table.has(key), table.place(), ": [", table.name(), "] needs '", key,
              "'; elasticity takes 'young' and 'poisson', or 'lambda' and 'mu'");
  const Expression one = 1.0, two = 2.0, three = 3.0;
  if (modulus) {
    read("young", c.young);
    read("poisson", c.poisson);
    c.mu = c.young / (two * (one + c.poisson));
    c.lambda = two * c.mu * c.poisson / (one - two * c.poisson);
  } else if (lame) {
    read("lambda", c.lambda);
    read("mu", c.mu);
    c.young = c.mu * (three * c.lambda + two * c.mu) / (c.lambda + c.mu);
    c.poisson = c.lambda / (two * (c.lambda + c.mu));
  }
}

void read_wave(const CaseTable& table, const std::function<void(const char*, Expression&)>& read, PdeCoefficients& c,
               bool is_first) {
  const bool number = table.has("wave_number"), speed = table.has("omega") || table.has("speed");
  require(!(number && speed), table.place("wave_number"), ": '", table.name(),
          ".wave_number' is omega / speed; it, or ", "'omega' and 'speed', are accepted");
  require(!is_first || number || table.has("omega"), table.place(), ": [", table.name(),
          "] needs 'wave_number', or 'omega' and 'speed'");
  if (number) {
    read("wave_number", c.omega);
    c.speed = 1.0;
  } else {
    read("omega", c.omega);
    read("speed", c.speed);
  }
  const Expression wave_number = c.omega / c.speed;
  c.c = Expression(0.0) - wave_number * wave_number;
}

// Centres of the cells with a tag that `wanted` takes.
std::vector<millrace::Point> centres(const Mesh& mesh, const std::function<bool(std::int32_t)>& wanted) {
  std::vector<millrace::Point> found;
  for (const CellBlock& block : mesh.blocks) {
    const std::vector<int> corners = vertex_nodes(block.cell, block.order);
    for (Index cell = 0; cell < block.num_cells(); ++cell) {
      if (!wanted(block.tag.data()[cell])) continue;
      millrace::Point centre{};
      for (const int corner : corners) {
        const millrace::Point x = mesh.point(block.nodes_of(cell)[to_size(corner)]);
        for (std::size_t d = 0; d < 3; ++d) centre[d] += x[d] / static_cast<double>(corners.size());
      }
      found.push_back(centre);
    }
  }
  return found;
}

// Coefficients of some cells, with the tables that they come from: the first that has the key is to blame.
struct Checked {
  const PdeCase& c;
  const PdeCoefficients& coefficients;
  std::vector<millrace::Point> centres;
  const CaseTable &own, &general;

  void operator()(const char* key, const Expression& formula, const std::function<bool(double)>& accepted,
                  std::string_view wanted) const {
    const CaseTable& table = own.has(key) ? own : general;
    if (!table.has(key)) return;
    std::vector<double> values(centres.size());
    formula.at(centres, c.time, values);
    const auto bad = std::ranges::find_if_not(values, [&](double v) { return std::isfinite(v) && accepted(v); });
    if (bad == values.end()) return;
    std::string at;
    if (!formula.is_constant()) {
      const millrace::Point& x = centres[to_size(bad - values.begin())];
      at = join(" at (", x[0], ", ", x[1], c.dim() == 3 ? join(", ", x[2]) : std::string(), ")");
    }
    throw Error(join(table.place(key), ": '", table.name(), ".", key, "' is ", *bad, at, "; ", wanted, " is accepted"));
  }
};

}  // namespace

PdeCoefficients read_coefficients(const CaseTable& table, const PdeCoefficients& from, const PdeCase& c,
                                  const PdeWords& words, bool is_first) {
  PdeCoefficients found = from;
  const std::function<void(const char*, Expression&)> read = [&](const char* key, Expression& to) {
    if (table.has(key)) to = parse_formulas(table, key, 1, words.names, words.variables)[0];
  };
  if (c.kind == PdeKind::elasticity) {
    read_elastic(table, read, found, is_first);
  } else {
    read("k", found.k);
    if (c.kind == PdeKind::helmholtz)
      read_wave(table, read, found, is_first);
    else
      read("c", found.c);
  }
  if (c.kind == PdeKind::convection_diffusion && (is_first || table.has("velocity")))
    found.velocity = parse_formulas(table, "velocity", c.dim(), words.names, words.variables);
  const char* const source = c.kind == PdeKind::elasticity ? "force" : "source";
  if (table.has(source)) found.source = parse_formulas(table, source, c.comps(), words.names, words.variables);
  return found;
}

void check_coefficients(const CaseTable& equation, const CaseTable& groups, const PdeCase& c) {
  const auto positive = [](double v) { return v > 0; };
  const auto any = [](double) { return true; };
  const auto check = [&](const Checked& checked) {
    const PdeCoefficients& now = checked.coefficients;
    checked("k", now.k, positive, "more than 0");
    checked("c", now.c, any, "a finite number");
    checked(
        "wave_number", now.omega, [](double v) { return v >= 0; }, "0 or more");
    checked(
        "omega", now.omega, [](double v) { return v >= 0; }, "0 or more");
    checked("speed", now.speed, positive, "more than 0");
    checked("young", now.young, positive, "more than 0");
    checked(
        "poisson", now.poisson, [](double v) { return v > -1 && v < 0.5; }, "more than -1 and less than 0.5");
    checked("mu", now.mu, positive, "more than 0");
    checked("lambda", now.lambda, any, "a finite number");
  };
  const auto in_material = [&](std::int32_t tag) {
    return std::ranges::count(c.materials, tag, &PdeMaterial::tag) > 0;
  };
  check({c, c.everywhere, centres(c.mesh, [&](std::int32_t tag) { return !in_material(tag); }), equation, equation});
  for (const PdeMaterial& material : c.materials)
    check({c, material.coefficients, centres(c.mesh, [&](std::int32_t tag) { return tag == material.tag; }),
           groups.table(material.group), equation});
}

}  // namespace millrace::command
