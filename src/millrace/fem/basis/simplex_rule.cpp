// Rules on simplices: symmetric ones from the tables, and products of Gauss-Jacobi rules on the collapsed cube
// (Stroud 1971), which exist for every degree.
#include <algorithm>
#include <array>

#include "millrace/base/error.hpp"
#include "millrace/fem/basis/jacobi_polynomials.hpp"
#include "millrace/fem/basis/orbit_rules.hpp"
#include "millrace/fem/quadrature.hpp"

namespace millrace {
namespace {

constexpr int max_degree = 20;

struct LineRule {
  std::vector<LongReal> points, weights;
};

/// The integral of (1 - x)^a f(x) over [0,1], exact to degree 2 n - 1.
LineRule gauss_jacobi(int n, int a) {
  LineRule rule;
  for (const LongReal t : jacobi_zeros(n, a, 0)) {
    const LongReal slope = jacobi(n, a, 0, t).derivative;
    rule.points.push_back((1 + t) / 2);
    rule.weights.push_back(1 / ((1 - t * t) * slope * slope));
  }
  return rule;
}

/// Barycentric coordinates of an orbit: which value stands at which corner, and the values from its numbers.
struct Orbit {
  std::array<int, 4> value_at;
  int num_numbers;  // with the weight
  std::array<LongReal, 4> (*values)(const double* p);
};
using Values = std::array<LongReal, 4>;
constexpr std::array<Orbit, 3> triangle_orbits{{
    {{0, 0, 0}, 1, [](const double*) { return Values{LongReal(1) / 3}; }},
    {{0, 0, 1},
     2,
     [](const double* p) {
       return Values{p[0], 1 - 2 * LongReal(p[0])};
     }},
    {{0, 1, 2},
     3,
     [](const double* p) {
       return Values{p[0], p[1], 1 - LongReal(p[0]) - p[1]};
     }},
}};
constexpr std::array<Orbit, 5> tet_orbits{{
    {{0, 0, 0, 0}, 1, [](const double*) { return Values{LongReal(1) / 4}; }},
    {{0, 0, 0, 1},
     2,
     [](const double* p) {
       return Values{p[0], 1 - 3 * LongReal(p[0])};
     }},
    {{0, 0, 1, 1},
     2,
     [](const double* p) {
       return Values{p[0], LongReal(1) / 2 - p[0]};
     }},
    {{0, 0, 1, 2},
     3,
     [](const double* p) {
       return Values{p[0], p[1], 1 - 2 * LongReal(p[0]) - p[1]};
     }},
    {{0, 1, 2, 3},
     4,
     [](const double* p) {
       return Values{p[0], p[1], p[2], 1 - LongReal(p[0]) - p[1] - p[2]};
     }},
}};

/// All points of a rule that is stored by orbits.
Quadrature expand(int dim, std::span<const Orbit> kinds, const OrbitRule& stored) {
  Quadrature rule{dim, stored.degree, {}, {}};
  const double* numbers = stored.numbers.data();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    for (int n = 0; n < stored.num_orbits[kind]; ++n, numbers += kinds[kind].num_numbers) {
      const Values values = kinds[kind].values(numbers + 1);
      std::array<int, 4> at = kinds[kind].value_at;  // ascending, so that all permutations follow
      do {
        for (std::size_t d = 1; d <= static_cast<std::size_t>(dim); ++d)
          rule.points.push_back(static_cast<double>(values[static_cast<std::size_t>(at[d])]));
        rule.weights.push_back(numbers[0]);
      } while (std::next_permutation(at.begin(), at.begin() + dim + 1));
    }
  return rule;
}

void check(const char* who, int dim, int degree) {
  require(1 <= dim && dim <= 3 && 0 <= degree && degree <= max_degree, who, ": dimension ", dim, " and degree ", degree,
          " were asked for; 1 to 3 and 0 to ", max_degree, " are possible");
}

}  // namespace

Quadrature collapsed_rule(int dim, int degree) {
  check("collapsed_rule", dim, degree);
  const int n = degree / 2 + 1;
  std::array<LineRule, 3> line;  // the coordinate d of the cube stands for x_d / (1 - x_(d+1) - ..)
  for (int d = 0; d < dim; ++d) line[static_cast<std::size_t>(d)] = gauss_jacobi(n, d);
  Quadrature rule{dim, 2 * n - 1, {}, {}};
  for (int k = 0; k < (dim > 2 ? n : 1); ++k)
    for (int j = 0; j < (dim > 1 ? n : 1); ++j)
      for (int i = 0; i < n; ++i) {
        const std::array<int, 3> at = {i, j, k};
        std::array<LongReal, 3> point{};
        LongReal room = 1, weight = 1;
        for (auto d = static_cast<std::size_t>(dim); d-- > 0;) {
          const auto q = static_cast<std::size_t>(at[d]);
          point[d] = room * line[d].points[q];
          room -= point[d];
          weight *= line[d].weights[q];
        }
        for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d)
          rule.points.push_back(static_cast<double>(point[d]));
        rule.weights.push_back(static_cast<double>(weight));
      }
  return rule;
}

Quadrature simplex_rule(int dim, int degree) {
  check("simplex_rule", dim, degree);
  if (dim == 1) return gauss(degree / 2 + 1);
  for (const OrbitRule& stored : dim == 2 ? triangle_rules() : tet_rules())
    if (stored.degree >= degree) return dim == 2 ? expand(2, triangle_orbits, stored) : expand(3, tet_orbits, stored);
  return collapsed_rule(dim, degree);
}

}  // namespace millrace
