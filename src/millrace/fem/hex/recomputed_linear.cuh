// The fused kernel of hexahedra of order 1 with straight edges and recomputed factors: one thread per element.
#pragma once

#include "millrace/fem/hex/recomputed_point.cuh"
#include "millrace/fem/hex/whole.cuh"

namespace millrace::cuda {

/// One element. Its unknown is trilinear as its map is, and has the same kind of coefficients (hex/trilinear_map.hpp):
/// in a plane of points they are four, along a line two, and derivatives are coefficients themselves. The way back is
/// the same, transposed.
template <class T, int Q, class Physics>
struct RecomputedLinearHex {
  static constexpr bool grad = Physics::uses_grad, value = Physics::uses_value;
  using Line = fem::HexLine<T, 1, 2>;  // along x

  const Physics& physics;
  const HexGeometry<T, Q>& g;
  const T* map;  // of the element, numbers whole_threads apart
  T product{};   // of the element's unknowns and what comes out

  /// At the x-th point of a line, and what meets its coefficients; with x known to the compiler.
  __device__ __forceinline__ T evaluate(int x, const T (&c)[2]) const {
    return 2 * x + 1 == Q ? c[0] : fma(g.place[x], c[1], c[0]);
  }
  __device__ __forceinline__ void add(int x, T number, T (&r_c)[2]) const {
    r_c[0] += number;
    if (2 * x + 1 != Q) r_c[1] = fma(g.place[x], number, r_c[1]);
  }

  /// A line of points, by coefficients of u, du/dy and du/dz. Adds what meets those.
  __device__ __forceinline__ void apply_line(const Line& line, T weight, const T (&u)[2], const T (&dy)[2],
                                             const T (&dz)[2], T (&r_u)[2], T (&r_dy)[2], T (&r_dz)[2]) {
#pragma unroll
    for (int x = 0; x < Q; ++x) {
      fem::PointValue<T, 3, 1> in, out;
      if constexpr (value) in.value[0] = evaluate(x, u);
      if constexpr (grad) in.grad[0][0] = u[1], in.grad[0][1] = evaluate(x, dy), in.grad[0][2] = evaluate(x, dz);
      T r_jacobian[3][3];
      find_jacobian(line, g, x, r_jacobian);
      apply_recomputed_at_point(physics, r_jacobian, weight * g.weight[x], in, out);
      if constexpr (!grad) product += point_product<Physics>(in, out);
      if constexpr (value) add(x, out.value[0], r_u);
      if constexpr (grad) r_u[1] += out.grad[0][0], add(x, out.grad[0][1], r_dy), add(x, out.grad[0][2], r_dz);
    }
  }

  /// In place, from the nodes to the nodes [z, y, x].
  __device__ __forceinline__ void apply(T (&r_u)[8]) {
    T r_sum[8]{};  // what meets the coefficients
    fem::find_hex_map(r_u);
#pragma unroll 1
    for (int z = 0; z < Q; ++z) {
      T r_plane[4], r_plane_sum[2]{}, r_dy_sum[2]{};
#pragma unroll
      for (int n = 0; n < 4; ++n) r_plane[n] = fma(g.place[z], r_u[4 + n], r_u[n]);
      const T dy[2] = {r_plane[2], r_plane[3]};
#pragma unroll 1
      for (int y = 0; y < Q; ++y) {
        const T place = g.place[y];
        const T u[2] = {fma(place, dy[0], r_plane[0]), fma(place, dy[1], r_plane[1])};
        const T dz[2] = {fma(place, r_u[6], r_u[4]), fma(place, r_u[7], r_u[5])};
        T r_line[2]{}, r_dz[2]{};
        apply_line(Line::template from<whole_threads>(map, place, g.place[z]), g.weight[y] * g.weight[z], u, dy, dz,
                   r_line, r_dy_sum, r_dz);
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          r_plane_sum[n] += r_line[n], r_dy_sum[n] = fma(place, r_line[n], r_dy_sum[n]);
          r_sum[4 + n] += r_dz[n], r_sum[6 + n] = fma(place, r_dz[n], r_sum[6 + n]);
        }
      }
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const T sum = n < 2 ? r_plane_sum[n] : r_dy_sum[n - 2];
        r_sum[n] += sum, r_sum[4 + n] = fma(g.place[z], sum, r_sum[4 + n]);
      }
    }
    fem::spread_hex_map(r_sum);
#pragma unroll
    for (int n = 0; n < 8; ++n) r_u[n] = r_sum[n];
  }
};

// Mapping  one thread per element. Maps [num_elem / whole_threads, hex_map_size, whole_threads].
// Traffic  node numbers once, maps once and again from a cache, x and y by element: neighbours share lines.
// Result   repeatable with contributions, which are added up in a fixed order; atomic sums take any order.
template <class T, int Q, class Physics>
__global__ void __launch_bounds__(whole_threads, (recomputed_hex_tuning<2, Q, Physics, false>().resident))
    apply_linear_hexes_recomputed(const __grid_constant__ RecomputedArgs<T, 2, Q, Physics> args) {
  __shared__ T s_sums[whole_threads];
  const auto whole = WholeHexes<T, 2, Q, Physics>::make(args.hexes, nullptr);
  const T* maps = args.hexes.factors + std::int64_t{blockIdx.x} * (fem::hex_map_size * whole_threads);
  constexpr int unused = 3 * whole_threads;  // the places of the middles
  if (threadIdx.x == 0)                      // while the nodes are on their way
    prefetch(maps + unused, (fem::hex_map_size * whole_threads - unused) * int{sizeof(T)});
  const T product = whole.apply([&](T(&r_nodes)[2][2][2]) {
    T r_u[8];
#pragma unroll
    for (int n = 0; n < 8; ++n) r_u[n] = r_nodes[n / 4][n / 2 % 2][n % 2];
    RecomputedLinearHex<T, Q, Physics> hex{args.hexes.physics, args.geometry, maps + threadIdx.x};
    hex.apply(r_u);
#pragma unroll
    for (int n = 0; n < 8; ++n) r_nodes[n / 4][n / 2 % 2][n % 2] = r_u[n];
    return hex.product;
  });
  if (args.hexes.block_sums) write_block_sum(args.hexes.alpha * product, s_sums, args.hexes.block_sums);
}

}  // namespace millrace::cuda
