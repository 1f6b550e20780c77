// The fused kernel of hexahedra on a GPU: gather, sum factorisation to the points, physics, and all the way back, in
// one launch. Values travel as lines: a thread contracts a whole line in registers, and between two directions the
// element turns through shared memory. That is one shared load for P multiply-adds (Swirydowicz et al. 2019 have the
// idea of lines; the even and odd halves are in line_table.cuh).
#pragma once

#include "millrace/fem/line_table.cuh"
#include "millrace/fem/node_boxes.hpp"
#include "millrace/fem/point.hpp"

namespace millrace::cuda {

/// Where the threads of an element wait for each other: in their warp, with the other warps of the element, or with the
/// whole thread block.
enum class Meet { warp, element, block };
constexpr Meet hex_meet(int Q) { return Q <= 5 ? Meet::warp : Q == 8 ? Meet::element : Meet::block; }

/// Elements of a thread block: about 128 threads, and few idle ones.
constexpr int hex_elements(int P, int Q) {
  constexpr int of[] = {0, 0, 32, 12, 8, 4, 4, 2, 2, 3, 1};
  return P == 9 && Q == 9 ? 1 : of[Q];
}
/// Elements meet in a warp: so many in each, and the rest of its lanes is idle.
constexpr int hex_elements_a_warp(int Q) { return 32 / (Q * Q); }
constexpr int hex_block(int P, int Q) {
  const int E = hex_elements(P, Q);
  return hex_meet(Q) == Meet::warp ? E / hex_elements_a_warp(Q) * 32 : E * Q * Q;
}
/// Threads wanted on a multiprocessor, which bounds the registers of each (benchmarks/records/h200-bp.json). Both:
/// value and gradient stay in registers.
constexpr int hex_threads(int P, int Q, bool both) {
  return both ? 400 : Q == 10 ? 512 : P == 6 && Q == 6 ? 900 : P == Q || Q <= 5 ? 1024 : 768;
}

/// P nodes and Q points a direction.
template <class T, int P, int Q, class Physics>
struct HexArgs {
  Index num_elem;
  const Index* offsets;  // [num_elem, P, P, P], negative where constrained
  const NodeBox* boxes;  // [num_elem, 27]: the same; null: there are none
  const T* factors;      // [num_elem / E, num_stored, Q, E, Q, Q]: neighbouring threads read neighbours
  const T* x;
  T* y;
  T* slots;       // [num_elem, P, P, P]: what elements add to nodes they share; null: atomic sums into y
  T* block_sums;  // [thread blocks]: sums of x times what elements give back; null: nobody asks
  T alpha, beta;
  Physics physics;
  LineTable<T, Q, P, 1> interp;
  LineTable<T, Q, Q, -1> derive;  // at the points, of what has values there
};

/// The nodes of a line along direction D of an element: its ends and what lies between.
template <int P>
struct HexLineNodes {
  Index end[2], middle, step;      // numbers; the middle ones are middle + step * (n - 1)
  Index end_slot[2], middle_slot;  // where an element leaves its share of them

  __device__ Index node(int n) const { return n == 0 ? end[0] : n == P - 1 ? end[1] : middle + step * (n - 1); }
  __device__ Index slot(int n) const {
    return n == 0 ? end_slot[0] : n == P - 1 ? end_slot[1] : middle_slot + step * (n - 1);
  }
};

/// One element and the Q x Q threads that share it: thread (b, c), c fastest. Each pass has another direction in
/// registers; the comments say what b, c and the line are.
template <class T, int P, int Q, class Physics>
struct HexTeam {
  static constexpr bool grad = Physics::uses_grad, on_nodes = P == Q;
  static constexpr Meet meet = hex_meet(Q);
  static constexpr bool has_idle = meet == Meet::warp && 32 % (Q * Q) != 0;
  static constexpr int a_warp = hex_elements_a_warp(Q);  // elements, where they meet there
  static constexpr int E = hex_elements(P, Q), S = Physics::num_stored;
  static constexpr int row = Q | 1, plane = Q * row;              // odd: lines begin in different banks
  static constexpr int shared_size = (grad ? 2 * Q : P) * plane;  // numbers of an element
  static constexpr int threads = hex_block(P, Q), resident = hex_threads(P, Q, grad&&Physics::uses_value) / threads;
  static constexpr int D = on_nodes ? 2 : 1;  // direction of the lines of nodes
  using Nodes = HexLineNodes<P>;

  const HexArgs<T, P, Q, Physics>& a;
  T *s_a, *s_b;  // [Q, Q, row] each; without gradients s_a [P, Q, row] alone
  int local, b, c;

