// The fused operator of hexahedra on a GPU: gather, sum factorisation to the points, physics, and all the way back, in
// one launch (kernel.cuh). Values travel as lines: a thread contracts a whole line in registers, and between
// two directions the element turns through shared memory. That is one shared load for P multiply-adds (Swirydowicz et
// al. 2019 have the idea of lines; the even and odd halves are in line_table.cuh). NVRTC compiles this file as well.
#pragma once

#include "millrace/fem/hex/args.cuh"

namespace millrace::cuda {

constexpr int hex_row(int Q) { return Q | 1; }  // odd: lines begin in different banks
/// Numbers of shared memory of an element.
constexpr int hex_shared_size(int P, int Q, bool grad) { return (grad ? 2 * Q : P) * Q * hex_row(Q); }

/// The nodes of a line along z of an element: its ends and what lies between.
template <int P>
struct HexLineNodes {
  Index end[2], middle, step;        // numbers; the middle ones are middle + step * (n - 1)
  Index end_place[2], middle_place;  // where the contribution of the element to them lies

  __device__ Index node(int n) const { return n == 0 ? end[0] : n == P - 1 ? end[1] : middle + step * (n - 1); }
  __device__ Index place(int n) const {
    return n == 0 ? end_place[0] : n == P - 1 ? end_place[1] : middle_place + step * (n - 1);
  }
};

/// One element and the Q x Q threads that share it: thread (b, c), c fastest. Each pass has another direction in
/// registers; the comments say what b, c and the line are. Nodes come and go in lines along z, so that neighbouring
/// threads have the nodes of a plane, which lie together. Points have their line along v: where points are nodes,
/// (u, v) is (y, z), else (z, y).
template <class T, int P, int Q, class Physics, bool recomputed = false, bool curved = false>
struct HexTeam {
  static constexpr HexTuning tuning =
      recomputed ? recomputed_hex_tuning<P, Q, Physics, curved>() : stored_hex_tuning<P, Q, Physics>();
  static constexpr bool grad = Physics::uses_grad, on_nodes = P == Q, in_warp = hex_lines_in_warp(Q);
  static constexpr bool has_idle = in_warp && 32 % (Q * Q) != 0;
  static constexpr int per_warp = hex_lines_per_warp(Q);  // elements, if they lie in one
  static constexpr int E = tuning.elements, S = Physics::num_stored;
  static constexpr int row = hex_row(Q), plane = Q * row, shared_size = hex_shared_size(P, Q, grad);
  static constexpr int U = on_nodes ? 1 : 2, V = 3 - U;  // directions u and v
  /// Uses of a LineTable; -1: the compiler may keep it in registers.
  MILLRACE_HD static constexpr int derive_use(int use) { return tuning.kept_tables > 0 ? -1 : use; }
  MILLRACE_HD static constexpr int interp_use(int use) { return tuning.kept_tables > 1 ? -1 : use; }
  using Nodes = HexLineNodes<P>;
  struct PointFactors {
    T values[S];
  };

  const HexArgs<T, P, Q, Physics>& a;
  T *s_a, *s_b;  // [Q, Q, row] each; without gradients s_a [P, Q, row] alone
  int local, b, c;

  /// The team of a thread. Idle threads are at b = c = Q.
  static __device__ HexTeam make(const HexArgs<T, P, Q, Physics>& a, T* s_all) {
    constexpr unsigned a_plane = Q * Q;
    const unsigned thread = threadIdx.x, n = in_warp ? thread % 32 : thread;  // division is cheaper without a sign
    const unsigned which = n / a_plane, t = n % a_plane;
    const bool idle = has_idle && which >= unsigned{per_warp};
    const int local = static_cast<int>(!in_warp ? which : thread / 32 * unsigned{per_warp} + (idle ? 0 : which));
    T* s_a = s_all + local * shared_size;
    const int at_b = static_cast<int>(t / unsigned{Q}), at_c = static_cast<int>(t % unsigned{Q});
    return {a, s_a, s_a + Q * plane, local, idle ? Q : at_b, idle ? Q : at_c};
  }
  __device__ void wait() const {
    if constexpr (in_warp)
      __syncwarp();
    else
      __syncthreads();
  }

  __device__ Index element() const { return static_cast<Index>(blockIdx.x) * E + local; }
  __device__ bool here() const { return !has_idle || b < Q; }
  __device__ bool works() const { return here() && element() < a.num_elem; }

  __device__ T& at_a(int k, int j, int i) const { return s_a[k * plane + j * row + i]; }
  __device__ T& at_b(int k, int j, int i) const { return s_b[k * plane + j * row + i]; }

