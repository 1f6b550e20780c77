// CSR on a GPU when few columns hold many of the entries. Gathers of x are bound by the tags of L2, so x of the hot
// columns lies in shared memory, spread over a cluster of multiprocessors, and only the others are gathered. Every warp
// has one chunk of entries; rows that chunks cut are completed by the last of their warps, in a fixed order, in the
// same launch.
#pragma once

#include "millrace/sparse/product/csr/row_ends_cuda.cuh"

namespace millrace::cuda {

// One thread block a multiprocessor. Measured on an H200: 1024 threads are 5 % slower, for the loads under way of half
// as many fill what the hot columns leave of the nearest cache.
constexpr int hot_threads = 512, hot_warps = hot_threads / 32;
static_assert(HotColumns::tile == 32 * lane_items);

/// What the kernels get.
template <class A>
struct HotProduct {
  HotPlaces places;
  RowMarksView marks;
  Offset num_entries;
  const Index* columns;  // [places.num_hot()]
  const Index* coded;    // [num_entries, up to a whole tile]
  const A* vals;         // [num_entries]
  const A* x;            // [num_cols]
  A* packed;             // [places.cluster, places.num_slots()]
  A alpha, beta;
  A* y;            // [num_rows]
  CutRows<A> cut;  // chunks for tiles
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

__device__ inline RowEnds load_ends(const RowEnds* from) {
  RowEnds ends;
  asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(ends.bits), "=r"(ends.before) : "l"(from));
  return ends;
}

// Clusters and early launches are of compute capability 9; before it nothing here is launched.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// x of a hot column, from this thread block's shared memory or that of another one of the cluster, else 0; without a
/// branch.
template <class A>
__device__ inline A load_hot(unsigned s_hot, Index code, unsigned everywhere) {
  A value{};
  const unsigned place = static_cast<unsigned>(~code), block = place >> 16;
  const unsigned from = s_hot + static_cast<unsigned>(sizeof(A)) * (place & 0xffffu);
  if constexpr (sizeof(A) == 8)
    asm volatile(
        "{.reg .pred hot, here, there; .reg .u32 far;\n"
        "setp.lt.s32 hot, %1, 0; setp.eq.and.u32 here, %3, %4, hot; setp.lt.and.u32 there, %3, %4, hot;\n"
        "mapa.shared::cluster.u32 far, %2, %3;\n"
        "@here ld.shared.f64 %0, [%2]; @there ld.shared::cluster.f64 %0, [far];}"
        : "+d"(value)
        : "r"(code), "r"(from), "r"(block), "r"(everywhere));
  else
    asm volatile(
        "{.reg .pred hot, here, there; .reg .u32 far;\n"
        "setp.lt.s32 hot, %1, 0; setp.eq.and.u32 here, %3, %4, hot; setp.lt.and.u32 there, %3, %4, hot;\n"
        "mapa.shared::cluster.u32 far, %2, %3;\n"
        "@here ld.shared.f32 %0, [%2]; @there ld.shared::cluster.f32 %0, [far];}"
        : "+f"(value)
        : "r"(code), "r"(from), "r"(block), "r"(everywhere));
  return value;
}

/// In a kernel that was launched early: until the kernel before it has ended.
__device__ inline void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline void let_next_kernel_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

__device__ inline void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ inline Index block_of_cluster() {
  Index block;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(block));
  return block;
}

#else

template <class A>
__device__ inline A load_hot(unsigned, Index, unsigned) {
  return A{};
}
__device__ inline void wait_for_kernel_before() {}
__device__ inline void let_next_kernel_begin() {}
__device__ inline void wait_for_cluster() {}
__device__ inline Index block_of_cluster() { return 0; }

#endif

/// x of a column that is not hot, else what the value is; without a branch.
template <class A>
__device__ inline void load_cold(A& value, const A* x, Index code) {
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
struct HotChunk {
  const HotProduct<A>& m;
  Index k;  // which one
  int lane;
  Index head;             // the row that was begun before the chunk, or -1
  A* s_sums;              // [tile], the rows that end in a tile
  A carry{};              // what the open row has so far: in the last lane,
  bool in_lanes = false;  // or spread over the lanes

  __device__ A& result(Index i) const { return m.y[m.marks.row(i)]; }
  __device__ A open_sum() const { return in_lanes ? sum_of_warp(carry) : shuffle(carry, 31); }

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
    for (Index r = ends.first + lane; r < ends.behind; r += 32) {
      const A sum = s_sums[r - ends.first];
      if (r == head)
        m.cut.pieces[2 * Offset{k}] = sum;
      else
        update(result(r), m.alpha, sum, m.beta);
    }
    __syncwarp();
  }

  /// Hands over the pieces of the rows that reach out of the chunk, before it and behind it.
  __device__ void close_cut_rows() const {
    const CutRow reaches_in = m.marks.cuts[k], reaches_out = m.marks.cuts[k + 1];
    if (reaches_in.first < k && reaches_in.last == k) close_cut_row(m.cut, reaches_in, m.alpha, m.beta, result(head));
    if (reaches_out.first > k) return;
    const A rest = open_sum();
    if (lane == 0) m.cut.pieces[2 * Offset{k} + (reaches_out.first == k ? 1 : 0)] = rest;
    const Index open = m.marks.ends[(Offset{k} + 1) * m.marks.chunk / 32].before;
    close_cut_row(m.cut, reaches_out, m.alpha, m.beta, result(open));
  }
};

