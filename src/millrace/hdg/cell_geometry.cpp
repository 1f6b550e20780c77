// Cofactors of the Jacobian carry gradients and normals from the reference cell to the mesh.
#include "millrace/hdg/cell_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/dense.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::hdg {
namespace {

// [d][r], with det J gradient_d = sum over r of cofactor[d][r] grad_r.
Jacobian cofactors(const Jacobian& j, int dim) {
  if (dim == 2) return {Point{j[1][1], -j[1][0], 0}, Point{-j[0][1], j[0][0], 0}, Point{}};
  Jacobian found{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const std::size_t a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
      found[a][b] = j[a1][b1] * j[a2][b2] - j[a1][b2] * j[a2][b1];
    }
  return found;
}

// Outward normals of the reference simplex, as long as its face is larger than the reference face: face i is opposite
// vertex i.
double reference_normal(int face, int r) { return face == 0 ? 1 : face - 1 == r ? -1 : 0; }

}  // namespace

CellGeometry::CellGeometry(const TraceSpace& s) : space(s) {
  const int dim = s.dim(), points = s.num_points(), modes = s.cell_modes(), faces = num_face_points(),
            traces = num_traces();
  x.resize(to_size(dim * points));
  weights.resize(to_size(points));
  grads.resize(to_size(dim * points * modes));
  face_x.resize(to_size(dim * faces));
  normals.resize(to_size(dim * faces));
  areas.resize(to_size(faces));
  on_faces.resize(to_size(modes * faces));
  on_faces_transposed.resize(on_faces.size());
  mass.resize(to_size(modes * modes));
  from_u.resize(to_size(dim * modes * modes));
  from_trace.resize(to_size(dim * traces * modes));
  point_u.resize(to_size(dim * modes * points));
  point_trace.resize(to_size(dim * traces * points));
  face_point_u.resize(to_size(dim * modes * faces));
  face_point_trace.resize(to_size(dim * traces * faces));
  scratch_.resize(to_size(dim * modes * (modes + traces)));
  weighted_.resize(to_size(modes * std::max(points, faces)));
  pivots_.resize(to_size(modes));
}

void CellGeometry::evaluate(Index cell) {
  const int dim = space.dim(), points = space.num_points(), modes = space.cell_modes(), all = num_face_points(),
            per_face = space.num_face_points();
  const std::span<const Index> nodes = space.nodes_of(cell);
  volume = perimeter = 0;
  for (int p = 0; p < points; ++p) {
    const Jacobian j = jacobian(space.mesh(), nodes, space.geometry(), p), cofactor = cofactors(j, dim);
    const Point place = map_point(space.mesh(), nodes, space.geometry(), p);
    const double weight = space.weights()[to_size(p)];
    weights[to_size(p)] = weight * determinant(j, dim);
    volume += weights[to_size(p)];
    for (int d = 0; d < dim; ++d) {
      x[to_size(d * points + p)] = place[to_size(d)];
      double* const to = grads.data() + (d * points + p) * modes;
      std::fill(to, to + modes, 0.0);
      for (int r = 0; r < dim; ++r) {
        const double factor = weight * cofactor[to_size(d)][to_size(r)];
        const double* from = space.cell_grads().data() + (r * points + p) * modes;
        for (int i = 0; i < modes; ++i) to[i] += factor * from[i];
      }
    }
  }
  for (int face = 0; face < space.faces_per_cell(); ++face) {
    const int code = space.code(cell, face);
    const Table& table = space.cell_on_face(face, code);
    for (int i = 0; i < modes; ++i)
      std::copy_n(table.values.data() + i * per_face, per_face, on_faces.data() + i * all + face * per_face);
    std::copy(table.transposed.begin(), table.transposed.end(), on_faces_transposed.begin() + face * per_face * modes);
    for (int p = 0; p < per_face; ++p) {
      const GeometryTable& map = space.geometry_on_face(face, code);
      const Jacobian cofactor = cofactors(jacobian(space.mesh(), nodes, map, p), dim);
      const Point place = map_point(space.mesh(), nodes, map, p);
      const int at = face * per_face + p;
      double normal[3] = {}, square = 0;
      for (int d = 0; d < dim; ++d) {
        for (int r = 0; r < dim; ++r) normal[d] += cofactor[to_size(d)][to_size(r)] * reference_normal(face, r);
        square += normal[d] * normal[d];
      }
      const double length = std::sqrt(square);
      areas[to_size(at)] = length * space.face_weights()[to_size(p)];
      perimeter += areas[to_size(at)];
      for (int d = 0; d < dim; ++d) {
        face_x[to_size(d * all + at)] = place[to_size(d)];
        normals[to_size(d * all + at)] = normal[d] / length;
      }
    }
  }
  // mass = sum over points of weight phi_i phi_k
  for (int p = 0; p < points; ++p)
    for (int i = 0; i < modes; ++i)
      weighted_[to_size(p * modes + i)] = weights[to_size(p)] * space.cell().transposed[to_size(p * modes + i)];
  std::fill(mass.begin(), mass.end(), 0.0);
  dense::add_product<double>({weighted_.data(), modes, points}, {space.cell().values.data(), points, modes},
                             dense::Block<double>(mass.data(), modes, modes));
}

