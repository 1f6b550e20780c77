// What the tests of multigrid share: dense matrices, small Laplacians, and lattices of springs.
#pragma once

#include <array>

#include "../precond_tools.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/sparse/assemble.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {

/// f throws an Error whose text has these words.
template <class F>
void expect_words(F&& f, const std::string& words) {
  const std::string text = error_of(f);
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

/// [num_rows, num_cols], repeated entries added up.
template <class T>
std::vector<double> dense_of(const Csr<T>& a) {
  std::vector<double> m(to_size(Offset{a.num_rows} * a.num_cols), 0.0);
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      m[to_size(Offset{r} * a.num_cols + a.cols.data()[s])] += static_cast<double>(a.vals.data()[s]);
  return m;
}

/// The Laplacian of a graph of nx x ny points without a boundary: rows add up to zero.
inline Csr<double> neumann_grid(Index nx, Index ny) {
  std::vector<Triplet<double>> entries;
  const auto connect = [&](Index i, Index j) {
    entries.push_back({i, i, 1.0}), entries.push_back({j, j, 1.0});
    entries.push_back({i, j, -1.0}), entries.push_back({j, i, -1.0});
  };
  for (Index y = 0; y < ny; ++y)
    for (Index x = 0; x < nx; ++x) {
      if (x + 1 < nx) connect(y * nx + x, y * nx + x + 1);
      if (y + 1 < ny) connect(y * nx + x, y * nx + x + nx);
    }
  return make_csr(nx * ny, nx * ny, entries);
}

/// The matrix whose blocks are the entries of `a` times a dense b x b one, of c [b, b]: as many unknowns a node.
inline Csr<double> kron(const Csr<double>& a, const std::vector<double>& c, Index b) {
  std::vector<Triplet<double>> entries;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      for (Index i = 0; i < b; ++i)
        for (Index j = 0; j < b; ++j)
          entries.push_back({b * r + i, b * a.cols.data()[s] + j, a.vals.data()[s] * c[to_size(b * i + j)]});
  return make_csr(b * a.num_rows, b * a.num_cols, entries);
}

/// n x n points in the plane, joined by springs to their eight neighbours; two unknowns a point. With `held` the points
/// of the first column are tied to the ground.
struct Lattice {
  Csr<double> matrix;
  std::vector<double> points{};  // [n n, 2]
};
inline Lattice spring_lattice(Index n, bool held) {
  std::vector<Triplet<double>> entries;
  Lattice made;
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) made.points.push_back(x), made.points.push_back(y);
  const auto join = [&](Index p, Index q, double dx, double dy) {
    const double length = dx * dx + dy * dy, d[2] = {dx, dy};
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 2; ++j) {
        const double k = d[i] * d[j] / length;
        entries.push_back({2 * p + i, 2 * p + j, k}), entries.push_back({2 * q + i, 2 * q + j, k});
        entries.push_back({2 * p + i, 2 * q + j, -k}), entries.push_back({2 * q + i, 2 * p + j, -k});
      }
  };
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) {
      const Index p = y * n + x;
      if (x + 1 < n) join(p, p + 1, 1, 0);
      if (y + 1 < n) join(p, p + n, 0, 1);
      if (x + 1 < n && y + 1 < n) join(p, p + n + 1, 1, 1), join(p + 1, p + n, -1, 1);
      if (held && x == 0) entries.push_back({2 * p, 2 * p, 1.0}), entries.push_back({2 * p + 1, 2 * p + 1, 1.0});
    }
  made.matrix = make_csr(2 * n * n, 2 * n * n, entries);
  return made;
}

/// The same in space, [n n n, 3] points with up to 26 neighbours, held at x = 0.
inline Lattice spring_cube(Index n) {
  std::vector<Triplet<double>> entries;
  Lattice made;
  const auto join = [&](Index p, Index q, const std::array<double, 3>& d) {
    const double length = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) {
        const double k = d[to_size(i)] * d[to_size(j)] / length;
        entries.push_back({3 * p + i, 3 * p + j, k}), entries.push_back({3 * q + i, 3 * q + j, k});
        entries.push_back({3 * p + i, 3 * q + j, -k}), entries.push_back({3 * q + i, 3 * p + j, -k});
      }
  };
  const auto inside = [&](Index i) { return i >= 0 && i < n; };
  for (Index z = 0; z < n; ++z)
    for (Index y = 0; y < n; ++y)
      for (Index x = 0; x < n; ++x) {
        const Index p = (z * n + y) * n + x;
        made.points.insert(made.points.end(), {1.0 * x, 1.0 * y, 1.0 * z});
        for (Index k = 14; k < 27; ++k) {  // half of the neighbours; the others join from their side
          const Index dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
          if (inside(x + dx) && inside(y + dy) && inside(z + dz))
            join(p, p + (dz * n + dy) * n + dx, {1.0 * dx, 1.0 * dy, 1.0 * dz});
        }
        if (x == 0)
          for (Index i = 0; i < 3; ++i) entries.push_back({3 * p + i, 3 * p + i, 1.0});
      }
  made.matrix = make_csr(3 * n * n * n, 3 * n * n * n, entries);
  return made;
}

}  // namespace millrace::testing
