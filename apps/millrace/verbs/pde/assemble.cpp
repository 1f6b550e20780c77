// Volume terms with coefficients by group, loads, fluxes, Robin's terms and given values, one after another.
#include "verbs/pde/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "millrace/base/error.hpp"
#include "millrace/base/sort_unique.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/fem/dirichlet.hpp"
#include "millrace/fem/element_sum.hpp"
#include "millrace/fem/load.hpp"
#include "millrace/fem/physics.hpp"
#include "millrace/mesh/locate.hpp"
#include "millrace/sparse/matrix.hpp"
#include "verbs/pde/manufactured.hpp"

namespace millrace::command {
namespace {

constexpr int max_simplex_degree = 20;

Points points_of(const PdeCase& c) { return {.degree = std::min(2 * c.order + 2, max_simplex_degree)}; }

template <class T, int D>
millrace::Point place_of(const fem::PointGeometry<T, D>& g) {
  millrace::Point x{};
  for (int d = 0; d < D; ++d) x[to_size(d)] = g.x[d];
  return x;
}

// A coefficient of the case where it is asked for; the case must live as long as the operator is made.
struct CaseCoefficient {
  const PdeCase* c = nullptr;
  Expression PdeCoefficients::*which = nullptr;

  template <class T, int D>
  T operator()(const fem::PointGeometry<T, D>& g) const {
    return T((c->coefficients(g.group).*which).at(place_of(g), c->time));
  }
};

// One component of the velocity.
struct CaseVelocity {
  const PdeCase* c = nullptr;
  std::size_t component = 0;

  template <class T, int D>
  T operator()(const fem::PointGeometry<T, D>& g) const {
    return T(c->coefficients(g.group).velocity[component].at(place_of(g), c->time));
  }
};

// (k grad u, grad v) + (velocity . grad u + c u, v).
template <int D>
struct Transport {
  static constexpr int dim = D, comps = 1, num_coefficients = 2 + D;
  static constexpr bool takes_lanes = true;
  CaseCoefficient k{}, c{};
  CaseVelocity velocity[unsigned(D)] = {};

