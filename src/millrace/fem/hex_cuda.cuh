// The fused kernel of hexahedra on a GPU: gather, sum factorisation to the points, physics, and all the way back, in
// one launch. Values travel as lines: a thread contracts a whole line in registers, and between two directions the
// element turns through shared memory. That is one shared load for P multiply-adds (Swirydowicz et al. 2019 have the
// idea of lines; the even and odd halves are in line_table.cuh). NVRTC compiles this file as well (source_physics.hpp).
#pragma once

#include "millrace/fem/line_table.cuh"
#include "millrace/fem/point.hpp"
#include "millrace/fem/surface_number.hpp"

namespace millrace::cuda {

/// Elements of a thread block: about 128 threads, and few idle ones in its last warp.
constexpr int hex_elements(int P, int Q) {
  constexpr int of[] = {0, 0, 32, 14, 8, 5, 4, 2, 2, 3, 2};
  return P == 9 && Q == 9 ? 1 : of[Q];
}
/// Threads wanted on a multiprocessor, which bounds the registers of each (benchmarks/records/h200-bp.json). Both:
/// value and gradient stay in registers.
constexpr int hex_threads(int P, int Q, bool both) {
  return both ? 400 : P == 6 && Q == 6 ? 900 : P == Q || Q <= 5 ? 1024 : 768;
}

constexpr int hex_row(int Q) { return Q | 1; }  // odd: lines begin in different banks
/// Numbers of shared memory of an element.
constexpr int hex_shared_size(int P, int Q, bool grad) { return (grad ? 2 * Q : P) * Q * hex_row(Q); }

/// P nodes and Q points a direction.
template <class T, int P, int Q, class Physics>
struct HexArgs {
  Index num_elem;
  const Index* offsets;  // [num_elem, P, P, P], negative where constrained
  const T* factors;      // [num_elem / E, num_stored, Q, E, Q, Q]: neighbouring threads read neighbours
  const T* x;
  T* y;
  T* slots;       // [num_elem, num_surface<P>]: what elements add to nodes they share; null: atomic sums into y
  T* block_sums;  // [thread blocks]: sums of x times what elements give back; null: nobody asks
  T alpha, beta;
  Physics physics;
  LineTable<T, Q, P, 1> interp;
  LineTable<T, Q, Q, -1> derive;  // at the points, of what has values there
};

/// One element and the Q x Q threads that share it: thread (b, c), c fastest. Each pass has another direction in
/// registers; the comments say what b, c and the line are.
template <class T, int P, int Q, class Physics>
struct HexTeam {
  static constexpr bool grad = Physics::uses_grad, on_nodes = P == Q;
  static constexpr int E = hex_elements(P, Q), S = Physics::num_stored;
  static constexpr int row = hex_row(Q), plane = Q * row, shared_size = hex_shared_size(P, Q, grad);

  static constexpr int threads = Q * Q * E, resident = hex_threads(P, Q, grad&&Physics::uses_value) / threads;

  const HexArgs<T, P, Q, Physics>& a;
  T *s_a, *s_b;  // [Q, Q, row] each; without gradients s_a [P, Q, row] alone
  int b, c;

  __device__ Index element() const { return static_cast<Index>(blockIdx.x * E + threadIdx.x / (Q * Q)); }
  __device__ bool works() const { return element() < a.num_elem; }

  __device__ T& at_a(int k, int j, int i) const { return s_a[k * plane + j * row + i]; }
  __device__ T& at_b(int k, int j, int i) const { return s_b[k * plane + j * row + i]; }
  __device__ Index node(int i, int j, int k) const {
    return a.offsets[std::int64_t{element()} * (P * P * P) + i + P * (j + P * k)];
  }
  __device__ T gather(int i, int j, int k) const {
    const Index n = works() ? node(i, j, k) : -1;
    return n >= 0 ? a.x[n] : T{};
  }

