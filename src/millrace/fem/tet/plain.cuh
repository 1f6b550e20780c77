// The fused kernel of tets without tensor cores, which is the one of float: lanes are elements, and a thread keeps four
// points or four nodes of its element in registers, so that a number of shared memory meets 4 or 16 of the tables.
// The sizes of the basis are values here, not template parameters.
#pragma once

#include "millrace/fem/tet/args.cuh"

namespace millrace::cuda {

template <class T>
struct alignas(4 * sizeof(T)) Four {
  T v[4];
};

template <class T, class Physics>
struct PlainTetTeam {
  static constexpr int C = tet_comps<Physics>, S = Physics::num_stored;
  static constexpr int E = 32, warps = 4, threads = E * warps, row = E + 1;

  const TetArgs<T, Physics>& a;
  int num_nodes;
  T* s_u;  // [nodes, row]
  T* s_w;  // [4 tiles points, C, E]
  int lane, warp;

  MILLRACE_HD static constexpr std::int64_t shared_size(int num_nodes, int num_tiles) {
    return std::int64_t{num_nodes} * row + std::int64_t{4} * num_tiles * C * E;
  }

  /// f(element, node, its place in s_u): neighbouring threads take neighbouring nodes.
  template <class F>
  __device__ void for_each_node(F&& f) const {
    for (int i = static_cast<int>(threadIdx.x); i < E * num_nodes; i += threads) {
      const int local = i / num_nodes, node = i - local * num_nodes;
      f(static_cast<Index>(blockIdx.x * E + local), node, s_u[node * row + local]);
    }
  }

  /// Four points: from the nodes through the physics into s_w.
  __device__ __forceinline__ void to_points(int tile) const {
    const auto* table = reinterpret_cast<const Four<T>*>(a.tables) + tile * num_nodes * C;  // [nodes, C]
    T r_c[4][C]{};
    for (int n = 0; n < num_nodes; ++n) {
      const T u = s_u[n * row + lane];
#pragma unroll
      for (int c = 0; c < C; ++c) {
        const Four<T> r_t = table[n * C + c];
#pragma unroll
        for (int q = 0; q < 4; ++q) r_c[q][c] = fma(r_t.v[q], u, r_c[q][c]);
      }
    }
    const T* factors = a.factors + (std::int64_t{blockIdx.x} * a.num_tiles + tile) * (S * 4 * E) + lane;  // [S, 4, E]
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      T r_stored[S];
#pragma unroll
      for (int s = 0; s < S; ++s) r_stored[s] = __ldcs(factors + (s * 4 + q) * E);
      apply_at_point(a.physics, r_stored, r_c[q]);
#pragma unroll
      for (int c = 0; c < C; ++c) s_w[((tile * 4 + q) * C + c) * E + lane] = r_c[q][c];
    }
  }

  /// Four nodes: from all points of s_w into s_u.
  __device__ __forceinline__ void to_nodes(int node_tile) const {
    const int rows = 4 * a.num_tiles * C;
    const auto* table = reinterpret_cast<const Four<T>*>(a.tables) + (a.num_tiles * num_nodes * C + node_tile * rows);
    T r_v[4]{};
#pragma unroll 4
    for (int r = 0; r < rows; ++r) {
      const T w = s_w[r * E + lane];
      const Four<T> r_t = table[r];
#pragma unroll
      for (int n = 0; n < 4; ++n) r_v[n] = fma(r_t.v[n], w, r_v[n]);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n)
      if (node_tile * 4 + n < num_nodes) s_u[(node_tile * 4 + n) * row + lane] = r_v[n];
  }
};

// Mapping  a thread block takes 32 elements, a lane each; its warps take tiles of four points, then of four nodes.
// Traffic  node numbers twice (the second time from a cache), factors once, x and y by element; tables from a cache.
// Shared   the nodes of 32 elements, and all they have at their points.
// Result   repeatable with contributions, which are added up in a fixed order; atomic sums take any order.
template <class T, class Physics>
__global__ void __launch_bounds__(128)
    apply_tets_plainly(const __grid_constant__ TetArgs<T, Physics> args, int num_nodes) {
  using Team = PlainTetTeam<T, Physics>;
  extern __shared__ __align__(16) char s_bytes[];
  T* s_u = reinterpret_cast<T*>(s_bytes);
  const Team team{args,
                  num_nodes,
                  s_u,
                  s_u + num_nodes * Team::row,
                  static_cast<int>(threadIdx.x % 32),
                  static_cast<int>(threadIdx.x / 32)};
  team.for_each_node([&](Index e, int node, T& to) { to = args.gather(e, num_nodes, node); });
  __syncthreads();
  for (int tile = team.warp; tile < args.num_tiles; tile += Team::warps) team.to_points(tile);
  __syncthreads();
  for (int tile = team.warp; 4 * tile < num_nodes; tile += Team::warps) team.to_nodes(tile);
  __syncthreads();
  team.for_each_node([&](Index e, int node, T& from) { args.scatter(e, num_nodes, node, from); });
}

}  // namespace millrace::cuda