  template <class P, class Visit>
  static void each_coefficient(P& f, Visit&& visit) {
    visit(f.k);
    visit(f.c);
    for (auto& component : f.velocity) visit(component);
  }
  template <class T>
  void operator()(const fem::FieldsAt<T, D>& at, const T* u, const T (*grad)[unsigned(D)], T* v,
                  T (*flux)[unsigned(D)]) const {
    v[0] = at.coefficient[1] * u[0];
    for (int d = 0; d < D; ++d) {
      v[0] = v[0] + at.coefficient[2 + d] * grad[0][d];
      flux[0][d] = at.coefficient[0] * grad[0][d];
    }
  }
};

template <int D>
Csr<double> volume_matrix(Queue& queue, const PdeCase& c, const Space& space) {
  const auto assembled = [&](const auto& physics) {
    return make_element_sum<double>(c.mesh, space, physics, {.points = points_of(c)}).assemble(queue);
  };
  const CaseCoefficient k{&c, &PdeCoefficients::k}, reaction{&c, &PdeCoefficients::c};
  if (c.kind == PdeKind::elasticity)
    return assembled(fem::Elasticity<D, CaseCoefficient, CaseCoefficient>{{&c, &PdeCoefficients::lambda},
                                                                          {&c, &PdeCoefficients::mu}});
  if (c.kind != PdeKind::convection_diffusion)
    return assembled(fem::Helmholtz<D, CaseCoefficient, CaseCoefficient>{k, reaction});
  fem::Pointwise<Transport<D>> transport{{k, reaction}};
  for (int d = 0; d < D; ++d) transport.f.velocity[d] = {&c, to_size(d)};
  return assembled(transport);
}

// A function of the place that writes all components, as loads take it.
template <class Write>
PlaceFunction place_function(int comps, const Write& write) {
  if (comps == 1)
    return [write](const millrace::Point& x, const millrace::Point& normal) {
      double value = 0;
      write(x, normal, &value);
      return value;
    };
  return [write](const millrace::Point& x, const millrace::Point& normal) {
    millrace::Point value{};
    write(x, normal, value.data());
    return value;
  };
}

// The tags of cells with coefficients of their own, and as one list those of all other cells.
struct TagsOf {
  const PdeCoefficients* coefficients;
  std::vector<std::int32_t> tags;
};
std::vector<TagsOf> tags_by_coefficients(const PdeCase& c) {
  std::vector<std::int32_t> tags;
  for (const CellBlock& block : c.mesh.blocks)
    tags.insert(tags.end(), block.tag.span().begin(), block.tag.span().end());
  sort_unique(tags);
  std::vector<TagsOf> found;
  for (const std::int32_t tag : tags) {
    const PdeCoefficients* mine = &c.coefficients(tag);
    const auto same = std::ranges::find(found, mine, &TagsOf::coefficients);
    if (same == found.end())
      found.push_back({mine, {tag}});
    else
      same->tags.push_back(tag);
  }
  return found;
}

void add_sources(Queue& queue, const PdeCase& c, const Space& space, Vectors<double> b) {
  for (const TagsOf& part : tags_by_coefficients(c)) {
    const PdeCoefficients& mine = *part.coefficients;
    if (!c.manufactured && mine.source.empty()) continue;
    const auto write = [&](const millrace::Point& x, double* value) {
      if (c.manufactured) return exact_source(c, mine, x, value);
      for (std::size_t i = 0; i < mine.source.size(); ++i) value[i] = mine.source[i].at(x, c.time);
    };
    const LoadOptions options{.points = points_of(c), .groups = part.tags};
    if (c.comps() == 1)
      add_load<double>(
          queue, c.mesh, space,
          [&](const millrace::Point& x) {
            double value = 0;
            write(x, &value);
            return value;
          },
          b, options);
    else
      add_load<double>(
          queue, c.mesh, space,
          [&](const millrace::Point& x) {
            millrace::Point value{};
            write(x, value.data());
            return value;
          },
          b, options);
  }
}

bool has_flux(const PdeCondition& condition) {
  return condition.exact_flux || std::ranges::any_of(condition.flux, [](const Expression& flux) {
           return !(flux.is_constant() && flux.at({}) == 0);
         });
}

// The pattern of faces is part of that of their cells.
void add_to(Csr<double>& matrix, const Csr<double>& faces) {
  for (Index row = 0; row < faces.num_rows; ++row) {
    const Index* const first = matrix.cols.data() + matrix.row_begin(row);
    const Index* const last = first + matrix.row_length(row);
    for (Offset k = faces.row_begin(row); k < faces.row_begin(row + 1); ++k) {
      const Index* const at = std::lower_bound(first, last, faces.cols.data()[k]);
      require(at != last && *at == faces.cols.data()[k], "pde: the matrix of the cells has no entry at row ", row,
              ", column ", faces.cols.data()[k], ", where a boundary face needs one");
      matrix.vals.data()[at - matrix.cols.data()] += faces.vals.data()[k];
    }
  }
}

void add_conditions(Queue& queue, const PdeCase& c, const Space& space, Csr<double>& matrix, Vectors<double> b) {
  const int comps = c.comps();
  const Topology topology = make_topology(c.mesh, space.sides);
  std::optional<CellFinder> finder;  // which coefficients a face has, where there are several
  for (const PdeCondition& condition : c.conditions) {
    if (!condition.alpha && !has_flux(condition)) continue;
    const Boundary boundary = make_boundary(c.mesh, space, condition.tag, {.topology = &topology});
    if (condition.alpha) {
      const auto alpha = [&](const millrace::Point& x) { return condition.alpha->at(x, c.time); };
      add_to(matrix, BoundaryOperator<double>(boundary, alpha).assemble(queue));
    }
    if (!has_flux(condition)) continue;
    if (condition.exact_flux && !c.materials.empty() && !finder) finder.emplace(c.mesh);
    const auto write = [&](const millrace::Point& x, const millrace::Point& normal, double* flux) {
      if (condition.exact_flux) {
        const PdeCoefficients* mine = &c.everywhere;
        if (finder) {
          const Location at = finder->locate(x, Outside::nearest);
          mine = &c.coefficients(c.mesh.blocks[to_size(at.block)].tag.data()[at.cell]);
        }
        exact_flux(c, *mine, x, normal, flux);
      }
      for (int i = 0; i < comps; ++i) flux[i] += condition.flux[to_size(i)].at(x, c.time);
    };
    add_boundary_load<double>(queue, boundary, place_function(comps, write), b);
  }
}

Dirichlet given_values(const PdeCase& c, const Space& space) {
  Dirichlet given(c.mesh, space);
  for (const PdeCondition& condition : c.conditions)
    for (int i = 0; i < c.comps(); ++i) {
      const std::optional<Expression>& value = condition.value[to_size(i)];
      if (value) given.set(condition.tag, [&](const millrace::Point& x) { return value->at(x, c.time); }, {i});
    }
  return given;
}

void check_finite(const PdeCase& c, std::span<const double> numbers, std::string_view what) {
  require(std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }), c.file, ": ", what,
          " has entries that are no finite numbers; a formula of the case divides by zero or overflows somewhere");
}

}  // namespace

PdeSystem assemble_pde(Queue& queue, const PdeCase& c) {
  PdeSystem system;
  Space& space = system.space;
  space = make_space(c.mesh, c.order, c.comps());
  const auto size = to_size(space.num_dofs());
  system.rhs.resize(size);
  system.start.resize(size);
  const Vectors<double> b(system.rhs);
  Csr<double> matrix = c.dim() == 2 ? volume_matrix<2>(queue, c, space) : volume_matrix<3>(queue, c, space);
  add_sources(queue, c, space, b);
  add_conditions(queue, c, space, matrix, b);
  const Dirichlet given = given_values(c, space);
  check_finite(c, matrix.vals.span(), "the matrix");
  check_finite(c, given.values(), "the list of given values");
  check_finite(c, system.rhs, "the right-hand side");
  for (std::size_t i = 0; i < given.entries().size(); ++i)
    system.start[to_size(given.entries()[i])] = given.values()[i];
  system.num_given = std::ssize(given.entries());
  if (given.entries().empty()) {
    system.matrix = std::move(matrix);
    return system;
  }
  system.matrix = eliminate(matrix, given.entries());
  lift<double>(queue, SparseMatrix<double>(std::move(matrix)), given, b);
  return system;
}

}  // namespace millrace::command
