// Lagrange functions of a line, Silvester's (1969) products on simplices, and sums over nodes direction by direction.
#include "millrace/mesh/places/lattice_functions.hpp"

namespace millrace::detail {
namespace {

/// Functions of the nodes i / order of [0, 1].
void fill_line(int order, double x, double* values, double* slopes) {
  for (int i = 0; i <= order; ++i) {
    double value = 1, slope = 0;
    for (int m = 0; m <= order; ++m) {
      if (m == i) continue;
      const double scale = 1.0 / (i - m), factor = (order * x - m) * scale;
      slope = slope * factor + value * order * scale;
      value *= factor;
    }
    values[i] = value;
    slopes[i] = slope;
  }
}

/// prod_{m < i} (p l - m) / (m + 1) for i = 0 .. p: one at line i of the lattice, zero at the lines before it.
void fill_silvester(int p, double l, double* values, double* slopes) {
  values[0] = 1;
  slopes[0] = 0;
  for (int i = 0; i < p; ++i) {
    const double scale = 1.0 / (i + 1), factor = (p * l - i) * scale;
    values[i + 1] = values[i] * factor;
    slopes[i + 1] = slopes[i] * factor + values[i] * p * scale;
  }
}

void fill_simplex(int dims, int p, const double* xi, PointTable& table) {
  double f[4][9], s[4][9];  // of each coordinate, and of the rest to 1
  double rest = 1;
  for (int d = 0; d < 3; ++d) {
    fill_silvester(d < dims ? p : 0, d < dims ? xi[d] : 0, f[d], s[d]);
    if (d < dims) rest -= xi[d];
  }
  fill_silvester(p, rest, f[3], s[3]);
  const int num = num_nodes(table.cell, p);
  int n = 0;
  for (int k = 0; k <= (dims > 2 ? p : 0); ++k)
    for (int j = 0; j <= p - k; ++j)
      for (int i = 0; i <= p - j - k; ++i, ++n) {
        const double r = f[3][p - i - j - k], along = f[0][i] * f[1][j] * f[2][k], less = along * s[3][p - i - j - k];
        table.values[n] = along * r;
        table.slopes[n] = s[0][i] * f[1][j] * f[2][k] * r - less;
        table.slopes[num + n] = f[0][i] * s[1][j] * f[2][k] * r - less;
        if (dims > 2) table.slopes[2 * num + n] = f[0][i] * f[1][j] * s[2][k] * r - less;
      }
}

PointSum sum_tensor(const PointTable& t, const double* c, int stride) {
  const int p = t.order + 1, dims = dim(t.cell);
  const double *v0 = t.values, *v1 = v0 + p, *v2 = v1 + p, *s0 = t.slopes, *s1 = s0 + p, *s2 = s1 + p;
  PointSum sum;
  for (int k = 0; k < (dims > 2 ? p : 1); ++k) {
    double value = 0, along_x = 0, along_y = 0;  // of a plane
    for (int j = 0; j < p; ++j) {
      double line = 0, line_slope = 0;
      for (int i = 0; i < p; ++i, c += stride) {
        line += v0[i] * *c;
        line_slope += s0[i] * *c;
      }
      value += v1[j] * line;
      along_x += v1[j] * line_slope;
      along_y += s1[j] * line;
    }
    if (dims == 2) return {value, {along_x, along_y, 0}};
    sum.value += v2[k] * value;
    sum.slope[0] += v2[k] * along_x;
    sum.slope[1] += v2[k] * along_y;
    sum.slope[2] += s2[k] * value;
  }
  return sum;
}

}  // namespace

void fill_lattice_functions(Cell cell, int order, const double* xi, PointTable& table) {
  table.cell = cell;
  table.order = order;
  if (!is_tensor(cell)) return fill_simplex(dim(cell), order, xi, table);
  for (int d = 0; d < dim(cell); ++d)
    fill_line(order, xi[d], table.values + d * (order + 1), table.slopes + d * (order + 1));
}

PointSum sum_functions(const PointTable& table, const double* coefficients, int stride) {
  if (is_tensor(table.cell)) return sum_tensor(table, coefficients, stride);
  const int num = num_nodes(table.cell, table.order), dims = dim(table.cell);
  PointSum sum;
  for (int n = 0; n < num; ++n) sum.value += table.values[n] * coefficients[n * stride];
  for (int d = 0; d < dims; ++d)
    for (int n = 0; n < num; ++n) sum.slope[d] += table.slopes[d * num + n] * coefficients[n * stride];
  return sum;
}

}  // namespace millrace::detail
