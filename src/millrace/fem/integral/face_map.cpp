// Points and normals of faces in their cells.
#include "millrace/fem/integral/face_map.hpp"

#include "millrace/base/to_size.hpp"

namespace millrace::detail {

FaceMap::FaceMap(const CellBlock& block, int face, const Quadrature& rule)
    : inside{dim(block.cell), rule.degree, {}, rule.weights}, sign(face_sign(block.cell, face)) {
  const auto vertices = face_vertices(block.cell, face);
  const Lattice a = corner(block.cell, vertices[0]), b = corner(block.cell, vertices[1]),
                c = corner(block.cell, vertices[vertices.size() > 2 ? 2 : 0]);
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = b[d] - a[d];
    second[d] = c[d] - a[d];
  }
  for (int q = 0; q < rule.size(); ++q)
    for (std::size_t d = 0; d < to_size(inside.dim); ++d)
      inside.points.push_back(a[d] + rule.point(q)[0] * first[d] + (rule.dim > 1 ? rule.point(q)[1] * second[d] : 0));
  map = ElementMap(block.cell, block.order, inside);
}

Point FaceMap::normal(const Jacobian& j, int dim) const {
  Point t{}, s{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      t[a] += j[a][b] * first[b];
      s[a] += j[a][b] * second[b];
    }
  if (dim == 2) return {sign * t[1], -sign * t[0], 0};
  return {sign * (t[1] * s[2] - t[2] * s[1]), sign * (t[2] * s[0] - t[0] * s[2]), sign * (t[0] * s[1] - t[1] * s[0])};
}

}  // namespace millrace::detail