// Mapping  one thread a slot of the cluster's shared memory, and a row without entries.
// Traffic  the list of columns and the packed x once, x by gathers; the rows without entries once.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) pack_hot(HotProduct<A> m) {
  let_next_kernel_begin();
  const Index i = static_cast<Index>(blockIdx.x * 256 + threadIdx.x), slots = m.places.num_slots();
  if (i < m.places.cluster * slots) m.packed[i] = m.x[m.columns[m.places.hot_at(i / slots, i % slots)]];
  if (i < m.marks.num_vacant) update(m.y[m.marks.vacant[i]], m.alpha, A{}, m.beta);
}

// Mapping  one thread block a multiprocessor, one warp a chunk of entries. While a tile is summed, x and values of the
//          next are on their way, and columns of the one behind it.
// Traffic  entries with columns in code and ends of rows once, the hot x once a thread block, the rest of x by gathers,
//          y once.
// Shared   x of hot columns; the sums of a tile, for every warp.
// Result   repeatable: a row's entries of a tile by lanes in a fixed tree, the tiles in order; cut rows as in
//          add_pieces.
template <class A>
__global__ void __launch_bounds__(hot_threads, 1) multiply_hot(HotProduct<A> m) {
  constexpr int tile = HotColumns::tile;
  extern __shared__ __align__(16) char s_bytes[];
  A* s_hot = reinterpret_cast<A*>(s_bytes);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = shuffle(static_cast<int>(threadIdx.x / 32), 0);
  const Index k = static_cast<Index>(blockIdx.x) * hot_warps + warp, slots = m.places.num_slots();
  const Offset start = Offset{k} * m.marks.chunk;
  const int count = static_cast<int>(max(Offset{0}, min(Offset{m.marks.chunk}, m.num_entries - start)));
  const int own = lane_items * lane;  // where the lane's entries begin in a tile
  const Index* coded = m.coded + start + own;
  const A* vals = m.vals + start + own;
  const RowEnds* ends = m.marks.ends + start / 32 + own / 32;
  int4 r_code{};
  A r_val[lane_items], r_x[lane_items];
  RowEnds r_ends{};
  const auto load_tile = [&](int b) {
    r_ends = load_ends(ends + b / 32);
    if (b + tile <= count)
      load_values(vals + b, r_val);
    else
#pragma unroll
      for (int u = 0; u < lane_items; ++u) r_val[u] = b + own + u < count ? vals[b + u] : A{};
  };
  const auto gather = [&] {
    const Index codes[lane_items]{r_code.x, r_code.y, r_code.z, r_code.w};
    const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(s_hot));
#pragma unroll
    for (int u = 0; u < lane_items; ++u) r_x[u] = load_hot<A>(from, codes[u], static_cast<unsigned>(m.places.cluster));
#pragma unroll
    for (int u = 0; u < lane_items; ++u) load_cold(r_x[u], m.x, codes[u]);
  };
  if (count > 0) {
    r_code = load_codes(coded);
    load_tile(0);
  }
  wait_for_kernel_before();
  constexpr int per_word = 16 / sizeof(A);
  const auto* packed = reinterpret_cast<const int4*>(m.packed + block_of_cluster() * slots);
  for (int i = static_cast<int>(threadIdx.x); i < slots / per_word; i += hot_threads)
    reinterpret_cast<int4*>(s_hot)[i] = __ldcg(packed + i);
  wait_for_cluster();
  if (count > 0) {
    const Index head = m.marks.cuts[k].first < k ? shuffle(r_ends.before, 0) : -1;
    HotChunk<A> chunk{m, k, lane, head, s_hot + slots + warp * tile};
    gather();
    if (tile < count) r_code = load_codes(coded + tile);
#pragma unroll 1
    for (int b = 0; b < count; b += tile) {
      A product[lane_items];
#pragma unroll
      for (int u = 0; u < lane_items; ++u) product[u] = r_val[u] * r_x[u];
      const LaneEnds now(r_ends, lane);
      if (b + tile < count) {
        gather();
        load_tile(b + tile);
        if (b + 2 * tile < count) r_code = load_codes(coded + b + 2 * tile);
      }
      chunk.add(product, now);
    }
    chunk.close_cut_rows();
  }
  wait_for_cluster();  // others may still read this block's memory
}

}  // namespace millrace::cuda
