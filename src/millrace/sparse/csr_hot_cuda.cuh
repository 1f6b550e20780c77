// CSR on a GPU when few columns hold many of the entries: their x lies in the shared memory of every multiprocessor,
// and only the others are gathered. Every warp has one chunk of entries and keeps loads in flight; rows that chunks cut
// are completed by the last of their warps, in a fixed order, in the same launch.
#pragma once

#include <climits>

#include "millrace/sparse/csr_tiles_cuda.cuh"

namespace millrace::cuda {

// One thread block a multiprocessor, so that it has all of the shared memory; four entries a lane at a time.
constexpr int hot_threads = 1024, hot_items = 4;

/// What the kernel gets.
template <class A, class RowOffset>
struct HotProduct {
  Index num_rows, chunk, num_hot;
  Offset num_entries;
  const RowOffset* row_ptr;  // [num_rows + 1]
  const Index* coded;        // [num_entries]
  const A* vals;             // [num_entries]
  const Index* rows;         // [num_chunks]
  const A *x, *packed;       // [num_cols], [num_hot]
  A alpha, beta;
  A* y;            // [num_rows]
  CutRows<A> cut;  // chunks for tiles
};

// The loads are volatile: they stay where they are written, long before their use.

/// A number that is read once, past the nearest cache.
template <class A>
__device__ inline A load_past(const A* from) {
  A value;
  if constexpr (std::is_same_v<A, double>)
    asm volatile("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(from));
  else if constexpr (std::is_same_v<A, float>)
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(value) : "l"(from));
  else
    asm volatile("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(value) : "l"(from));
  return value;
}

/// A row offset, which the nearest cache may keep.
template <class RowOffset>
__device__ inline RowOffset load_offset(const RowOffset* from) {
  RowOffset value;
  if constexpr (sizeof(RowOffset) == 8)
    asm volatile("ld.global.nc.s64 %0, [%1];" : "=l"(value) : "l"(from));
  else
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(value) : "l"(from));
  return value;
}

/// x of a hot column from shared memory, else 0; without a branch.
template <class A>
__device__ inline A load_hot(const A* s_hot, Index code) {
  A value;
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(s_hot)) +
                        static_cast<unsigned>(sizeof(A)) * static_cast<unsigned>(~code);
  if constexpr (sizeof(A) == 8)
    asm volatile("{.reg .pred q; setp.lt.s32 q, %1, 0; mov.f64 %0, 0d0000000000000000; @q ld.shared.f64 %0, [%2];}"
                 : "=d"(value)
                 : "r"(code), "r"(from));
  else
    asm volatile("{.reg .pred q; setp.lt.s32 q, %1, 0; mov.f32 %0, 0f00000000; @q ld.shared.f32 %0, [%2];}"
                 : "=f"(value)
                 : "r"(code), "r"(from));
  return value;
}

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

/// In a kernel that was launched early: until the kernel before it has ended.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

template <class A>
__device__ inline A sum_of_warp(A value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffffu, value, mask);
  return value;
}

/// Every lane's running sum since the last lane before it whose bit is set: where a row ends.
template <class A>
__device__ inline A sum_since_end(A value, unsigned ends, int lane) {
  const unsigned below = ends & ((1u << lane) - 1);
  const int since = lane - (32 - __clz(static_cast<int>(below)));
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const A other = shuffle_up(value, d);
    if (since >= d) value += other;
  }
  return value;
}

/// A warp's place in its chunk. Entries are counted from the chunk's begin; every lane has the end of one of 32 rows,
/// and of the next 32 what memory returned: nothing waits for it before it is needed.
template <class A, class RowOffset>
struct HotChunk {
  const HotProduct<A, RowOffset>& m;
  Index k;          // which one
  int lane, count;  // entries
  RowOffset start;
  Index row = 0;          // of lane 0
  int begin = 0;          // of that row; before the chunk: -1
  int end = 0;            // of this lane's row; behind the last row: INT_MAX
  RowOffset next{};       // row_ptr of the lane's row 32 rows on
  A carry{};              // what the open row has so far: in the last lane,
  bool in_lanes = false;  // or spread over the lanes

