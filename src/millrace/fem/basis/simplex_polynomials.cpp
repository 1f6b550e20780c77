// Orthonormal polynomials on simplices without the singular vertex of collapsed coordinates: s^n P_n^(a,0)(u / s) obeys
// a recurrence in u and s that holds at s = 0 too, and gradients go along with it.
#include "millrace/fem/basis/simplex_polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/fem/basis/jacobi_polynomials.hpp"
#include "millrace/fem/basis/simplex_nodes.hpp"

namespace millrace {
namespace {

// LongReal numbers in hardware; where they are in software, large products are in double.
using Sum = std::conditional_t<std::numeric_limits<LongReal>::digits == 64, LongReal, double>;

/// A value and its gradient.
struct Jet {
  LongReal value = 0, d[3] = {0, 0, 0};

  friend Jet operator*(LongReal a, const Jet& b) { return {a * b.value, {a * b.d[0], a * b.d[1], a * b.d[2]}}; }
  friend Jet operator+(const Jet& a, const Jet& b) {
    return {a.value + b.value, {a.d[0] + b.d[0], a.d[1] + b.d[1], a.d[2] + b.d[2]}};
  }
  friend Jet operator*(const Jet& a, const Jet& b) {
    Jet product{a.value * b.value, {}};
    for (int i = 0; i < 3; ++i) product.d[i] = a.value * b.d[i] + a.d[i] * b.value;
    return product;
  }
};

/// s^n P_n^(a,0)(u / s) for n = 0 .. order.
std::vector<Jet> homogeneous_jacobi(int order, int a, const Jet& u, const Jet& s) {
  std::vector<Jet> p{Jet{1, {}}};
  if (order > 0) p.push_back((LongReal(a + 2) / 2) * u + (LongReal(a) / 2) * s);
  for (int k = 1; k < order; ++k) {  // as jacobi.cpp with b = 0
    const LongReal twice = 2 * k + a, next = 2 * (k + 1) * LongReal(k + 1 + a) * twice;
    const LongReal constant = (twice + 1) * a * a, slope = twice * (twice + 1) * (twice + 2);
    const LongReal last = 2 * LongReal(k + a) * k * (twice + 2);
    const auto n = static_cast<std::size_t>(k);
    p.push_back(((constant / next) * s + (slope / next) * u) * p[n] + (-last / next) * (s * (s * p[n - 1])));
  }
  return p;
}

/// a^-1 in the place of a, n x n: Gauss-Jordan elimination with row exchanges, undone as column exchanges at the end.
void invert(std::vector<LongReal>& a, std::size_t n) {
  std::vector<std::size_t> pivots;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    require(std::abs(a[pivot * n + k]) > std::numeric_limits<double>::epsilon(), "tabulate_simplex: these ", n,
            " nodes do not determine a polynomial; nodes must be distinct and on no curve or surface of the order");
    pivots.push_back(pivot);
    for (std::size_t j = 0; j < n && pivot != k; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    const LongReal scale = 1 / std::exchange(a[k * n + k], 1);
    for (std::size_t j = 0; j < n; ++j) a[k * n + j] *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const LongReal factor = std::exchange(a[i * n + k], 0);
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  for (std::size_t k = n; k-- > 0;)
    for (std::size_t i = 0; i < n && pivots[k] != k; ++i) std::swap(a[i * n + k], a[i * n + pivots[k]]);
}

}  // namespace

SimplexPolynomials simplex_polynomials(int dim, int order, const double* point) {
  Jet coordinate[3], s[4] = {{1, {}}, {1, {}}, {1, {}}, {1, {}}};  // s[d] = 1 - the coordinates from d on
  for (int d = 0; d < dim; ++d) {
    coordinate[d].value = point[d];
    coordinate[d].d[d] = 1;
  }
  for (int d = dim - 1; d >= 0; --d) s[d] = s[d + 1] + LongReal(-1) * coordinate[d];
  // Along direction d the coordinate runs from 0 to s[d + 1]; u = 2 x - s is -s at one end and s at the other.
  const auto along = [&](int d, int a) {
    return homogeneous_jacobi(order, a, LongReal(2) * coordinate[d] + LongReal(-1) * s[d + 1], s[d + 1]);
  };
  std::vector<std::vector<Jet>> second, third;  // [i][j] of P_j^(2 i + 1) and [i + j][k] of P_k^(2 (i + j) + 2)
  const std::vector<Jet> first = along(0, 0);
  for (int i = 0; i <= order && dim > 1; ++i) second.push_back(along(1, 2 * i + 1));
  for (int i = 0; i <= order && dim > 2; ++i) third.push_back(along(2, 2 * i + 2));
  const auto num = static_cast<std::size_t>(num_nodes(simplex(dim), order)), most = static_cast<std::size_t>(order);
  SimplexPolynomials all{std::vector<LongReal>(num), std::vector<LongReal>(num * static_cast<std::size_t>(dim))};
  std::size_t n = 0;
  for (std::size_t k = 0; k <= (dim > 2 ? most : 0); ++k)
    for (std::size_t j = 0; j <= (dim > 1 ? most - k : 0); ++j)
      for (std::size_t i = 0; i <= most - j - k; ++i, ++n) {
        LongReal norm =
            static_cast<LongReal>(2 * i + 1);  // the inverse square of each factor's integral along its direction
        Jet p = first[i];
        if (dim > 1) {
          p = p * second[i][j];
          norm *= static_cast<LongReal>(2 * (i + j) + 2);
        }
        if (dim > 2) {
          p = p * third[i + j][k];
          norm *= static_cast<LongReal>(2 * (i + j + k) + 3);
        }
        p = std::sqrt(norm) * p;
        all.values[n] = p.value;
        for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) all.gradients[d * num + n] = p.d[d];
      }
  return all;
}

SimplexTable tabulate_simplex(int dim, int order, std::span<const double> nodes, std::span<const double> points) {
  const auto d = static_cast<std::size_t>(dim), num = static_cast<std::size_t>(num_nodes(simplex(dim), order));
  require(nodes.size() == num * d && points.size() % d == 0, "tabulate_simplex: order ", order, " in dimension ", dim,
          " has ", num, " nodes of ", dim, " coordinates; ", nodes.size(), " numbers were given, and ", points.size(),
          " for the points");
  std::vector<LongReal> vandermonde;  // [node, polynomial]
  for (std::size_t i = 0; i < num; ++i) {
    const SimplexPolynomials p = simplex_polynomials(dim, order, nodes.data() + i * d);
    vandermonde.insert(vandermonde.end(), p.values.begin(), p.values.end());
  }
  invert(vandermonde, num);
  const std::vector<Sum> coefficients(vandermonde.begin(), vandermonde.end());  // [polynomial, node]
  const std::size_t size = points.size() / d;
  SimplexTable table{std::vector<double>(size * num), std::vector<double>(d * size * num)};
  std::vector<Sum> sum(num);
  const auto combine = [&](const LongReal* polynomial, double* row) {
    std::fill(sum.begin(), sum.end(), Sum{0});
    for (std::size_t k = 0; k < num; ++k)
      for (std::size_t i = 0; i < num; ++i) sum[i] += static_cast<Sum>(polynomial[k]) * coefficients[k * num + i];
    for (std::size_t i = 0; i < num; ++i) row[i] = static_cast<double>(sum[i]);
  };
  for (std::size_t q = 0; q < size; ++q) {
    const SimplexPolynomials p = simplex_polynomials(dim, order, points.data() + q * d);
    combine(p.values.data(), table.values.data() + q * num);
    for (std::size_t c = 0; c < d; ++c)
      combine(p.gradients.data() + c * num, table.gradients.data() + (c * size + q) * num);
  }
  return table;
}

}  // namespace millrace
