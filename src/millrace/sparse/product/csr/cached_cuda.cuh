// CSR on a GPU when few columns hold many of the entries. Gathers of x are bound by the tags of L2, so x of the columns
// used most is cached in shared memory, spread over a cluster of multiprocessors, and only the others are gathered.
// Every warp has one chunk of entries; rows that span chunks are completed by the last of their warps, in a fixed
// order, in the same launch.
#pragma once

#include "millrace/sparse/product/csr/cached_columns.hpp"
#include "millrace/sparse/product/csr/row_ends_cuda.cuh"

namespace millrace::cuda {

// One thread block per multiprocessor. Measured on an H200: 1024 threads are 5 % slower, for the loads in flight of
// half as many fill what the cached columns leave of the nearest cache.
constexpr int cached_threads = 512, cached_warps = cached_threads / 32;
static_assert(CachedColumns::tile == 32 * lane_items);

/// What the kernels get.
template <class A>
struct CachedProduct {
  CachePlacement placement;
  NnzSplitView split;
  Offset num_entries;
  bool in_fours;                 // may a lane's values be loaded four at a time?
  const Index* columns;          // [placement.num_cached()]
  const Index* encoded_columns;  // [num_entries, up to a whole tile]
  const A* vals;                 // [num_entries]
  const A* x;                    // [num_cols]
  A* packed;                     // [placement.cluster_size, placement.num_slots()]
  A alpha, beta;
  A* y;                    // [num_rows]
  PartialSums<A> partial;  // chunks for tiles
};

// The loads are volatile: they stay where they are written, long before their use.

/// Four columns in code, which no cache need keep.
__device__ inline int4 load_codes(const Index* from) {
  int4 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.s32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}

// Clusters are of compute capability 9; before it nothing here is launched.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// x of a cached column, from this thread block's shared memory or that of another one of the cluster, else 0; without
/// a branch.
template <class A>
__device__ inline A load_cached(unsigned s_cached, Index code, unsigned replicated) {
  A value{};
  const unsigned place = static_cast<unsigned>(~code), block = place >> 16;
  const unsigned from = s_cached + static_cast<unsigned>(sizeof(A)) * (place & 0xffffu);
  if constexpr (sizeof(A) == 8)
    asm volatile(
        "{.reg .pred cached, here, there; .reg .u32 far;\n"
        "setp.lt.s32 cached, %1, 0; setp.eq.and.u32 here, %3, %4, cached; setp.lt.and.u32 there, %3, %4, cached;\n"
        "mapa.shared::cluster.u32 far, %2, %3;\n"
        "@here ld.shared.f64 %0, [%2]; @there ld.shared::cluster.f64 %0, [far];}"
        : "+d"(value)
        : "r"(code), "r"(from), "r"(block), "r"(replicated));
  else
    asm volatile(
        "{.reg .pred cached, here, there; .reg .u32 far;\n"
        "setp.lt.s32 cached, %1, 0; setp.eq.and.u32 here, %3, %4, cached; setp.lt.and.u32 there, %3, %4, cached;\n"
        "mapa.shared::cluster.u32 far, %2, %3;\n"
        "@here ld.shared.f32 %0, [%2]; @there ld.shared::cluster.f32 %0, [far];}"
        : "+f"(value)
        : "r"(code), "r"(from), "r"(block), "r"(replicated));
  return value;
}

#else

template <class A>
__device__ inline A load_cached(unsigned, Index, unsigned) {
  return A{};
}

#endif

/// x of a column that is not cached, else what the value is; without a branch.
template <class A>
__device__ inline void load_uncached(A& value, const A* x, Index code) {
  if constexpr (sizeof(A) == 8)
    asm volatile("{.reg .pred q; setp.ge.s32 q, %1, 0; @q ld.global.nc.f64 %0, [%2];}"
                 : "+d"(value)
                 : "r"(code), "l"(x + code));
  else
    asm volatile("{.reg .pred q; setp.ge.s32 q, %1, 0; @q ld.global.nc.f32 %0, [%2];}"
                 : "+f"(value)
                 : "r"(code), "l"(x + code));
}

/// A warp's chunk, tile by tile.
template <class A>
struct CachedChunk {
  const CachedProduct<A>& m;
  Index k;  // which one
  int lane;
  Index head;             // the row that was begun before the chunk, or -1
  A* s_sums;              // [tile], the rows that end in a tile
  A carry{};              // what the open row has so far: in the last lane,
  bool in_lanes = false;  // or spread over the lanes

  __device__ A& result(Index i) const { return m.y[m.split.row(i)]; }
  __device__ A open_sum() const { return in_lanes ? warp_sum_everywhere(carry) : shuffle(carry, 31); }

  /// Adds the products of a tile and finishes the rows that end there.
  __device__ void add(A (&product)[lane_items], const LaneEnds& ends) {
    if (ends.lanes == 0) {  // inside one row
      carry += (product[0] + product[1]) + (product[2] + product[3]);
      in_lanes = true;
      return;
    }
    const A before = open_sum();
    if (lane == 0) product[0] += before;
    carry = sum_rows(product, ends, lane, s_sums);
    in_lanes = false;
    __syncwarp();
    for (Index r = ends.first + lane; r < ends.end; r += 32) {
      const A sum = s_sums[r - ends.first];
      if (r == head)
        m.partial.sums[2 * Offset{k}] = sum;
      else
        update(result(r), m.alpha, sum, m.beta);
    }
    __syncwarp();
  }