  __device__ RowOffset load_end(Index r) const { return load_offset(m.row_ptr + min(r + 1, m.num_rows)); }
  __device__ int end_of(Index r, RowOffset loaded) const {
    if (r >= m.num_rows) return INT_MAX;
    if constexpr (sizeof(RowOffset) == 4)
      return loaded - start;
    else
      return static_cast<int>(min(loaded - start, RowOffset{INT_MAX}));
  }
  __device__ void find_rows() {
    row = m.rows[k];
    begin = static_cast<int>(max(__ldg(m.row_ptr + row) - start, RowOffset{-1}));
    end = end_of(row + lane, load_end(row + lane));
    next = load_end(row + 32 + lane);
  }
  __device__ void next_rows(int last_end) {
    begin = last_end;
    row += 32;
    end = end_of(row + lane, next);
    next = load_end(row + 32 + lane);
  }
  __device__ void finish(int first, A sum) {  // this lane's row
    if (first < 0)
      m.cut.pieces[2 * Offset{k}] = sum;
    else
      update(m.y[row + lane], m.alpha, sum, m.beta);
  }

  /// Adds the products of entries g .. g + 31, one a lane, and finishes the rows that end there.
  __device__ void add(A product, int g) {
    const int last = min(g + 32, count);
    int low = g == 0 ? -1 : g;  // rows that end here or before are done
    while (true) {
      const bool mine = end > low && end <= last;
      if (!__any_sync(0xffffffffu, mine)) {  // inside one row
        carry += product;
        in_lanes = true;
        return;
      }
      const unsigned ends = __reduce_or_sync(0xffffffffu, mine && end > g ? 1u << (end - 1 - g) : 0u);
      const int last_end = shuffle(end, 31);
      const A running = sum_since_end(product, ends, lane);
      const A before = in_lanes ? sum_of_warp(carry) : shuffle(carry, 31);
      const int source = (end - 1 - g) & 31;
      A sum = shuffle(running, source);
      const int end_before = shuffle_up(end, 1), first = lane == 0 ? begin : end_before;
      if (mine) {
        if ((ends & ((1u << source) - 1)) == 0) sum += before;
        finish(first, first == end ? A{} : sum);
      }
      carry = lane == 31 && !(ends >> 31) ? running : A{};
      in_lanes = false;
      if (last_end > last) return;
      next_rows(last_end);
      if (g + lane < last_end) product = A{};
      low = last_end - 1;
      carry = A{};
    }
  }

  // Mapping  the warp counts its piece of a row, which it has written, and completes the row if that was the last.
  __device__ void close(Index r) const {
    const Offset first = Offset{m.row_ptr[r]} / m.chunk, last = (Offset{m.row_ptr[r + 1]} - 1) / m.chunk;
    __threadfence();
    __syncwarp();
    unsigned* arrived = m.cut.arrived + first;
    unsigned before = 0;
    if (lane == 0) before = atomicAdd(arrived, 1u);
    if (shuffle(before, 0) == static_cast<unsigned>(last - first))
      add_pieces(m.cut.pieces, first, last, arrived, m.alpha, m.beta, m.y[r]);
  }
  /// Hands over the pieces of the rows that reach out of the chunk, before it and behind it.
  __device__ void close_cut_rows() const {
    const int open = __ffs(static_cast<int>(__ballot_sync(0xffffffffu, end > count))) - 1;
    const int end_before = shuffle(end, max(open - 1, 0)), first = open > 0 ? end_before : begin;
    const bool reaches_out = first < count;
    const Index head = m.rows[k];
    if (__ldg(m.row_ptr + head) < start && !(reaches_out && first < 0)) close(head);
    if (reaches_out) {
      const A rest = sum_of_warp(carry);
      if (lane == 0) m.cut.pieces[2 * Offset{k} + (first < 0 ? 0 : 1)] = rest;
      close(row + open);
    }
  }
};

