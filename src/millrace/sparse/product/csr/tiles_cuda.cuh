// CSR on a GPU, without conversion: a thread block streams the entries of a tile through shared memory and sums its
// rows there. Rows that tiles cut are completed by the last of their thread blocks, in a fixed order, in the same
// launch.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/sparse/csr.hpp"

namespace millrace::cuda {

constexpr int tile_threads = 256;

/// Entries a thread in flight. Small matrices get small tiles, so that there are some for every multiprocessor: 2 below
/// a million entries, 6 beyond (swept on an H200: 4 and 8 are 5 % slower on stencils and on power laws).
constexpr int tile_items(Offset num_entries) { return num_entries < 1000000 ? 2 : 6; }
constexpr CsrTiling tiling(Offset num_entries) { return {tile_threads * tile_items(num_entries) - 128, 128}; }
inline Offset num_tiles(Index num_rows, Offset num_entries) {
  const CsrTiling tiles = tiling(num_entries);
  return std::max<Offset>(1, (num_entries + num_rows / 8 + tiles.work - 1) / tiles.work);
}

// Mapping  one thread a tile.
// Traffic  a bisection of the row offsets each.
// Result   repeatable.
template <class RowOffset>
__global__ void __launch_bounds__(256)
    find_tiles(CsrTiling tiling, const RowOffset* row_ptr, Index num_rows, Offset count, CsrTile* tiles) {
  const Offset t = blockIdx.x * Offset{256} + threadIdx.x;
  if (t <= count) tiles[t] = tiling.tile(row_ptr, num_rows, count, t);
}

// Mapping  one thread a row; a warp hands its longest to the others.
// Traffic  the row offsets once.
// Result   repeatable: a maximum of integers.
template <class RowOffset>
__global__ void __launch_bounds__(256) find_longest(const RowOffset* row_ptr, Index num_rows, Index* longest) {
  const std::int64_t r = blockIdx.x * std::int64_t{256} + threadIdx.x;
  const int length = r < num_rows ? static_cast<int>(row_ptr[r + 1] - row_ptr[r]) : 0;
  const int most = __reduce_max_sync(0xffffffffu, length);
  if (threadIdx.x % 32 == 0) atomicMax(longest, most);
}

/// The pieces of cut rows: [num_vectors, num_tiles, 2], the piece that ends a tile at [.., 1], others at [.., 0]; and
/// how many pieces of the row that begins in a tile have come, zeros before and after a launch.
template <class A>
struct CutRows {
  A* pieces;
  unsigned* arrived;  // [num_vectors, num_tiles]
};

// Mapping  a warp adds up the pieces of a row, which tiles `first` to `last` brought, and writes it.
// Result   repeatable: the pieces lane by lane, then a fixed tree; whoever comes last adds them in this order.
template <class A>
__device__ void add_pieces(const A* pieces, Offset first, Offset last, unsigned* arrived, A alpha, A beta, A& y) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  __threadfence();
  A sum{};
  for (Offset t = first + lane; t <= last; t += 32) sum += load_fresh(pieces + 2 * t + (t == first ? 1 : 0));
  for (int offset = 16; offset > 0; offset /= 2) sum += shuffle_down(sum, offset);
  if (lane == 0) {
    update(y, alpha, sum, beta);
    *arrived = 0;
  }
}

// Mapping  a warp completes row r, if this thread block brought its last piece.
// Result   repeatable: see add_pieces.
template <class RowOffset, class A>
__device__ void close_row(const CsrView<A, RowOffset>& a, const CsrTiling& tiling, const CutRows<A>& cut, Index r,
                          Offset place, A piece, Offset vector, A alpha, A beta, A* y) {
  __shared__ bool s_last;
  const Offset first = tiling.first_tile(a.row_ptr, r), last = tiling.last_tile(a.row_ptr, r);
  A* pieces = cut.pieces + 2 * vector * a.num_tiles;
  unsigned* arrived = cut.arrived + vector * a.num_tiles + first;
  if (threadIdx.x == 0) {
    pieces[place] = piece;
    __threadfence();
    s_last = atomicAdd(arrived, 1u) == static_cast<unsigned>(last - first);
  }
  __syncthreads();
  if (s_last && threadIdx.x < 32) add_pieces(pieces, first, last, arrived, alpha, beta, y[r]);
  __syncthreads();
}

// Mapping  a thread block takes a tile: every thread `Items` entries, then a thread every row of the tile, or a warp
//          when the row is longer than 32. `Several` vectors come one after the other, from the entries in registers.
// Traffic  entries and row offsets once, tiles once, x by gathers, y once.
// Shared   the products of the tile, and the list of its long rows.
// Result   repeatable: a row is summed in order, or lane by lane and a fixed tree; the list's order does not matter.
template <int Items, bool Several, class RowOffset, class A>
__global__ void __launch_bounds__(tile_threads, is_complex<A> ? 2
                                                : Several     ? 3
                                                              : 8)
    multiply_tiles(CsrView<A, RowOffset> a, CsrTiling tiling, A alpha, const A* __restrict__ x, std::int64_t ldx,
                   A beta, A* __restrict__ y, std::int64_t ldy, int num_vectors, CutRows<A> cut) {
  constexpr int most = tile_threads * Items;
  __shared__ A s_product[most];
  __shared__ A s_piece[2];
  __shared__ Index s_long[most / 32 + 1];
  __shared__ int s_num_long;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const CsrTile here = a.tiles[blockIdx.x], next = a.tiles[blockIdx.x + 1];
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
        s_piece[0] = sum;
      else if (r == next.row - 1 && next.cut)
        s_piece[1] = sum;
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
      for (int offset = 16; offset > 0; offset /= 2) sum += shuffle_down(sum, offset);
      if (lane == 0) finish(r, sum);
    }
    __syncthreads();
    const Offset tile = blockIdx.x;
    if (here.cut) close_row(a, tiling, cut, here.row - 1, 2 * tile, s_piece[0], v, alpha, beta, y);
    if (next.cut && next.row > here.row)
      close_row(a, tiling, cut, next.row - 1, 2 * tile + 1, s_piece[1], v, alpha, beta, y);
  }
}

}  // namespace millrace::cuda