  /// Of the line of nodes at (i = c, j = b, all k), if the thread has one and there are entities.
  __device__ __forceinline__ Nodes find_nodes() const {
    Nodes nodes{};
    if (!a.entities || !works() || b >= P || c >= P) return nodes;
    const std::int64_t first = std::int64_t{element()} * 27;
    const int x = entity_class(P, c), y = entity_class(P, b);
#pragma unroll
    for (int z = 0; z < 3; ++z) {
      if (z == 1 && P == 2) continue;
      const EntityNodes entity = load_entity(a.entities + first + x + 3 * y + 9 * z);
      const int aside = entity.step[0] * (c - 1) + entity.step[1] * (b - 1);
      const Index node = entity.first + aside, place = entity_begin(P, x, y, z) + aside + entity.before;
      if (z == 1)
        nodes.middle = node, nodes.step = entity.step[2], nodes.middle_place = place;
      else
        nodes.end[z / 2] = node, nodes.end_place[z / 2] = place;
    }
    return nodes;
  }
  /// The number of the k-th node of that line.
  __device__ Index node(const Nodes& nodes, int k) const {
    return a.entities ? nodes.node(k) : a.offsets[std::int64_t{element()} * (P * P * P) + c + P * (b + P * k)];
  }
  __device__ T gather(const Nodes& nodes, int k) const {
    const Index number = works() ? node(nodes, k) : -1;
    return number >= 0 ? a.x[number] : T{};
  }

  /// Asks for the factors of the thread block while the nodes are on their way, where that pays.
  __device__ __forceinline__ void ask_for_factors() const {
    constexpr int bytes = S * Q * E * Q * Q * int{sizeof(T)};
    if constexpr (tuning.prefetch && bytes % 16 == 0)
      if (threadIdx.x == 0) prefetch(a.factors + std::int64_t{blockIdx.x} * (bytes / int{sizeof(T)}), bytes);
  }
  /// Factor s at the point (x = c, u = b, v).
  __device__ T factor(int s, int v) const {
    const std::int64_t first = std::int64_t{blockIdx.x} * (S * Q * E * Q * Q) + local * (Q * Q) + b * Q + c;
    return __ldcs(a.factors + first + (s * Q + v) * (E * Q * Q));
  }

  /// The values at the points (x = c, u = b, all v).
  __device__ __forceinline__ void evaluate(const Nodes& nodes, T (&r_u)[Q]) const {
    if constexpr (on_nodes) {
#pragma unroll
      for (int k = 0; k < P; ++k) r_u[k] = gather(nodes, k);
    } else {
      T r_n[P];
      if (b < P && c < P) {  // nodes (i = c, j = b, all k)
#pragma unroll
        for (int k = 0; k < P; ++k) r_n[k] = gather(nodes, k);
        a.interp.template apply<interp_use(0)>(r_n, r_u);
#pragma unroll
        for (int q = 0; q < Q; ++q) at_a(b, q, c) = r_u[q];
      }
      wait();
      if (b < P) {  // (all i, j = b, z = c)
#pragma unroll
        for (int i = 0; i < P; ++i) r_n[i] = at_a(b, c, i);
        a.interp.template apply<interp_use(1)>(r_n, r_u);
#pragma unroll
        for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_u[q];
      }
      wait();
      if (!here()) return;
#pragma unroll
      for (int k = 0; k < P; ++k) r_n[k] = at_a(k, b, c);
      a.interp.template apply<interp_use(2)>(r_n, r_u);
    }
  }