/// Streams a chunk: while a tile of 32 * hot_items entries is summed, x, values and columns of the next are on their
/// way, and columns of the one behind it.
template <class A, class RowOffset>
__device__ void run_chunk(const HotProduct<A, RowOffset>& m, Index k, int lane, const A* s_hot) {
  constexpr int tile = 32 * hot_items;
  const Offset start = Offset{k} * m.chunk;
  if (start >= m.num_entries) return;
  const int count = static_cast<int>(min(Offset{m.chunk}, m.num_entries - start));
  const Index* coded = m.coded + start;
  const A* vals = m.vals + start;
  Index r_code[hot_items];
  A r_val[hot_items], r_x[hot_items];  // values, then products, then values of the next tile
  const auto load_codes = [&](int b) {
#pragma unroll
    for (int u = 0; u < hot_items; ++u) r_code[u] = load_past(coded + min(b + 32 * u + lane, count - 1));
  };
  const auto load_value = [&](int b) { return load_past(vals + min(b + lane, count - 1)); };
  const auto gather = [&] {
#pragma unroll
    for (int u = 0; u < hot_items; ++u) r_x[u] = load_hot(s_hot, r_code[u]);
#pragma unroll
    for (int u = 0; u < hot_items; ++u) load_cold(r_x[u], m.x, r_code[u]);
  };
  load_codes(0);
#pragma unroll
  for (int u = 0; u < hot_items; ++u) r_val[u] = load_value(32 * u);
  HotChunk<A, RowOffset> chunk{m, k, lane, count, static_cast<RowOffset>(start)};
  chunk.find_rows();
  gather();
  load_codes(tile);
#pragma unroll 1
  for (int b = 0; b < count; b += tile) {
#pragma unroll
    for (int u = 0; u < hot_items; ++u) r_val[u] *= r_x[u];
    if (b + tile < count) {
      gather();
      load_codes(b + 2 * tile);
    }
#pragma unroll
    for (int u = 0; u < hot_items; ++u) {
      const int g = b + 32 * u;
      if (g >= count) break;
      const A product = g + lane < count ? r_val[u] : A{};
      r_val[u] = load_value(g + tile);
      chunk.add(product, g);
    }
  }
  chunk.close_cut_rows();
}

// Mapping  one thread a hot column.
// Traffic  the list of columns and the packed x once, x by gathers.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) pack_hot(const A* x, const Index* columns, Index num_hot, A* packed) {
  let_next_kernel_begin();
  const Index i = static_cast<Index>(blockIdx.x * 256 + threadIdx.x);
  if (i < num_hot) packed[i] = x[columns[i]];
}

// Mapping  one thread block a multiprocessor, one warp a chunk of entries.
// Traffic  entries with columns in code and row offsets once, the hot x once a thread block, the rest of x by gathers,
//          y once.
// Shared   x of the hot columns.
// Result   repeatable: a warp's 32 entries at a time in a fixed tree, these in order; cut rows as in add_pieces.
template <class A, class RowOffset>
__global__ void __launch_bounds__(hot_threads, 1) multiply_hot(HotProduct<A, RowOffset> m) {
  extern __shared__ __align__(16) char s_bytes[];
  const int words = m.num_hot / static_cast<int>(16 / sizeof(A));
  wait_for_kernel_before();
  for (int i = static_cast<int>(threadIdx.x); i < words; i += hot_threads)
    reinterpret_cast<int4*>(s_bytes)[i] = __ldcg(reinterpret_cast<const int4*>(m.packed) + i);
  __syncthreads();
  const int warp = shuffle(static_cast<int>((blockIdx.x * hot_threads + threadIdx.x) / 32), 0);
  run_chunk(m, warp, static_cast<int>(threadIdx.x % 32), reinterpret_cast<const A*>(s_bytes));
}

}  // namespace millrace::cuda