  /// The team of a thread; an element has `size` numbers of shared memory. Idle threads are at b = c = Q.
  static __device__ HexTeam of(const HexArgs<T, P, Q, Physics>& a, T* s_all, int size = shared_size) {
    const int thread = static_cast<int>(threadIdx.x), n = meet == Meet::warp ? thread % 32 : thread;
    const int in_warp = n / (Q * Q), t = n - in_warp * (Q * Q);
    const bool idle = has_idle && in_warp >= a_warp;
    const int local = meet != Meet::warp ? in_warp : thread / 32 * a_warp + (idle ? 0 : in_warp);
    T* s_a = s_all + local * size;
    return {a, s_a, s_a + Q * plane, local, idle ? Q : t / Q, idle ? Q : t % Q};
  }
  __device__ void wait() const {
    if constexpr (meet == Meet::warp)
      __syncwarp();
    else if constexpr (meet == Meet::element)
      asm volatile("bar.sync %0, %1;" ::"r"(local + 1), "n"(Q * Q) : "memory");
    else
      __syncthreads();
  }

  __device__ Index element() const { return static_cast<Index>(blockIdx.x) * E + local; }
  __device__ bool here() const { return !has_idle || b < Q; }
  __device__ bool works() const { return here() && element() < a.num_elem; }

  __device__ T& at_a(int k, int j, int i) const { return s_a[k * plane + j * row + i]; }
  __device__ T& at_b(int k, int j, int i) const { return s_b[k * plane + j * row + i]; }

  /// Of the line of nodes at (i = c, all j, k = b), or (c, b, all k) where points are nodes; b and c are below P.
  __device__ __forceinline__ Nodes find_nodes() const {
    Nodes nodes;
    const std::int64_t first = std::int64_t{element()} * 27;
#pragma unroll
    for (int side = 0; side < 3; ++side) {
      if (side == 1 && P == 2) continue;
      const int x = box_class(P, c), y = D == 1 ? side : box_class(P, b), z = D == 1 ? box_class(P, b) : side;
      const NodeBox box = load_box(a.boxes + first + x + 3 * y + 9 * z);
      const int aside = box.step[0] * (c - 1) + box.step[3 - D] * (b - 1);
      const Index node = box.first + aside, slot = box_begin(P, x, y, z) + aside + box.before;
      if (side == 1)
        nodes.middle = node, nodes.step = box.step[D], nodes.middle_slot = slot;
      else
        nodes.end[side / 2] = node, nodes.end_slot[side / 2] = slot;
    }
    return nodes;
  }
  /// The number of the n-th node of that line; `nodes` where there are boxes.
  __device__ Index node(const Nodes& nodes, int n) const {
    if (a.boxes) return nodes.node(n);
    return a.offsets[std::int64_t{element()} * (P * P * P) + c + P * (D == 1 ? n + P * b : b + P * n)];
  }
  __device__ T gather(const Nodes& nodes, int n) const {
    const Index number = works() ? node(nodes, n) : -1;
    return number >= 0 ? a.x[number] : T{};
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
  /// Factor s at the points (c, b, z).
  __device__ T factor(int s, int z) const {
    const std::int64_t first = std::int64_t{blockIdx.x} * (S * Q * E * Q * Q) + local * (Q * Q) + b * Q + c;
    return __ldcs(a.factors + first + (s * Q + z) * (E * Q * Q));
  }

  /// u at the points (x = c, y = b, all z).
  __device__ __forceinline__ void evaluate(const Nodes& nodes, T (&r_u)[Q]) const {
    if constexpr (on_nodes) {
#pragma unroll
      for (int k = 0; k < P; ++k) r_u[k] = gather(nodes, k);
    } else {
      T r_n[P];
      if (b < P && c < P) {  // nodes (i = c, all j, k = b)
#pragma unroll
        for (int j = 0; j < P; ++j) r_n[j] = gather(nodes, j);
        a.interp.template apply<0>(r_n, r_u);
#pragma unroll
        for (int q = 0; q < Q; ++q) at_a(b, q, c) = r_u[q];
      }
      wait();
      if (b < P) {  // (all i, y = c, k = b)
#pragma unroll
        for (int i = 0; i < P; ++i) r_n[i] = at_a(b, c, i);
        a.interp.template apply<1>(r_n, r_u);
#pragma unroll
        for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_u[q];
      }
      wait();
      if (!here()) return;
#pragma unroll
      for (int k = 0; k < P; ++k) r_n[k] = at_a(k, b, c);
      a.interp.template apply<2>(r_n, r_u);
    }
  }

  /// From u at (c, b, all z): its derivative along z into r_z, along x into s_a and along y into s_b.
  __device__ __forceinline__ void differentiate(const T (&r_u)[Q], T (&r_z)[Q]) const {
    T r_line[Q], r_derived[Q];
    if (here()) {
      a.derive.template apply<0>(r_u, r_z);
#pragma unroll
      for (int z = 0; z < Q; ++z) at_a(z, b, c) = r_u[z];
    }
    wait();
    if (here()) {
#pragma unroll
      for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, q, c);  // (x = c, all y, z = b)
      a.derive.template apply<1>(r_line, r_derived);
#pragma unroll
      for (int q = 0; q < Q; ++q) at_b(b, q, c) = r_derived[q];
    }
    wait();
    if (here()) {
#pragma unroll
      for (int q = 0; q < Q; ++q) r_line[q] = at_a(b, c, q);  // (all x, y = c, z = b)
      a.derive.template apply<2>(r_line, r_derived);
#pragma unroll
      for (int q = 0; q < Q; ++q) at_a(b, c, q) = r_derived[q];
    }
    wait();
  }

