// One thread's element of order 1 (whole.cuh), where derivatives are differences.
#pragma once

#include "millrace/fem/hex/args.cuh"

namespace millrace::cuda {

/// One element, all of it in registers.
template <class T, int Q, class Physics>
struct LinearHex {
  static constexpr bool grad = Physics::uses_grad;
  const HexArgs<T, 2, Q, Physics>& a;
  const T* factors;  // of the element; whole_threads apart
  T product{};       // of the element's unknowns and what comes out

  /// One plane of points: r_n [y][x] between nodes there, r_dz their derivatives along z. Gives back what meets them.
  __device__ __forceinline__ void apply_plane(int z, const T (&r_n)[2][2], const T (&r_dz)[2][2], T (&r_out)[2][2],
                                              T (&r_out_dz)[2][2]) {
    T r_y[2][Q], r_dz_y[2][Q], r_dy[Q]{};         // at the points of y [x][y]; d/dy at the points of x
    T r_back[2][Q], r_back_dz[2][Q], r_sum[Q]{};  // the same, on the way back
    line(r_n[0][0], r_n[1][0], r_y[0]), line(r_n[0][1], r_n[1][1], r_y[1]);
    if constexpr (grad) {
      line(r_dz[0][0], r_dz[1][0], r_dz_y[0]), line(r_dz[0][1], r_dz[1][1], r_dz_y[1]);
      line(r_n[1][0] - r_n[0][0], r_n[1][1] - r_n[0][1], r_dy);
    }
#pragma unroll
    for (int y = 0; y < Q; ++y) {
      T r_value[Q]{}, r_dz_x[Q]{}, r_dx{};
      if constexpr (Physics::uses_value) line(r_y[0][y], r_y[1][y], r_value);
      if constexpr (grad) line(r_dz_y[0][y], r_dz_y[1][y], r_dz_x);
#pragma unroll
      for (int x = 0; x < Q; ++x) {
        T dx = r_y[1][y] - r_y[0][y], dy = r_dy[x];
        product += apply_at_point(a.physics, factors + (z * Q * Q + y * Q + x) * whole_threads,
                                  Q * Q * Q * whole_threads, r_value[x], dx, dy, r_dz_x[x]);
        if constexpr (grad) r_dx += dx, r_sum[x] += dy;
      }
      r_back[0][y] = r_back[1][y] = T{};
      if constexpr (Physics::uses_value) line_back(r_value, r_back[0][y], r_back[1][y]);
      if constexpr (grad) {
        r_back[0][y] -= r_dx, r_back[1][y] += r_dx;
        line_back(r_dz_x, r_back_dz[0][y], r_back_dz[1][y]);
      }
    }
    line_back(r_back[0], r_out[0][0], r_out[1][0]), line_back(r_back[1], r_out[0][1], r_out[1][1]);
    if constexpr (grad) {
      line_back(r_back_dz[0], r_out_dz[0][0], r_out_dz[1][0]), line_back(r_back_dz[1], r_out_dz[0][1], r_out_dz[1][1]);
      T r_dy_back[2];
      line_back(r_sum, r_dy_back[0], r_dy_back[1]);
#pragma unroll
      for (int x = 0; x < 2; ++x) r_out[0][x] -= r_dy_back[x], r_out[1][x] += r_dy_back[x];
    }
  }

  __device__ __forceinline__ void line(T first, T second, T (&r_points)[Q]) const {
    const T r_nodes[2] = {first, second};
    a.interp.template apply<0>(r_nodes, r_points);
  }
  __device__ __forceinline__ void line_back(const T (&r_points)[Q], T& first, T& second) const {
    T r_nodes[2];
    a.interp.template apply_back<1>(r_points, r_nodes);
    first = r_nodes[0], second = r_nodes[1];
  }

  /// In place, from the nodes to the nodes [z][y][x].
  __device__ __forceinline__ void apply(T (&r_u)[2][2][2]) {
    T r_dz[2][2], r_sum[2][2][2]{};
#pragma unroll
    for (int n = 0; n < 4; ++n) r_dz[n / 2][n % 2] = r_u[1][n / 2][n % 2] - r_u[0][n / 2][n % 2];
#pragma unroll
    for (int z = 0; z < Q; ++z) {
      const T upper = a.interp.entry(z, 1), lower = a.interp.entry(z, 0);
      T r_plane[2][2], r_out[2][2], r_out_dz[2][2]{};
#pragma unroll
      for (int n = 0; n < 4; ++n)
        r_plane[n / 2][n % 2] = fma(upper, r_u[1][n / 2][n % 2], lower * r_u[0][n / 2][n % 2]);
      apply_plane(z, r_plane, r_dz, r_out, r_out_dz);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const T out = r_out[n / 2][n % 2], dz = r_out_dz[n / 2][n % 2];
        r_sum[0][n / 2][n % 2] += fma(lower, out, -dz);
        r_sum[1][n / 2][n % 2] += fma(upper, out, dz);
      }
    }
#pragma unroll
    for (int n = 0; n < 8; ++n) r_u[n / 4][n / 2 % 2][n % 2] = r_sum[n / 4][n / 2 % 2][n % 2];
  }
};

}  // namespace millrace::cuda
