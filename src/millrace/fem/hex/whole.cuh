// The fused kernel of small hexahedra on a GPU: a thread keeps a whole element in registers, so that nothing turns and
// nobody waits, and neighbouring threads read and write neighbours. NVRTC compiles this file as well.
#pragma once

#include "millrace/fem/hex/linear.cuh"

namespace millrace::cuda {

/// The numbers of the nodes of a thread block, from order 2 on.
constexpr int whole_shared_bytes(int P) { return P > 2 ? whole_threads * P * P * P * int{sizeof(Index)} : 0; }

/// One element: plane after plane of points along z, and there line after line along y. Gradients only where points are
/// nodes.
template <class T, int P, int Q, class Physics>
struct WholeHex {
  static constexpr bool grad = Physics::uses_grad, on_nodes = P == Q;
  static_assert(on_nodes || !grad);
  const HexArgs<T, P, Q, Physics>& a;
  const T* factors;  // of the element; whole_threads apart
  T product{};       // of the element's unknowns and what comes out

  /// The physics at line (y, z) of points, in place; r_x, r_y, r_z: the gradient.
  __device__ __forceinline__ void apply_physics(int z, int y, T (&r_u)[Q], T (&r_x)[Q], T (&r_y)[Q], T (&r_z)[Q]) {
#pragma unroll
    for (int x = 0; x < Q; ++x)
      product += apply_at_point(a.physics, factors + (z * Q * Q + y * Q + x) * whole_threads, Q * Q * Q * whole_threads,
                                r_u[x], r_x[x], r_y[x], r_z[x]);
  }

  /// Adds what plane z, where points are nodes, gives to all nodes.
  __device__ __forceinline__ void add_plane_of_nodes(int z, const T (&r_u)[P][P][P], T (&r_sum)[P][P][P]) {
#pragma unroll
    for (int y = 0; y < P; ++y) {
      T r_line[P], r_x[P]{}, r_y[P]{}, r_z[P]{};
#pragma unroll
      for (int x = 0; x < P; ++x) r_line[x] = r_u[z][y][x];
      if constexpr (grad) {
        a.derive.template apply<0>(r_line, r_x);
#pragma unroll
        for (int n = 0; n < P; ++n)
#pragma unroll
          for (int x = 0; x < P; ++x) {
            r_y[x] = fma(a.derive.entry(y, n), r_u[z][n][x], r_y[x]);
            r_z[x] = fma(a.derive.entry(z, n), r_u[n][y][x], r_z[x]);
          }
      }
      apply_physics(z, y, r_line, r_x, r_y, r_z);
      if constexpr (grad) {
        T r_back[P];
        a.derive.template apply_back<1>(r_x, r_back);
#pragma unroll
        for (int x = 0; x < P; ++x) r_line[x] += r_back[x];
#pragma unroll
        for (int n = 0; n < P; ++n)
#pragma unroll
          for (int x = 0; x < P; ++x) {
            r_sum[z][n][x] = fma(a.derive.entry(y, n), r_y[x], r_sum[z][n][x]);
            r_sum[n][y][x] = fma(a.derive.entry(z, n), r_z[x], r_sum[n][y][x]);
          }
      }
#pragma unroll
      for (int x = 0; x < P; ++x) r_sum[z][y][x] += r_line[x];
    }
  }

  /// The same where points lie between nodes.
  __device__ __forceinline__ void add_plane(int z, const T (&r_u)[P][P][P], T (&r_sum)[P][P][P]) {
    T r_plane[P][P]{}, r_back[P][P]{};
#pragma unroll
    for (int n = 0; n < P * P * P; ++n) {
      T& sum = r_plane[n / P % P][n % P];
      sum = fma(a.interp.entry(z, n / (P * P)), r_u[n / (P * P)][n / P % P][n % P], sum);
    }
#pragma unroll
    for (int y = 0; y < Q; ++y) {
      T r_nodes[P]{}, r_points[Q], r_none[Q];
#pragma unroll
      for (int n = 0; n < P * P; ++n)
        r_nodes[n % P] = fma(a.interp.entry(y, n / P), r_plane[n / P][n % P], r_nodes[n % P]);
      a.interp.template apply<0>(r_nodes, r_points);
      apply_physics(z, y, r_points, r_none, r_none, r_none);
      a.interp.template apply_back<1>(r_points, r_nodes);
#pragma unroll
      for (int n = 0; n < P * P; ++n)
        r_back[n / P][n % P] = fma(a.interp.entry(y, n / P), r_nodes[n % P], r_back[n / P][n % P]);
    }
#pragma unroll
    for (int n = 0; n < P * P * P; ++n) {
      T& sum = r_sum[n / (P * P)][n / P % P][n % P];
      sum = fma(a.interp.entry(z, n / (P * P)), r_back[n / P % P][n % P], sum);
    }
  }

