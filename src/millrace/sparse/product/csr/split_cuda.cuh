// CSR on a GPU by the nonzero split: a thread block takes a chunk of entries whatever their rows are, so all its loads
// are known when it begins, and a long row costs no more than short ones. Rows that span chunks are completed in the
// same launch, in a fixed order.
#pragma once

#include "millrace/sparse/product/csr/plan.hpp"
#include "millrace/sparse/product/csr/row_ends_cuda.cuh"

namespace millrace::cuda {

constexpr int split_threads = 512, split_warps = split_threads / 32;
static_assert(split_chunk == split_threads * lane_items);

/// A word in which one of two partial sums waits for the other; 0: for none.
template <class A>
using PartialBits = std::conditional_t<sizeof(A) == 8, unsigned long long, unsigned>;

/// Leaves a partial sum in a slot, or takes the other that waits there. Yields whether that was so; the slot is 0 again
/// then. No sum is stored as 0: a NaN that arithmetic never makes would be.
__device__ inline bool exchange_partial(unsigned long long* slot, double sum, double& other) {
  constexpr unsigned long long none = 0x7ff8000000000001;
  const auto bits = sum != sum ? 0x7ff8000000000000 : static_cast<unsigned long long>(__double_as_longlong(sum));
  const unsigned long long found = atomicExch(slot, bits ^ none);
  if (found == 0) return false;
  *slot = 0;
  other = __longlong_as_double(static_cast<long long>(found ^ none));
  return true;
}
__device__ inline bool exchange_partial(unsigned* slot, float sum, float& other) {
  constexpr unsigned none = 0x7fc00001;
  const unsigned bits = sum != sum ? 0x7fc00000 : __float_as_uint(sum);
  const unsigned found = atomicExch(slot, bits ^ none);
  if (found == 0) return false;
  *slot = 0;
  other = __uint_as_float(found ^ none);
  return true;
}

/// What the kernel gets.
template <class A>
struct SplitProduct {
  NnzSplitView split;
  Offset num_entries;
  Offset num_in_fours;  // entries up to here may be loaded four at a time: all, or none where arrays are not aligned
  const Index* cols;    // [num_entries]
  const A* vals;        // [num_entries]
  const A* x;           // [num_cols]
  A alpha, beta;
  A* y;                           // [num_rows]
  PartialSums<A> partial;         // chunks for tiles
  PartialBits<A>* partial_slots;  // [num_chunks + 1], for the row that spans the start of a chunk

  __device__ A& result(Index i) const { return y[split.row(i)]; }

  /// A warp delivers the partial sum of row i that chunk k has; lane 0 knows it. `ends`: does the row end there?
  __device__ void deliver_partial(const SpanningRow& row, Index k, bool ends, A sum, Index i) const {
    const bool leads = threadIdx.x % 32 == 0;
    if (row.last - row.first == 1) {
      A other;
      if (leads && exchange_partial(partial_slots + row.last, sum, other)) update(result(i), alpha, sum + other, beta);
    } else {
      if (leads) partial.sums[2 * Offset{k} + (!ends && row.first == k ? 1 : 0)] = sum;
      close_spanning_row(partial, row, alpha, beta, result(i));
    }
  }
};

// Mapping  one thread block per chunk, four neighbouring entries per lane; after the chunks one thread per row without
//          entries.
// Traffic  entries and ends of rows once, x by gathers, y once.
// Shared   the sums of the rows that end in a warp, and what is left of every warp's last row.
// Result   repeatable: a warp's part of a row in a fixed tree, the warps from the last to the first; the two sums of a
//          row in two chunks commute, those of a row in more are added as in add_partials.
template <class A>
__global__ void __launch_bounds__(split_threads, 3) multiply_split(SplitProduct<A> m) {
  __shared__ A s_sums[split_chunk];
  __shared__ A s_open[split_warps];
  __shared__ bool s_ended[split_warps];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const auto k = static_cast<Index>(blockIdx.x);
  if (k >= m.split.num_chunks) {
    const Index i = (k - m.split.num_chunks) * split_threads + thread;
    if (i < m.split.num_empty) update(m.y[m.split.empty[i]], m.alpha, A{}, m.beta);
    return;
  }
  const Offset own = Offset{k} * split_chunk + lane_items * thread;
  Index r_cols[lane_items]{};
  A r_product[lane_items]{};
  const RowEnds row_ends = load_ends(m.split.ends + own / 32);
  if (own + lane_items <= m.num_in_fours) {
    const int4 cols = __ldcs(reinterpret_cast<const int4*>(m.cols + own));
    r_cols[0] = cols.x, r_cols[1] = cols.y, r_cols[2] = cols.z, r_cols[3] = cols.w;
    load_values(m.vals + own, r_product);
  } else {
#pragma unroll
    for (int u = 0; u < lane_items; ++u)
      if (own + u < m.num_entries) r_cols[u] = m.cols[own + u], r_product[u] = m.vals[own + u];
  }
  const SpanningRow continues_from = m.split.spanning[k], continues_into = m.split.spanning[k + 1];
#pragma unroll
  for (int u = 0; u < lane_items; ++u) r_product[u] *= __ldg(m.x + r_cols[u]);
  const LaneEnds ends(row_ends, lane);
  const Index mine = ends.first + lane;
  Index row = mine;
  if (m.split.filled && mine < ends.end) row = m.split.filled[mine];  // on its way while x is
  A* s_rows = s_sums + warp * 32 * lane_items;
  const A open = sum_rows(r_product, ends, lane, s_rows);
  if (lane == 31) s_open[warp] = open, s_ended[warp] = ends.lanes != 0;
  __syncthreads();
  A before{};                // what warps before have of the row that is open where this one begins,
  bool from_outside = true;  // which was open at the start of the chunk?
  for (int w = warp - 1; w >= 0 && from_outside; --w) before += s_open[w], from_outside = !s_ended[w];
  const bool has_head = from_outside && continues_from.first < k && ends.lanes != 0;
  A head{};
  for (Index r = mine; r < ends.end; r += 32) {
    A sum = s_rows[r - ends.first];
    if (r == ends.first) sum += before;
    if (has_head && r == ends.first)
      head = sum;
    else
      update(m.y[r == mine ? row : m.split.row(r)], m.alpha, sum, m.beta);
  }
  if (has_head) m.deliver_partial(continues_from, k, true, head, ends.first);
  if (warp == split_warps - 1 && continues_into.first <= k) {
    const A rest = s_ended[warp] ? s_open[warp] : s_open[warp] + before;
    m.deliver_partial(continues_into, k, false, rest, m.split.ends[Offset{k + 1} * split_chunk / 32].before);
  }
}

}  // namespace millrace::cuda
