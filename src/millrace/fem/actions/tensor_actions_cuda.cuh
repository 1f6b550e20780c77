// The actions of a tensor basis on hexes, one kernel each, as in "fused device-level batch GEMM" (Beams et al. 2020):
// lines in registers, the element in shared memory between directions, sizes as template parameters.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/base/dispatch.hpp"
#include "millrace/fem/basis.hpp"
#include "millrace/fem/basis/line_table.cuh"

namespace millrace::cuda {

enum class Action { interp, interp_transpose, grad, grad_transpose };

/// P nodes and Q points per direction; `in` and `out` are those of basis_actions.hpp.
template <class T, int P, int Q>
struct ActionArgs {
  std::int64_t num_fields;  // elements times components
  const T* in;
  T* out;
  bool add;
  LineTable<T, Q, P, 1> interp;
  LineTable<T, Q, Q, -1> derive;
};

/// Fields per thread block: about 128 threads, and few idle ones in its last warp.
constexpr int action_elements(int P, int Q) {
  constexpr int by_points[] = {0, 0, 32, 14, 8, 5, 4, 2, 2, 3, 2};
  return P == 9 && Q == 9 ? 1 : by_points[Q];
}

/// One field and the Q x Q threads that share it: thread (b, c), c fastest. Shared memory is [z][y][x].
template <class T, int P, int Q>
struct ActionTeam {
  static constexpr int E = action_elements(P, Q), threads = Q * Q * E;
  static constexpr int row = Q | 1, plane = Q * row, shared_size = Q * plane;
  static constexpr int nodes = P * P * P, points = Q * Q * Q;

  const ActionArgs<T, P, Q>& a;
  T* s;
  int b, c;
  std::int64_t field;

  __device__ T& at(int z, int y, int x) const { return s[z * plane + y * row + x]; }
  __device__ bool works() const { return field < a.num_fields; }

  // A line of n entries of a cube [n, n, n] in memory, at (x = c, y = b): neighbours read neighbours.
  template <int N>
  __device__ void load(const T* cube, T (&r_line)[N]) const {
#pragma unroll
    for (int z = 0; z < N; ++z) r_line[z] = works() && b < N && c < N ? cube[(z * N + b) * N + c] : T{};
  }
  /// From shared memory to a cube.
  template <int N>
  __device__ void store(T* cube) const {
    if (!works() || b >= N || c >= N) return;
#pragma unroll
    for (int z = 0; z < N; ++z) {
      T& to = cube[(z * N + b) * N + c];
      to = a.add ? to + at(z, b, c) : at(z, b, c);
    }
  }
  // A line of shared memory along z at (x = c, y = b), along y at (x = c, z = b), along x at (y = c, z = b).
  template <int D, int N>
  __device__ void read(T (&r_line)[N]) const {
#pragma unroll
    for (int n = 0; n < N; ++n) r_line[n] = D == 2 ? at(n, b, c) : D == 1 ? at(b, n, c) : at(b, c, n);
  }
  template <int D, int N>
  __device__ void write(const T (&r_line)[N]) const {
#pragma unroll
    for (int n = 0; n < N; ++n) (D == 2 ? at(n, b, c) : D == 1 ? at(b, n, c) : at(b, c, n)) = r_line[n];
  }

  /// From a line of nodes along z to all points in shared memory.
  __device__ __forceinline__ void to_points(T (&r_n)[P]) const {
    T r_q[Q];
    if (b < P && c < P) a.interp.template apply<0>(r_n, r_q), write<2>(r_q);
    __syncthreads();
    if (c < P) read<1>(r_n), a.interp.template apply<1>(r_n, r_q), write<1>(r_q);
    __syncthreads();
    read<0>(r_n), a.interp.template apply<2>(r_n, r_q), write<0>(r_q);
    __syncthreads();
  }
  /// From a line of points along z to all nodes in shared memory.
  __device__ __forceinline__ void to_nodes(T (&r_q)[Q]) const {
    T r_n[P];
    a.interp.template apply_back<3>(r_q, r_n), write<2>(r_n);
    __syncthreads();
    if (b < P) read<1>(r_q), a.interp.template apply_back<4>(r_q, r_n), write<1>(r_n);
    __syncthreads();
    if (b < P && c < P) read<0>(r_q), a.interp.template apply_back<5>(r_q, r_n), write<0>(r_n);
    __syncthreads();
  }