  /// Asks for the factors of the thread block while the nodes are on their way. That pays where much is read and little
  /// computed before (order 3 to 5 with points on the nodes; 5 to 15 % on an H200), and costs elsewhere.
  __device__ __forceinline__ void ask_for_factors() const {
    constexpr int bytes = S * Q * E * Q * Q * int{sizeof(T)};
    if constexpr (grad && on_nodes && Q >= 4 && Q <= 6 && bytes % 16 == 0) {
      if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(a.factors + std::int64_t{blockIdx.x} *
                                                                                        (bytes / int{sizeof(T)})),
                     "r"(bytes));
    }
  }

  /// u at the points (x = c, y = b, all z).
  __device__ __forceinline__ void evaluate(T (&r_u)[Q]) const {
    if constexpr (on_nodes) {
#pragma unroll
      for (int k = 0; k < P; ++k) r_u[k] = gather(c, b, k);
    } else {
      T r_n[P];
      if (b < P && c < P) {  // nodes (i = c, all j, k = b)
#pragma unroll
        for (int j = 0; j < P; ++j) r_n[j] = gather(c, j, b);
        a.interp.template apply<0>(r_n, r_u);
#pragma unroll
        for (int q = 0; q < Q; ++q) at_a(b, q, c) = r_u[q];
      }
      __syncthreads();
      if (b < P) {  // (all i, y = c, k = b)
#pragma unroll
        for (int i = 0; i < P; ++i) r_n[i] = at_a(b, c, i);
        a.interp.template apply<1>(r_n, r_u);
#pragma unroll
        for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_u[q];
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < P; ++k) r_n[k] = at_a(k, b, c);
      a.interp.template apply<2>(r_n, r_u);
    }
  }

  /// From u at (c, b, all z): its derivative along z into r_z, along x into s_a and along y into s_b.
  __device__ __forceinline__ void differentiate(const T (&r_u)[Q], T (&r_z)[Q]) const {
    T r_line[Q], r_derived[Q];
    a.derive.template apply<0>(r_u, r_z);
#pragma unroll
    for (int z = 0; z < Q; ++z) at_a(z, b, c) = r_u[z];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, q, c);  // (x = c, all y, z = b)
    a.derive.template apply<1>(r_line, r_derived);
#pragma unroll
    for (int q = 0; q < Q; ++q) at_b(b, q, c) = r_derived[q];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, c, q);  // (all x, y = c, z = b)
    a.derive.template apply<2>(r_line, r_derived);
#pragma unroll
    for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_derived[q];
    __syncthreads();
  }

  /// The physics at (c, b, all z), in place.
  __device__ __forceinline__ void apply_physics(T (&r_u)[Q], T (&r_z)[Q]) const {
    const T* factors = a.factors + std::int64_t{blockIdx.x} * (S * Q * E * Q * Q) + threadIdx.x;
#pragma unroll
    for (int z = 0; z < Q; ++z) {
      T r_stored[S];
#pragma unroll
      for (int s = 0; s < S; ++s) r_stored[s] = __ldcs(factors + (s * Q + z) * (E * Q * Q));
      fem::PointValue<T, 3, 1> u, v;
      u.value[0] = r_u[z];
      if constexpr (grad) u.grad[0][0] = at_a(z, b, c), u.grad[0][1] = at_b(z, b, c), u.grad[0][2] = r_z[z];
      a.physics.apply(r_stored, u, v);
      if constexpr (grad) at_a(z, b, c) = v.grad[0][0], at_b(z, b, c) = v.grad[0][1], r_z[z] = v.grad[0][2];
      if constexpr (Physics::uses_value) r_u[z] = v.value[0];
    }
  }

  /// Back from the factors of the derivatives to those of the values at (c, b, all z).
  __device__ __forceinline__ void integrate(T (&r_u)[Q], const T (&r_z)[Q]) const {
    T r_line[Q], r_back[Q];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, c, q);
    a.derive.template apply_back<3>(r_line, r_back);
#pragma unroll
    for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_back[q];
#pragma unroll
    for (int q = 0; q < Q; ++q) r_line[q] = at_b(b, q, c);
    a.derive.template apply_back<4>(r_line, r_back);
#pragma unroll
    for (int q = 0; q < Q; ++q) at_b(b, q, c) = r_back[q];
    __syncthreads();
    a.derive.template apply_back<5>(r_z, r_back);
