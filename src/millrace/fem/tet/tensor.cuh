// The fused kernel of tets in double, on fp64 tensor cores: gather, values and gradients at the points, physics, and
// all the way back without leaving the registers of a warp. Tables alone go through shared memory.
#pragma once

#include <cuda_pipeline.h>

#include "millrace/base/tensor_core.cuh"
#include "millrace/fem/physics/point.hpp"
#include "millrace/fem/tet/args.cuh"

namespace millrace::cuda {

/// A warp with 8 H elements of P nodes.
template <int P, class Physics>
struct TetTeam {
  static constexpr int C = tet_comps<Physics>, S = Physics::num_stored, H = tet_halves(P, C);
  static constexpr int E = 8 * H, steps = (P + 3) / 4, node_tiles = (P + 7) / 8;
  static constexpr int stride = table_stride(P), table_size = C * 8 * stride;  // numbers of a tile of points
  static constexpr int warps = 4, threads = 32 * warps;
  // Thread blocks per multiprocessor, without spills: fewer with more factors than a built-in physics has.
  static constexpr int resident = Physics::num_stored > 7 ? (P <= 20 ? 2 : 1)
                                                          : (P <= 20 ? 3 : 2) + (C == 1 && P <= 35 ? 1 : 0);

  const TetArgs<double, Physics>& a;
  int lane;

  __device__ Index elem(Index group, int h) const { return group * E + 8 * h + lane / 4; }

  __device__ __forceinline__ void gather(Index group, double (&r_u)[steps][H]) const {
#pragma unroll
    for (int k = 0; k < steps; ++k)
#pragma unroll
      for (int h = 0; h < H; ++h) r_u[k][h] = a.gather(elem(group, h), P, 4 * k + lane % 4);
  }

  /// Values and derivatives at the points 2 (lane % 4) and the next of a tile.
  __device__ __forceinline__ void evaluate(const double* s_table, const double (&r_u)[steps][H],
                                           double (&r_c)[C][H][2]) const {
#pragma unroll
    for (int k = 0; k < steps; ++k)
#pragma unroll
      for (int c = 0; c < C; ++c) multiply_halves<H>(r_c[c], r_u[k], s_table[tet_forward_entry(lane, k, c, stride)]);
  }

  __device__ __forceinline__ void apply_physics(Index group, int tile, double (&r_c)[C][H][2]) const {
    const double* factors =
        a.factors + (std::int64_t{group} * a.num_tiles + tile) * (S * E * 8) + lane * 2;  // [S, E, 8]
    const bool has_points = tile * 8 + 2 * (lane % 4) < a.num_points;
#pragma unroll
    for (int h = 0; h < H; ++h) {
      double2 r_stored[S];
#pragma unroll
      for (int s = 0; s < S; ++s)
        r_stored[s] = has_points ? __ldcs(reinterpret_cast<const double2*>(factors + (s * E + 8 * h) * 8)) : double2{};
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        double r_one[S], r_value[C];
#pragma unroll
        for (int s = 0; s < S; ++s) r_one[s] = q == 0 ? r_stored[s].x : r_stored[s].y;
#pragma unroll
        for (int c = 0; c < C; ++c) r_value[c] = r_c[c][h][q];
        apply_at_point(a.physics, r_one, r_value);
#pragma unroll
        for (int c = 0; c < C; ++c) r_c[c][h][q] = r_value[c];
      }
    }
  }

  /// Adds what the points of a tile give to the nodes: 8 i + 2 (lane % 4) and the next in r_v[i].
  __device__ __forceinline__ void integrate(const double* s_table, const double (&r_c)[C][H][2],
                                            double (&r_v)[node_tiles][H][2]) const {
#pragma unroll
    for (int c = 0; c < C; ++c)
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        double r_left[H];
#pragma unroll
        for (int h = 0; h < H; ++h) r_left[h] = r_c[c][h][q];
#pragma unroll
        for (int i = 0; i < node_tiles; ++i)
          multiply_halves<H>(r_v[i], r_left, s_table[tet_back_entry(lane, i, c, q, stride)]);
      }
  }

  __device__ __forceinline__ void scatter(Index group, const double (&r_v)[node_tiles][H][2]) const {
#pragma unroll
    for (int i = 0; i < node_tiles; ++i)
#pragma unroll
      for (int h = 0; h < H; ++h)
#pragma unroll
        for (int q = 0; q < 2; ++q) a.scatter(elem(group, h), P, 8 * i + 2 * (lane % 4) + q, r_v[i][h][q]);
  }

  /// Begins to bring tables of `tiles` tiles to shared memory.
  __device__ void fetch(double* s_to, int first, int tiles) const {
    const auto* from = reinterpret_cast<const double2*>(a.tables + std::int64_t{first} * table_size);
    auto* to = reinterpret_cast<double2*>(s_to);
    for (int i = static_cast<int>(threadIdx.x); i < tiles * (table_size / 2); i += threads)
      __pipeline_memcpy_async(to + i, from + i, sizeof(double2));
    __pipeline_commit();
  }
};

// Mapping  a warp takes a group of 8 H elements after another, four warps per thread block; the grid stays resident.
// Traffic  node numbers twice (the second time from a cache), factors once, x and y by element; tables from the second
//          cache, once per thread block where all of them fit into shared memory (`whole`), else once per four groups.
// Shared   all tables, or those of two tiles of points: one is used while the next is on its way.
// Result   repeatable with contributions, which are added up in a fixed order; atomic sums take any order.
template <int P, class Physics>
__global__ void __launch_bounds__(TetTeam<P, Physics>::threads, TetTeam<P, Physics>::resident)
    apply_tets_by_tensor_cores(const __grid_constant__ TetArgs<double, Physics> args, bool whole) {
  using Team = TetTeam<P, Physics>;
  extern __shared__ __align__(16) char s_bytes[];
  double* s_tables = reinterpret_cast<double*>(s_bytes);
  const Team team{args, static_cast<int>(threadIdx.x % 32)};
  const Index warp = static_cast<Index>(threadIdx.x / 32), width = static_cast<Index>(gridDim.x) * Team::warps;
  const Index num_groups = (args.num_elem - 1) / Team::E + 1;
  team.fetch(s_tables, 0, whole ? args.num_tiles : 1);
  if (whole) {
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  int half = 0;  // of shared memory that holds the next tile
  for (Index first = static_cast<Index>(blockIdx.x) * Team::warps; first < num_groups; first += width) {
    const Index group = first + warp;
    const bool works = group < num_groups;
    double r_u[Team::steps][Team::H], r_v[Team::node_tiles][Team::H][2]{};
    if (works) team.gather(group, r_u);
    for (int tile = 0; tile < args.num_tiles; ++tile) {
      const double* s_table = s_tables + (whole ? tile : half) * Team::table_size;
      if (!whole) {
        __pipeline_wait_prior(0);
        __syncthreads();  // the tile is there for all, and nobody uses the one before it
        half ^= 1;
        team.fetch(s_tables + half * Team::table_size, tile + 1 < args.num_tiles ? tile + 1 : 0, 1);
      }
      if (!works) continue;
      double r_c[Team::C][Team::H][2]{};
      team.evaluate(s_table, r_u, r_c);
      team.apply_physics(group, tile, r_c);
      team.integrate(s_table, r_c, r_v);
    }
    if (works) team.scatter(group, r_v);
  }
  __pipeline_wait_prior(0);
}

}  // namespace millrace::cuda