  /// Derivatives along D, from r_u (the values at (c, b, all z)), to their part of the output.
  template <int D>
  __device__ __forceinline__ void derive(const T (&r_u)[Q]) const {
    T r_line[Q], r_derived[Q];
    write<2>(r_u);
    __syncthreads();
    read<D>(r_line), a.derive.template apply<D>(r_line, r_derived), write<D>(r_derived);
    __syncthreads();
    store<Q>(a.out + (field * 3 + D) * points);
    __syncthreads();
  }
  /// r_u += what derivatives along D contribute.
  template <int D>
  __device__ __forceinline__ void derive_back(T (&r_u)[Q]) const {
    T r_line[Q], r_back[Q];
    load<Q>(a.in + (field * 3 + D) * points, r_line);
    write<2>(r_line);
    __syncthreads();
    read<D>(r_line), a.derive.template apply_back<3 + D>(r_line, r_back), write<D>(r_back);
    __syncthreads();
    read<2>(r_line);
#pragma unroll
    for (int z = 0; z < Q; ++z) r_u[z] += r_line[z];
    __syncthreads();
  }
};

// Mapping  a thread block takes E fields, Q x Q threads each.
// Traffic  input and output once; the output twice where it is added to.
// Shared   one field at its points.
// Result   repeatable.
template <Action action, class T, int P, int Q>
__global__ void __launch_bounds__(ActionTeam<T, P, Q>::threads)
    apply_action(const __grid_constant__ ActionArgs<T, P, Q> args) {
  using Team = ActionTeam<T, P, Q>;
  extern __shared__ __align__(16) char s_bytes[];
  const int local = static_cast<int>(threadIdx.x) / (Q * Q), t = static_cast<int>(threadIdx.x) - local * (Q * Q);
  const std::int64_t field = std::int64_t{blockIdx.x} * Team::E + local;
  const Team team{args, reinterpret_cast<T*>(s_bytes) + local * Team::shared_size, t / Q, t % Q, field};
  if constexpr (action == Action::interp || action == Action::grad) {
    T r_n[P];
    team.load(args.in + field * Team::nodes, r_n);
    team.to_points(r_n);
    if constexpr (action == Action::interp) {
      team.template store<Q>(args.out + field * Team::points);
    } else {
      T r_u[Q];
      team.template read<2>(r_u);
      __syncthreads();
      team.template derive<0>(r_u);
      team.template derive<1>(r_u);
      team.template derive<2>(r_u);
    }
  } else {
    T r_u[Q]{};
    if constexpr (action == Action::interp_transpose) {
      team.load(args.in + field * Team::points, r_u);
    } else {
      team.template derive_back<0>(r_u);
      team.template derive_back<1>(r_u);
      team.template derive_back<2>(r_u);
    }
    team.to_nodes(r_u);
    team.template store<P>(args.out + field * Team::nodes);
  }
}

template <Action action, class T, int P, int Q>
void launch_action(Queue& queue, const TensorBasis& basis, std::int64_t num_fields, const T* in, T* out, bool add) {
  using Team = ActionTeam<T, P, Q>;
  const ActionArgs<T, P, Q> args{num_fields,
                                 in,
                                 out,
                                 add,
                                 LineTable<T, Q, P, 1>::from(basis.interp.data()),
                                 LineTable<T, Q, Q, -1>::from(basis.collocated.data())};
  constexpr std::size_t shared = std::size_t{Team::E} * Team::shared_size * sizeof(T);
  static_assert(shared <= 48 * 1024);
  if (num_fields == 0) return;
  const DeviceGuard guard(queue.device());
  apply_action<action><<<num_blocks(num_fields, Team::E), Team::threads, shared, queue.stream()>>>(args);
  check_launch("apply_action", queue.stream());
}

/// The action of one order, Q = order + 1 or order + 2.
template <Action action, class T>
void apply_tensor_action(Queue& queue, const TensorBasis& basis, std::int64_t num_fields, const T* in, T* out,
                         bool add) {
  dispatch<1, 2, 3, 4, 5, 6, 7, 8>("order of a basis on a GPU", basis.order, [&]<int order>() {
    if (basis.num_points == order + 1)
      launch_action<action, T, order + 1, order + 1>(queue, basis, num_fields, in, out, add);
    else
      launch_action<action, T, order + 1, order + 2>(queue, basis, num_fields, in, out, add);
  });
}

}  // namespace millrace::cuda