#pragma unroll
    for (int z = 0; z < Q; ++z) {
      const T sum = at_a(z, b, c) + at_b(z, b, c) + r_back[z];
      r_u[z] = Physics::uses_value ? r_u[z] + sum : sum;
    }
  }

  /// Returns what the node adds to <x, alpha A x>.
  __device__ T scatter(int i, int j, int k, T value) const {
    const Index n = node(i, j, k);
    if (n < 0) return T{};
    value *= a.alpha;
    if (!a.slots)
      atomicAdd(a.y + n, value);
    else if (on_surface(P, i, j, k))
      a.slots[std::int64_t{element()} * num_surface(P) + surface_number<P>(i, j, k)] = value;
    else
      update(a.y[n], T{1}, value, a.beta);
    return a.block_sums ? a.x[n] * value : T{};
  }

  /// From the points (c, b, all z) to the nodes. Returns the thread's part of <x, alpha A x>.
  __device__ __forceinline__ T give_back(T (&r_u)[Q]) const {
    T product{};
    if constexpr (on_nodes) {
      if (!works()) return product;
#pragma unroll
      for (int k = 0; k < P; ++k) product += scatter(c, b, k, r_u[k]);
    } else {
      T r_n[P];
      a.interp.template apply_back<3>(r_u, r_n);
#pragma unroll
      for (int k = 0; k < P; ++k) at_a(k, b, c) = r_n[k];
      __syncthreads();
      if (b < P) {
#pragma unroll
        for (int q = 0; q < Q; ++q) r_u[q] = at_a(b, c, q);
        a.interp.template apply_back<4>(r_u, r_n);
#pragma unroll
        for (int i = 0; i < P; ++i) at_a(b, c, i) = r_n[i];
      }
      __syncthreads();
      if (!works() || b >= P || c >= P) return product;
#pragma unroll
      for (int q = 0; q < Q; ++q) r_u[q] = at_a(b, q, c);
      a.interp.template apply_back<5>(r_u, r_n);
#pragma unroll
      for (int j = 0; j < P; ++j) product += scatter(c, j, b, r_n[j]);
    }
    return product;
  }
};

/// The sum over a thread block of any size from a warp on, in a fixed order. s_sums: a number a thread, no longer in
/// use.
template <class T>
__device__ void leave_block_sum(T value, T* s_sums, T* block_sums) {
  __syncthreads();
  s_sums[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  T sum{};
  for (unsigned i = threadIdx.x; i < blockDim.x; i += 32) sum += s_sums[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
}

// Mapping  a thread block takes E elements, Q x Q threads each.
// Traffic  node numbers twice (the second time from a cache), factors once, x and y by element: neighbours share lines.
// Shared   the values of an element at one or two of its passes.
// Result   repeatable with slots, which sum_slots adds in a fixed order; without, atomic sums take any order. The dot
//          product is repeatable: a fixed order in the thread block, then over the blocks.
template <class T, int P, int Q, class Physics>
__global__ void __launch_bounds__(HexTeam<T, P, Q, Physics>::threads, HexTeam<T, P, Q, Physics>::resident)
    apply_hexes(const __grid_constant__ HexArgs<T, P, Q, Physics> args) {
  using Team = HexTeam<T, P, Q, Physics>;
  extern __shared__ char s_bytes[];
  const int local = static_cast<int>(threadIdx.x) / (Q * Q), t = static_cast<int>(threadIdx.x) - local * (Q * Q);
  T* s_a = reinterpret_cast<T*>(s_bytes) + local * Team::shared_size;
  const Team team{args, s_a, s_a + Q * Team::plane, t / Q, t % Q};
  T r_u[Q], r_z[Q];
  team.ask_for_factors();
  team.evaluate(r_u);
  if constexpr (Team::grad) team.differentiate(r_u, r_z);
  team.apply_physics(r_u, r_z);
  if constexpr (Team::grad) team.integrate(r_u, r_z);
  const T product = team.give_back(r_u);
  if (args.block_sums) leave_block_sum(product, reinterpret_cast<T*>(s_bytes), args.block_sums);
}

}  // namespace millrace::cuda
