// The physics at a point of a hex on a GPU, with what it needs of the geometry recomputed there.
#pragma once

#include "millrace/fem/hex/args.cuh"
#include "millrace/fem/hex/trilinear_map.hpp"

namespace millrace::cuda {

constexpr int max_geometry_nodes = 5;  // per direction, of order 4

/// The maps of all elements, Q points per direction. Those with straight edges are in HexArgs::factors.
template <class T, int Q>
struct HexGeometry {
  T place[Q], weight[Q];  // of a direction, from -1/2 to 1/2
  // Of curved elements:
  int num_nodes;                                                        // per direction
  const Index* cell_nodes;                                              // [num_elem, num_nodes^3]
  const double* points;                                                 // [points of the mesh, 3]
  T values[Q][max_geometry_nodes], derivatives[Q][max_geometry_nodes];  // of the equispaced nodes, at the points
};

template <class T, int P, int Q, class Physics>
struct RecomputedArgs {
  HexArgs<T, P, Q, Physics> hexes;
  HexGeometry<T, Q> geometry;
};

/// Right to 20 bits.
__device__ inline void guess_reciprocal(double number, double& guess) {
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(number));
}
/// Right to the last bit or two, in 3 multiply-adds: the error of a guess cubed. An IEEE division takes 8 and a branch.
__device__ __forceinline__ double reciprocal(double number) {
  double guess;
  guess_reciprocal(number, guess);
  const double error = fma(-number, guess, 1.0);
  return fma(guess, fma(error, error, error), guess);
}
__device__ __forceinline__ float reciprocal(float number) { return 1.0f / number; }

/// The physics at a point, from its Jacobian. Diffusion takes 48 multiplications and multiply-adds: cofactors and
/// determinant 21, the reciprocal 3, the scale 3, the flux 21. By `store` and `apply` it would be 73: cofactors 21,
/// division 8, inverse 9, metric and scale 26, flux 9.
template <class T, class Physics>
__device__ __forceinline__ void apply_recomputed_at_point(const Physics& physics, const T (&r_jacobian)[3][3], T weight,
                                                          const fem::PointValue<T, 3, 1>& u,
                                                          fem::PointValue<T, 3, 1>& v) {
  fem::PointCofactors<T> at;
  fem::find_cofactors(r_jacobian, at);
  at.inverse_det = reciprocal(at.det);
  at.weight = weight;
  physics.apply_with(at, u, v);
}
/// At the q-th of Q points of a line, with q known to the compiler.
template <int Q, class T, class Line>
__device__ __forceinline__ void find_jacobian(const Line& line, const HexGeometry<T, Q>& g, int q, T (&r_to)[3][3]) {
  if (2 * q + 1 == Q)
    line.evaluate_middle(r_to);
  else
    line.evaluate(g.place[q], r_to);
}

}  // namespace millrace::cuda