  /// Delivers the partial sums of the rows that continue from the chunk before and into the next.
  __device__ void close_spanning_rows() const {
    const SpanningRow continues_from = m.split.spanning[k], continues_into = m.split.spanning[k + 1];
    if (continues_from.first < k && continues_from.last == k)
      close_spanning_row(m.partial, continues_from, m.alpha, m.beta, result(head));
    if (continues_into.first > k) return;
    const A rest = open_sum();
    if (lane == 0) m.partial.sums[2 * Offset{k} + (continues_into.first == k ? 1 : 0)] = rest;
    const Index open = m.split.ends[(Offset{k} + 1) * m.split.chunk / 32].before;
    close_spanning_row(m.partial, continues_into, m.alpha, m.beta, result(open));
  }
};

// Mapping  one thread per slot of the cluster's shared memory, and per row without entries.
// Traffic  the list of columns and the packed x once, x by gathers; the rows without entries once.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) pack_cached(CachedProduct<A> m) {
  let_next_kernel_begin();
  const Index i = static_cast<Index>(blockIdx.x * 256 + threadIdx.x), slots = m.placement.num_slots();
  if (i < m.placement.cluster_size * slots) m.packed[i] = m.x[m.columns[m.placement.cached_at(i / slots, i % slots)]];
  if (i < m.split.num_empty) update(m.y[m.split.empty[i]], m.alpha, A{}, m.beta);
}

// Mapping  one thread block per multiprocessor, one warp per chunk of entries. While a tile is summed, x and values of
//          the next are on their way, and columns of the one after it.
// Traffic  entries with encoded columns and ends of rows once, x of cached columns once per thread block, the rest of x
//          by gathers, y once.
// Shared   x of cached columns; the sums of a tile, for every warp.
// Result   repeatable: a row's entries of a tile by lanes in a fixed tree, the tiles in order; spanning rows as in
//          add_partials.
template <class A>
__global__ void __launch_bounds__(cached_threads, 1) multiply_cached(CachedProduct<A> m) {
  constexpr int tile = CachedColumns::tile;
  extern __shared__ __align__(16) char s_bytes[];
  A* s_cached = reinterpret_cast<A*>(s_bytes);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = shuffle(static_cast<int>(threadIdx.x / 32), 0);
  const Index k = static_cast<Index>(blockIdx.x) * cached_warps + warp, slots = m.placement.num_slots();
  const Offset start = Offset{k} * m.split.chunk;
  const int count = static_cast<int>(max(Offset{0}, min(Offset{m.split.chunk}, m.num_entries - start)));
  const int in_fours = m.in_fours ? count : 0;  // entries that may be loaded four at a time
  const int own = lane_items * lane;            // where the lane's entries begin in a tile
  const Index* codes_of_chunk = m.encoded_columns + start + own;
  const A* vals = m.vals + start + own;
  const RowEnds* ends = m.split.ends + start / 32 + own / 32;
  int4 r_code{};
  A r_val[lane_items], r_x[lane_items];
  RowEnds r_ends{};
  const auto load_tile = [&](int b) {
    r_ends = load_ends(ends + b / 32);
    if (b + tile <= in_fours)
      load_values(vals + b, r_val);
    else
#pragma unroll
      for (int u = 0; u < lane_items; ++u) r_val[u] = b + own + u < count ? vals[b + u] : A{};
  };
  const auto gather = [&] {
    const Index codes[lane_items]{r_code.x, r_code.y, r_code.z, r_code.w};
    const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(s_cached));
#pragma unroll
    for (int u = 0; u < lane_items; ++u)
      r_x[u] = load_cached<A>(from, codes[u], static_cast<unsigned>(m.placement.cluster_size));
#pragma unroll
    for (int u = 0; u < lane_items; ++u) load_uncached(r_x[u], m.x, codes[u]);
  };
  if (count > 0) {
    r_code = load_codes(codes_of_chunk);
    load_tile(0);
  }
  wait_for_kernel_before();
  constexpr int per_word = 16 / sizeof(A);
  const auto* packed = reinterpret_cast<const int4*>(m.packed + static_cast<Index>(block_in_cluster()) * slots);
  for (int i = static_cast<int>(threadIdx.x); i < slots / per_word; i += cached_threads)
    reinterpret_cast<int4*>(s_cached)[i] = __ldcg(packed + i);
  wait_for_cluster();
  if (count > 0) {
    const Index head = m.split.spanning[k].first < k ? shuffle(r_ends.before, 0) : -1;
    CachedChunk<A> chunk{m, k, lane, head, s_cached + slots + warp * tile};
    gather();
    if (tile < count) r_code = load_codes(codes_of_chunk + tile);
#pragma unroll 1
    for (int b = 0; b < count; b += tile) {
      A product[lane_items];
#pragma unroll
      for (int u = 0; u < lane_items; ++u) product[u] = r_val[u] * r_x[u];
      const LaneEnds now(r_ends, lane);
      if (b + tile < count) {
        gather();
        load_tile(b + tile);
        if (b + 2 * tile < count) r_code = load_codes(codes_of_chunk + b + 2 * tile);
      }
      chunk.add(product, now);
    }
    chunk.close_spanning_rows();
  }
  wait_for_cluster();  // others may still read this block's memory
}

}  // namespace millrace::cuda
