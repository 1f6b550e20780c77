// CSR on a GPU, without conversion: a thread block streams the entries of a tile through shared memory and sums its
// rows there. Rows that tiles cut are completed by the last of their thread blocks, in a fixed order, in the same
// launch.
#pragma once

#include "millrace/base/warp.cuh"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/product/csr/tiles.hpp"

namespace millrace::cuda {

/// The partial sums of rows that tiles or chunks cut: [num_vectors, num_tiles, 2], the one of the row that leaves a
/// tile at [.., 1], others at [.., 0]; and how many have arrived of the row that begins in a tile, zeros before and
/// after a launch.
template <class A>
struct PartialSums {
  A* sums;
  unsigned* arrived;  // [num_vectors, num_tiles]
};

// Mapping  a warp adds up the partial sums of a row, which tiles `first` to `last` brought, and writes it.
// Result   repeatable: the sums lane by lane, then a fixed tree; whoever comes last adds them in this order.
template <class A>
__device__ void add_partials(const A* sums, Offset first, Offset last, unsigned* arrived, A alpha, A beta, A& y) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  __threadfence();
  A sum{};
  for (Offset t = first + lane; t <= last; t += 32) sum += load_fresh(sums + 2 * t + (t == first ? 1 : 0));
  sum = warp_sum(sum);
  if (lane == 0) {
    update(y, alpha, sum, beta);
    *arrived = 0;
  }
}

// Mapping  a warp completes row r, if this thread block brought its last partial sum.
// Result   repeatable: see add_partials.
template <class RowOffset, class A>
__device__ void close_row(const CsrView<A, RowOffset>& a, const CsrTilesView& tiles, const PartialSums<A>& partial,
                          Index r, Offset place, A sum, Offset vector, A alpha, A beta, A* y) {
  __shared__ bool s_last;
  const auto begin_of = [&](Index row) { return a.row_ptr[row]; };
  const Offset first = tiles.tiling.first_tile(begin_of, r), last = tiles.tiling.last_tile(begin_of, r);
  A* sums = partial.sums + 2 * vector * tiles.num_tiles;
  unsigned* arrived = partial.arrived + vector * tiles.num_tiles + first;
  if (threadIdx.x == 0) {
    sums[place] = sum;
    __threadfence();
    s_last = atomicAdd(arrived, 1u) == static_cast<unsigned>(last - first);
  }
  __syncthreads();
  if (s_last && threadIdx.x < 32) add_partials(sums, first, last, arrived, alpha, beta, y[r]);
  __syncthreads();
}

// Mapping  a thread block takes a tile: every thread `Items` entries, then one thread per row of the tile, or a warp
//          where the row is longer than 32. `Several` vectors come one after the other, from the entries in registers.
// Traffic  entries and row offsets once, tiles once, x by gathers, y once.
// Shared   the products of the tile, and the list of its long rows.
// Result   repeatable: a row is summed in order, or lane by lane and a fixed tree; the list's order does not matter.
template <int Items, bool Several, class RowOffset, class A>
__global__ void __launch_bounds__(CsrTiling::threads, is_complex<A> ? 2
                                                      : Several     ? 3
                                                                    : 8)
    multiply_tiles(CsrView<A, RowOffset> a, CsrTilesView tiles, A alpha, const A* __restrict__ x, std::int64_t ldx,
                   A beta, A* __restrict__ y, std::int64_t ldy, int num_vectors, PartialSums<A> partial) {
  constexpr int tile_threads = CsrTiling::threads, max_entries = tile_threads * Items;
  __shared__ A s_product[max_entries];
  __shared__ A s_partial[2];
  __shared__ Index s_long[max_entries / 32 + 1];
  __shared__ int s_num_long;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const CsrTile here = tiles.tiles[blockIdx.x], next = tiles.tiles[blockIdx.x + 1];
  const auto start = static_cast<RowOffset>(here.begin);
  const int count = static_cast<int>(next.begin - here.begin);
  Index r_cols[Items];
  A r_vals[Items][1]{};
#pragma unroll
  for (int u = 0; u < Items; ++u)
    r_cols[u] = u * tile_threads + thread < count ? __ldcs(a.cols + start + u * tile_threads + thread) : -1;
#pragma unroll
  for (int u = 0; u < Items; ++u)
    if (r_cols[u] >= 0) load_once<1>(a.vals + start + u * tile_threads + thread, r_vals[u]);
  const Index first = here.row - here.cut;
  const auto begin_of = [&](Index r) { return static_cast<int>(max(a.row_ptr[r] - start, RowOffset{0})); };
  const auto end_of = [&](Index r) { return static_cast<int>(min(a.row_ptr[r + 1] - start, RowOffset{count})); };
  for (int v = 0; v < (Several ? num_vectors : 1); ++v, x += ldx, y += ldy) {
    const auto finish = [&](Index r, A sum) {
      if (r < here.row)
        s_partial[0] = sum;
      else if (r == next.row - 1 && next.cut)
        s_partial[1] = sum;
      else
        update(y[r], alpha, sum, beta);
    };
    if (thread == 0) s_num_long = 0;
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      A entry{};
      if (r_cols[u] >= 0) entry = x[r_cols[u]];
      s_product[u * tile_threads + thread] = r_vals[u][0] * entry;
    }
    __syncthreads();
#pragma unroll 1
    for (Index r = first + thread; r < next.row; r += tile_threads) {
      const int begin = begin_of(r), end = end_of(r);
      if (end - begin > 32) {
        s_long[atomicAdd(&s_num_long, 1)] = r;
      } else {
        A sum{};
        for (int p = begin; p < end; ++p) sum += s_product[p];
        finish(r, sum);
      }
    }
    __syncthreads();
    for (int i = thread / 32; i < s_num_long; i += tile_threads / 32) {
      const Index r = s_long[i];
      A sum{};
      for (int p = begin_of(r) + lane, end = end_of(r); p < end; p += 32) sum += s_product[p];
      sum = warp_sum(sum);
      if (lane == 0) finish(r, sum);
    }
    __syncthreads();
    const Offset tile = blockIdx.x;
    if (here.cut) close_row(a, tiles, partial, here.row - 1, 2 * tile, s_partial[0], v, alpha, beta, y);
    if (next.cut && next.row > here.row)
      close_row(a, tiles, partial, next.row - 1, 2 * tile + 1, s_partial[1], v, alpha, beta, y);
  }
}

}  // namespace millrace::cuda