  /// In place, from the nodes to the nodes [z][y][x].
  __device__ __forceinline__ void apply(T (&r_u)[P][P][P]) {
    T r_sum[P][P][P]{};
#pragma unroll
    for (int z = 0; z < Q; ++z)
      if constexpr (on_nodes)
        add_plane_of_nodes(z, r_u, r_sum);
      else
        add_plane(z, r_u, r_sum);
#pragma unroll
    for (int n = 0; n < P * P * P; ++n) r_u[n / (P * P)][n / P % P][n % P] = r_sum[n / (P * P)][n / P % P][n % P];
  }
};

/// The nodes of a thread's element: from order 2 on they stay in shared memory, [elements of a warp, P, P, P].
template <class T, int P, int Q, class Physics>
struct WholeHexes {
  static constexpr int size = P * P * P;
  static constexpr bool keeps = P == 2;  // numbers in registers
  using Hex = std::conditional_t<P == 2, LinearHex<T, Q, Physics>, WholeHex<T, P, Q, Physics>>;

  const HexArgs<T, P, Q, Physics>& a;
  Index* s_numbers;
  Index e;
  bool works;

  static __device__ WholeHexes make(const HexArgs<T, P, Q, Physics>& a, char* s_bytes) {
    const Index e = static_cast<Index>(blockIdx.x) * whole_threads + static_cast<Index>(threadIdx.x);
    return {a, reinterpret_cast<Index*>(s_bytes) + threadIdx.x / 32 * (32 * size), e, e < a.num_elem};
  }

  /// Brings the numbers of the warp's nodes to shared memory, or a thread's eight to its registers.
  __device__ __forceinline__ void fetch(Index (&r_numbers)[8]) const {
    if constexpr (keeps) {
      const auto* pairs = reinterpret_cast<const int4*>(a.offsets + std::int64_t{e} * 8);
      if (works) reinterpret_cast<int4&>(r_numbers[0]) = pairs[0], reinterpret_cast<int4&>(r_numbers[4]) = pairs[1];
    } else {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      const std::int64_t first = std::int64_t{e - lane} * size, end = std::int64_t{a.num_elem} * size;
#pragma unroll
      for (int n = 0; n < size; ++n)
        if (first + n * 32 + lane < end) s_numbers[n * 32 + lane] = __ldcs(a.offsets + first + n * 32 + lane);
      __syncwarp();
    }
  }
  __device__ __forceinline__ Index number(const Index (&r_numbers)[8], int n) const {
    if constexpr (keeps)
      return r_numbers[n];
    else
      return s_numbers[static_cast<int>(threadIdx.x) % 32 * size + n];
  }

  /// Adds up what elements of the warp share, and scatters it, atomically or into contributions.
  template <bool to_contributions>
  __device__ __forceinline__ void scatter_to_nodes(const Index (&r_numbers)[8], const T (&r_u)[P][P][P],
                                                   int bits) const {
    if (!works) return;
#pragma unroll
    for (int n = 0; n < size; ++n) {
      const int i = n % P, x = entity_class(P, i), y = entity_class(P, n / P % P), z = entity_class(P, n / (P * P));
      const Index to = number(r_numbers, n);
      if (to < 0 || (i == P - 1 && (bits & FaceMerge::with_next))) continue;
      const T value = a.alpha * r_u[n / (P * P)][n / P % P][i];
      if (x == 1 && y == 1 && z == 1)
        update(a.y[to], T{1}, value, a.beta);
      else if (x == 0 && y == 1 && z == 1 && (bits & FaceMerge::with_previous))
        update(a.y[to], T{1}, value, a.face_beta);
      else if constexpr (to_contributions)
        a.contributions[hex_contribution<P>(e, entity_place<P>(i, n / P % P, n / (P * P)))] = value;
      else
        atomicAdd(a.y + to, value);
    }
  }

  /// All of it, with stored factors.
  __device__ __forceinline__ T apply() const {
    const std::int64_t first = std::int64_t{blockIdx.x} * (Physics::num_stored * Q * Q * Q * whole_threads);
    return apply([&](T(&r_u)[P][P][P]) {
      Hex hex{a, a.factors + first + threadIdx.x};
      hex.apply(r_u);
      return hex.product;
    });
  }
  /// From gather to scatter: apply_element(r_u), in place, returns its part of <x, A x>, which is returned.
  template <class ApplyElement>
  __device__ __forceinline__ T apply(ApplyElement&& apply_element) const {
    T product{}, r_u[P][P][P]{};
    Index r_numbers[8];
    int bits = 0;
    fetch(r_numbers);
    if (works) {
#pragma unroll
      for (int n = 0; n < size; ++n) {
        const Index from = number(r_numbers, n);
        if (from >= 0) r_u[n / (P * P)][n / P % P][n % P] = a.x[from];
      }
      product = apply_element(r_u);
      bits = a.merges ? a.merges[e] : 0;
    }
#pragma unroll
    for (int n = 0; n < P * P; ++n) {  // what the element before has at its last x
      const T before = __shfl_up_sync(0xffffffffu, r_u[n / P][n % P][P - 1], 1);
      if (bits & FaceMerge::with_previous) r_u[n / P][n % P][0] += before;
    }
    if (a.contributions)
      scatter_to_nodes<true>(r_numbers, r_u, bits);
    else
      scatter_to_nodes<false>(r_numbers, r_u, bits);
    return product;
  }
};

}  // namespace millrace::cuda