  /// From the values at (c, b, all v): derivatives along v into r_z, along x into s_a and along u into s_b.
  __device__ __forceinline__ void differentiate(const T (&r_u)[Q], T (&r_z)[Q]) const {
    T r_line[Q], r_derived[Q];
    if (here()) {
      a.derive.template apply<derive_use(0)>(r_u, r_z);
#pragma unroll
      for (int z = 0; z < Q; ++z) at_a(z, b, c) = r_u[z];
    }
    wait();
    if (here()) {
#pragma unroll
      for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, q, c);  // (x = c, all u, v = b)
      a.derive.template apply<derive_use(1)>(r_line, r_derived);
#pragma unroll
      for (int q = 0; q < Q; ++q) at_b(b, q, c) = r_derived[q];
    }
    wait();
    if (here()) {
#pragma unroll
      for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, c, q);  // (all x, u = c, v = b)
      a.derive.template apply<derive_use(2)>(r_line, r_derived);
#pragma unroll
      for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_derived[q];
    }
    wait();
  }

  /// The physics at (c, b, all v), in place; load(v) brings what apply_at(that, in, out) needs of a point. Returns the
  /// thread's part of <x, A x>.
  template <class Load, class ApplyAt>
  __device__ __forceinline__ T apply_physics(T (&r_u)[Q], T (&r_z)[Q], Load&& load, ApplyAt&& apply_at) const {
    T product{};
    if (!here()) return product;
#pragma unroll
    for (int z = 0; z < Q; ++z) {
      const auto at = load(z);
      fem::PointValue<T, 3, 1> u, v;
      u.value[0] = r_u[z];
      if constexpr (grad) u.grad[0][0] = at_a(z, b, c), u.grad[0][U] = at_b(z, b, c), u.grad[0][V] = r_z[z];
      apply_at(at, u, v);
      if constexpr (!grad) product += point_product<Physics>(u, v);  // with gradients registers are too few
      if constexpr (grad) at_a(z, b, c) = v.grad[0][0], at_b(z, b, c) = v.grad[0][U], r_z[z] = v.grad[0][V];
      if constexpr (Physics::uses_value) r_u[z] = v.value[0];
    }
    return works() ? product : T{};
  }

  /// Back from the factors of the derivatives to those of the values at (c, b, all v).
  __device__ __forceinline__ void integrate(T (&r_u)[Q], const T (&r_z)[Q]) const {
    T r_line[Q], r_back[Q];
    wait();
    if (here()) {
#pragma unroll
      for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, c, q);
      a.derive.template apply_back<derive_use(3)>(r_line, r_back);
#pragma unroll
      for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_back[q];
#pragma unroll
      for (int q = 0; q < Q; ++q) r_line[q] = at_b(b, q, c);
      a.derive.template apply_back<derive_use(4)>(r_line, r_back);
#pragma unroll
      for (int q = 0; q < Q; ++q) at_b(b, q, c) = r_back[q];
    }
    wait();
    if (!here()) return;
    a.derive.template apply_back<derive_use(5)>(r_z, r_back);
#pragma unroll
    for (int z = 0; z < Q; ++z) {
      const T sum = at_a(z, b, c) + at_b(z, b, c) + r_back[z];
      r_u[z] = Physics::uses_value ? r_u[z] + sum : sum;
    }
  }

  /// Gives a value to the k-th node of the line.
  __device__ void scatter(const Nodes& nodes, int k, T value) const {
    const Index number = node(nodes, k);
    if (number < 0) return;
    value *= a.alpha;
    if (k > 0 && k < P - 1 && entity_class(P, b) == 1 && entity_class(P, c) == 1)
      update(a.y[number], T{1}, value, a.beta);
    else if (!a.contributions)
      atomicAdd(a.y + number, value);
    else
      a.contributions[hex_contribution<P>(element(), a.entities ? nodes.place(k) : entity_place<P>(c, b, k))] = value;
  }

  /// From the points (c, b, all v) to the nodes.
  __device__ __forceinline__ void scatter_to_nodes(const Nodes& nodes, T (&r_u)[Q]) const {
    if constexpr (on_nodes) {
      if (!works()) return;
#pragma unroll
      for (int k = 0; k < P; ++k) scatter(nodes, k, r_u[k]);
    } else {
      T r_n[P];
      if (here()) {
        a.interp.template apply_back<interp_use(3)>(r_u, r_n);
#pragma unroll
        for (int k = 0; k < P; ++k) at_a(k, b, c) = r_n[k];
      }
      wait();
      if (b < P) {
#pragma unroll
        for (int q = 0; q < Q; ++q) r_u[q] = at_a(b, c, q);
        a.interp.template apply_back<interp_use(4)>(r_u, r_n);
#pragma unroll
        for (int i = 0; i < P; ++i) at_a(b, c, i) = r_n[i];
      }
      wait();
      if (!works() || b >= P || c >= P) return;
#pragma unroll
      for (int q = 0; q < Q; ++q) r_u[q] = at_a(b, q, c);
      a.interp.template apply_back<interp_use(5)>(r_u, r_n);
#pragma unroll
      for (int k = 0; k < P; ++k) scatter(nodes, k, r_n[k]);
    }
  }

  /// The whole operator with stored factors. Returns the thread's part of <x, A x>.
  __device__ __forceinline__ T apply() const {
    T r_u[Q], r_z[Q];
    if constexpr (grad) ask_for_factors();
    const auto nodes = find_nodes();
    evaluate(nodes, r_u);
    if constexpr (grad) differentiate(r_u, r_z);
    const auto load = [&](int v) {
      PointFactors at;
#pragma unroll
      for (int s = 0; s < S; ++s) at.values[s] = factor(s, v);
      return at;
    };
    const T product =
        apply_physics(r_u, r_z, load, [&](const PointFactors& at, const fem::PointValue<T, 3, 1>& in, auto& out) {
          a.physics.apply(at.values, in, out);
        });
    if constexpr (grad) integrate(r_u, r_z);
    scatter_to_nodes(tuning.keeps_nodes ? nodes : find_nodes(), r_u);
    return product;
  }
};

}  // namespace millrace::cuda