  /// The physics at (c, b, all z), in place; load(z, r_stored) brings the factors of a point.
  template <class Load>
  __device__ __forceinline__ void apply_physics(T (&r_u)[Q], T (&r_z)[Q], Load&& load) const {
    if (!here()) return;
#pragma unroll
    for (int z = 0; z < Q; ++z) {
      T r_stored[S];
      load(z, r_stored);
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
    wait();
    if (here()) {
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
    }
    wait();
    if (!here()) return;
    a.derive.template apply_back<5>(r_z, r_back);
#pragma unroll
    for (int z = 0; z < Q; ++z) {
      const T sum = at_a(z, b, c) + at_b(z, b, c) + r_back[z];
      r_u[z] = Physics::uses_value ? r_u[z] + sum : sum;
    }
  }

  /// Gives a value to the n-th node of the line. Returns what the node adds to <x, alpha A x>.
  __device__ T scatter(const Nodes& nodes, int n, T value) const {
    const Index number = node(nodes, n);
    if (number < 0) return T{};
    value *= a.alpha;
    if (n > 0 && n < P - 1 && box_class(P, b) == 1 && box_class(P, c) == 1)
      update(a.y[number], T{1}, value, a.beta);
    else if (!a.slots)
      atomicAdd(a.y + number, value);
    else
      a.slots[hex_slot<P>(element(), a.boxes ? nodes.slot(n) : box_number<P>(c, D == 1 ? n : b, D == 1 ? b : n))] =
          value;
    return a.block_sums ? a.x[number] * value : T{};
  }

  /// From the points (c, b, all z) to the nodes. Returns the thread's part of <x, alpha A x>.
  __device__ __forceinline__ T give_back(const Nodes& nodes, T (&r_u)[Q]) const {
    T product{};
    if constexpr (on_nodes) {
      if (!works()) return product;
#pragma unroll
      for (int k = 0; k < P; ++k) product += scatter(nodes, k, r_u[k]);
    } else {
      T r_n[P];
      if (here()) {
        a.interp.template apply_back<3>(r_u, r_n);
#pragma unroll
        for (int k = 0; k < P; ++k) at_a(k, b, c) = r_n[k];
      }
      wait();
      if (b < P) {
#pragma unroll
        for (int q = 0; q < Q; ++q) r_u[q] = at_a(b, c, q);
        a.interp.template apply_back<4>(r_u, r_n);
#pragma unroll
        for (int i = 0; i < P; ++i) at_a(b, c, i) = r_n[i];
      }
      wait();
      if (!works() || b >= P || c >= P) return product;
#pragma unroll
      for (int q = 0; q < Q; ++q) r_u[q] = at_a(b, q, c);
      a.interp.template apply_back<5>(r_u, r_n);
#pragma unroll
      for (int j = 0; j < P; ++j) product += scatter(nodes, j, r_n[j]);
    }
    return product;
  }
  /// The nodes again, where registers did not keep them: a cache has them.
  __device__ __forceinline__ Nodes find_nodes_if_any() const {
    return a.boxes && works() && b < P && c < P ? find_nodes() : Nodes{};
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
  for (int offset = 16; offset > 0; offset /= 2) sum += shuffle_down(sum, offset);
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
  const Team team = Team::of(args, reinterpret_cast<T*>(s_bytes));
  T r_u[Q], r_z[Q], r_only[Q], product;
  const auto load = [&](int z, T* r_stored) {
#pragma unroll
    for (int s = 0; s < Team::S; ++s) r_stored[s] = Team::S == 1 ? r_only[z] : team.factor(s, z);
  };
  if constexpr (Team::S == 1) {  // one factor a point: on its way before the nodes
#pragma unroll
    for (int z = 0; z < Q; ++z) r_only[z] = team.here() ? team.factor(0, z) : T{};
  }
  if constexpr (Team::grad) {
    team.ask_for_factors();
    team.evaluate(team.find_nodes_if_any(), r_u);
    team.differentiate(r_u, r_z);
    team.apply_physics(r_u, r_z, load);
    team.integrate(r_u, r_z);
    product = team.give_back(team.find_nodes_if_any(), r_u);
  } else {
    const auto nodes = team.find_nodes_if_any();
    team.evaluate(nodes, r_u);
    team.apply_physics(r_u, r_z, load);
    product = team.give_back(nodes, r_u);
  }
  if (args.block_sums) leave_block_sum(product, reinterpret_cast<T*>(s_bytes), args.block_sums);
}

}  // namespace millrace::cuda
