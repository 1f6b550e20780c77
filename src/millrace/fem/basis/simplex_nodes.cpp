// Warp and blend in barycentric coordinates L_0 .. L_dim. On an edge the nodes of a lattice move to those of
// Gauss-Lobatto; into the face and the volume that warp is blended. A move along the edge (b, c) takes from L_b what
// it gives to L_c. Warburton, "An explicit construction of interpolation nodes on the simplex" (2006).
#include "millrace/fem/basis/simplex_nodes.hpp"

#include <array>
#include <cmath>

#include "millrace/base/error.hpp"
#include "millrace/fem/basis/jacobi_polynomials.hpp"
#include "millrace/fem/basis/lagrange.hpp"
#include "millrace/fem/quadrature.hpp"

namespace millrace {
namespace {

constexpr int max_order = 8;
// How much a warp grows inside: Warburton's figures for the smallest Lebesgue constants, [order].
constexpr std::array<double, max_order + 1> alpha_triangle = {0, 0, 0, 1.4152, 0.1001, 0.2751, 0.9800, 1.0999, 1.2832};
constexpr std::array<double, max_order + 1> alpha_tet = {0, 0, 0, 0, 0.1002, 1.1332, 1.5608, 1.3413, 1.2577};

using Barycentric = std::array<LongReal, 4>;

class Warp {
 public:
  Warp(int order, double alpha) : lagrange_(equispaced(order)), alpha_(alpha), at_node_(lagrange_.nodes.size()) {
    const std::vector<double> target = gauss_lobatto(order + 1).points;
    for (std::size_t i = 0; i < target.size(); ++i) move_.push_back(target[i] - lagrange_.nodes[i]);
  }

  /// Adds to `shift` the warps of the three edges of the triangle (a, b, c), each blended into it.
  void triangle(const Barycentric& l, int a, int b, int c, LongReal scale, Barycentric& shift) const {
    edge(l, b, c, scale * (1 + square(alpha_ * at(l, a))), shift);
    edge(l, c, a, scale * (1 + square(alpha_ * at(l, b))), shift);
    edge(l, a, b, scale * (1 + square(alpha_ * at(l, c))), shift);
  }

  /// Adds the warp of the edge (b, c) with the blend 4 L_b L_c / (1 - t^2), t = L_c - L_b; that is 1 on the edge.
  void edge(const Barycentric& l, int b, int c, LongReal scale, Barycentric& shift) const {
    const LongReal product = at(l, b) * at(l, c), t = at(l, c) - at(l, b);
    if (product <= 0) return;
    lagrange_.evaluate(static_cast<double>((1 + t) / 2), at_node_);
    LongReal warp = 0;
    for (std::size_t i = 0; i < move_.size(); ++i) warp += static_cast<LongReal>(move_[i]) * at_node_[i];
    warp *= scale * 4 * product / (1 - t * t);
    at(shift, c) += warp;
    at(shift, b) -= warp;
  }

  LongReal alpha() const { return alpha_; }
  static LongReal square(LongReal x) { return x * x; }
  static LongReal at(const Barycentric& l, int i) { return l[static_cast<std::size_t>(i)]; }
  static LongReal& at(Barycentric& l, int i) { return l[static_cast<std::size_t>(i)]; }

 private:
  Lagrange lagrange_;  // of the equispaced nodes of an edge
  LongReal alpha_;
  std::vector<double> move_;             // [order + 1]: from there to the Gauss-Lobatto nodes
  mutable std::vector<double> at_node_;  // [order + 1], work space
};

/// The warps of the four faces, each blended into the volume; on an edge, that edge's alone.
void tet(const Warp& warp, const std::array<int, 4>& index, const Barycentric& l, Barycentric& shift) {
  std::array<int, 4> inside{};  // vertices whose coordinate is not zero
  int num_inside = 0;
  for (int v = 0; v < 4; ++v)
    if (index[static_cast<std::size_t>(v)] > 0) inside[static_cast<std::size_t>(num_inside++)] = v;
  if (num_inside < 2) return;
  if (num_inside == 2) return warp.edge(l, inside[0], inside[1], 1, shift);
  constexpr int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  for (int f = 0; f < 4; ++f) {
    const auto& [a, b, c] = faces[f];
    const LongReal away = Warp::at(l, f);
    const LongReal la = Warp::at(l, a), lb = Warp::at(l, b), lc = Warp::at(l, c);
    const LongReal blend = la * lb * lc / ((la + away / 2) * (lb + away / 2) * (lc + away / 2));
    warp.triangle(l, a, b, c, blend * (1 + Warp::square(warp.alpha() * away)), shift);
  }
}

void check(const char* who, int dim, int order, int most) {
  require(1 <= dim && dim <= 3 && 1 <= order && order <= most, who, ": dimension ", dim, " and order ", order,
          " were asked for; 1 to 3 and 1 to ", most, " are possible");
}

}  // namespace

std::vector<double> equispaced_simplex_nodes(int dim, int order) {
  check("equispaced_simplex_nodes", dim, order, 16);
  std::vector<double> nodes;
  for (const Lattice& at : lattice(simplex(dim), order))
    for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) nodes.push_back(static_cast<double>(at[d]) / order);
  return nodes;
}

std::vector<double> simplex_nodes(int dim, int order) {
  check("simplex_nodes", dim, order, max_order);
  if (dim == 1) return gauss_lobatto(order + 1).points;
  const auto alphas = dim == 2 ? alpha_triangle : alpha_tet;
  const Warp warp(order, alphas[static_cast<std::size_t>(order)]);
  std::vector<double> nodes;
  for (const Lattice& at : lattice(simplex(dim), order)) {
    const std::array<int, 4> index = {order - at[0] - at[1] - at[2], at[0], at[1], at[2]};
    Barycentric l{}, shift{};
    for (std::size_t v = 0; v < 4; ++v) l[v] = static_cast<LongReal>(index[v]) / order;
    if (dim == 2)
      warp.triangle(l, 0, 1, 2, 1, shift);
    else
      tet(warp, index, l, shift);
    for (std::size_t d = 1; d <= static_cast<std::size_t>(dim); ++d)
      nodes.push_back(static_cast<double>(l[d] + shift[d]));
  }
  return nodes;
}

}  // namespace millrace
