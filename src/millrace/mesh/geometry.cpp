// Lagrange functions: products in one dimension for tensor cells, Silvester's (1969) products of barycentric
// coordinates for simplices. Gauss points by Newton's method.
#include "millrace/mesh/geometry.hpp"
#include "millrace/base/to_size.hpp"

#include <cmath>
#include <numbers>

namespace millrace {
namespace {

struct Value {
  double value, slope;
};

// Node i of the equispaced Lagrange functions of order p on [0, 1].
Value lagrange(int p, int i, double x) {
  Value f{1, 0};
  for (int m = 0; m <= p; ++m) {
    if (m == i) continue;
    const double scale = 1.0 / (i - m);
    f.slope = (f.slope * (p * x - m) + f.value * p) * scale;
    f.value *= (p * x - m) * scale;
  }
  return f;
}

// prod_{m < i} (p l - m) / (m + 1): one at the i-th line of the lattice, zero at the lines before it.
Value silvester(int p, int i, double l) {
  Value f{1, 0};
  for (int m = 0; m < i; ++m) {
    f.slope = (f.slope * (p * l - m) + f.value * p) / (m + 1);
    f.value *= (p * l - m) / (m + 1);
  }
  return f;
}

// Value and gradient of the function of one node.
std::array<double, 4> node_function(Cell cell, int order, const Lattice& at, const Point& x) {
  std::array<double, 4> f{1, 1, 1, 1};
  const auto dims = to_size(dim(cell));
  if (is_tensor(cell)) {
    for (std::size_t d = 0; d < dims; ++d) {
      const Value one = lagrange(order, at[d], x[d]);
      for (std::size_t k = 0; k <= dims; ++k) f[k] *= k == d + 1 ? one.slope : one.value;
    }
    return f;
  }
  const Value rest = silvester(order, order - at[0] - at[1] - at[2], 1 - x[0] - x[1] - x[2]);
  double along = 1;
  f = {0, 1, 1, 1};
  for (std::size_t d = 0; d < dims; ++d) {
    const Value one = silvester(order, at[d], x[d]);
    along *= one.value;
    for (std::size_t k = 1; k <= dims; ++k) f[k] *= k == d + 1 ? one.slope : one.value;
  }
  for (std::size_t k = 1; k <= dims; ++k) f[k] = f[k] * rest.value - along * rest.slope;
  f[0] = along * rest.value;
  return f;
}

// Points and weights of Gauss's rule on [0, 1], the points ascending.
std::vector<std::array<double, 2>> gauss_points(int n) {
  std::vector<std::array<double, 2>> rule;
  for (int k = 0; k < n; ++k) {
    double x = -std::cos(std::numbers::pi * (k + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 8; ++step) {
      double p = 1, before = 0;
      for (int m = 0; m < n; ++m) {
        const double next = ((2 * m + 1) * x * p - m * before) / (m + 1);
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    rule.push_back({(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)});
  }
  return rule;
}

}  // namespace

GeometryTable tabulate_geometry(Cell cell, int order, std::span<const Point> points) {
  const auto nodes = lattice(cell, order);
  GeometryTable table{dim(cell), static_cast<int>(points.size()), static_cast<int>(nodes.size()), {}, {}};
  table.values.resize(points.size() * nodes.size());
  table.grads.resize(to_size(table.dim) * table.values.size());
  for (std::size_t q = 0; q < points.size(); ++q)
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto f = node_function(cell, order, nodes[n], points[q]);
      table.values[q * nodes.size() + n] = f[0];
      for (std::size_t d = 0; d < to_size(table.dim); ++d)
        table.grads[(d * points.size() + q) * nodes.size() + n] = f[d + 1];
    }
  return table;
}

VolumeRule make_volume_rule(Cell cell, int n) {
  VolumeRule rule;
  const auto line = gauss_points(n);
  const int d = dim(cell), last_j = d > 1 ? n : 1, last_k = d > 2 ? n : 1;
  for (int k = 0; k < last_k; ++k)
    for (int j = 0; j < last_j; ++j)
      for (int i = 0; i < n; ++i) {
        Point x{line[to_size(i)][0], d > 1 ? line[to_size(j)][0] : 0, d > 2 ? line[to_size(k)][0] : 0};
        double weight = line[to_size(i)][1] * (d > 1 ? line[to_size(j)][1] : 1) * (d > 2 ? line[to_size(k)][1] : 1);
        if (!is_tensor(cell)) {  // (x, y, z) to (x (1 - y)(1 - z), y (1 - z), z)
          weight *= (1 - x[1]) * (1 - x[2]) * (1 - x[2]);
          x = {x[0] * (1 - x[1]) * (1 - x[2]), x[1] * (1 - x[2]), x[2]};
        }
        rule.points.push_back(x);
        rule.weights.push_back(weight);
      }
  return rule;
}

std::vector<Point> lattice_points(Cell cell, int order) {
  std::vector<Point> points;
  for (const Lattice& at : lattice(cell, order))
    points.push_back({double(at[0]) / order, double(at[1]) / order, double(at[2]) / order});
  return points;
}

Jacobian jacobian(const Mesh& mesh, std::span<const Index> nodes, const GeometryTable& table, int point) {
  Jacobian j{};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const double* x = mesh.points.data() + static_cast<Offset>(nodes[n]) * mesh.dim;
    for (int b = 0; b < table.dim; ++b) {
      const double slope = table.grads[to_size(b * table.num_points + point) * nodes.size() + n];
      for (int a = 0; a < mesh.dim; ++a) j[to_size(a)][to_size(b)] += x[a] * slope;
    }
  }
  return j;
}

double determinant(const Jacobian& j, int dim) {
  if (dim == 1) return j[0][0];
  if (dim == 2) return j[0][0] * j[1][1] - j[0][1] * j[1][0];
  return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) - j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
         j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
}

Point map_point(const Mesh& mesh, std::span<const Index> nodes, const GeometryTable& table, int point) {
  Point x{};
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (int a = 0; a < mesh.dim; ++a)
      x[to_size(a)] += mesh.points.data()[static_cast<Offset>(nodes[n]) * mesh.dim + a] *
                       table.values[to_size(point) * nodes.size() + n];
  return x;
}

}  // namespace millrace