void CellGeometry::make_gradients() {
  using dense::Block;
  const int dim = space.dim(), points = space.num_points(), modes = space.cell_modes(), all = num_face_points(),
            traces = num_traces(), per_face = space.num_face_points(), face_modes = space.face_modes();
  // Right-hand sides: -(phi_k, d_j phi_i), and <lambda_k, phi_i n_j>, for all j.
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
  const Block<double> rhs(scratch_.data(), modes, dim * (modes + traces));
  for (int j = 0; j < dim; ++j) {
    dense::add_product<double>({grads.data() + j * points * modes, modes, points},
                               {space.cell().values.data(), points, modes}, rhs.part(0, j * modes, modes, modes), -1.0);
    for (int face = 0; face < space.faces_per_cell(); ++face) {
      for (int p = 0; p < per_face; ++p) {
        const int at = face * per_face + p;
        const double factor = areas[to_size(at)] * normals[to_size(j * all + at)];
        for (int i = 0; i < modes; ++i) weighted_[to_size(p * modes + i)] = factor * on_faces[to_size(i * all + at)];
      }
      dense::add_product<double>({weighted_.data(), modes, per_face},
                                 {space.face().values.data(), per_face, face_modes},
                                 rhs.part(0, dim * modes + j * traces + face * face_modes, modes, face_modes));
    }
  }
  std::vector<double>& factors = weighted_;  // done with it
  if (std::ssize(factors) < std::ssize(mass)) factors.resize(mass.size());
  std::copy(mass.begin(), mass.end(), factors.begin());
  const Block<double> lu(factors.data(), modes, modes);
  require(dense::factorise(lu, pivots_.data()) == 0, "hdg: a cell of volume ", volume, " is degenerate");
  dense::solve<double>(lu, pivots_.data(), rhs);
  std::copy_n(scratch_.data(), from_u.size(), from_u.data());
  std::copy_n(scratch_.data() + from_u.size(), from_trace.size(), from_trace.data());
  const auto at_points = [&](const double* table, int num, const double* from, int columns, std::vector<double>& to) {
    std::fill(to.begin(), to.end(), 0.0);
    dense::add_product<double>({table, num, modes}, {from, modes, columns}, Block<double>(to.data(), num, columns));
  };
  at_points(space.cell().values.data(), points, from_u.data(), dim * modes, point_u);
  at_points(space.cell().values.data(), points, from_trace.data(), dim * traces, point_trace);
  at_points(on_faces.data(), all, from_u.data(), dim * modes, face_point_u);
  at_points(on_faces.data(), all, from_trace.data(), dim * traces, face_point_trace);
}

}  // namespace millrace::hdg
