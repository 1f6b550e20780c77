// CSR on a GPU with the ends of rows marked among the entries: a thread block takes a chunk of entries whatever their
// rows are, so all its loads are known at its begin, and a long row costs no more than short ones. Rows that chunks cut
// are completed in the same launch, in a fixed order.
#pragma once

#include "millrace/sparse/product/csr/row_ends_cuda.cuh"

namespace millrace::cuda {

constexpr int marked_threads = 512, marked_warps = marked_threads / 32, marked_chunk = marked_threads * lane_items;

/// A word in which one of two pieces waits for the other; 0: for none.
template <class A>
using PieceWord = std::conditional_t<sizeof(A) == 8, unsigned long long, unsigned>;

/// Leaves a piece in a word, or takes the other that waits there. Yields whether that was so; the word is 0 again then.
/// No piece is stored as 0: a NaN that arithmetic never makes would be.
__device__ inline bool meet(unsigned long long* word, double piece, double& other) {
  constexpr unsigned long long none = 0x7ff8000000000001;
  const auto bits = piece != piece ? 0x7ff8000000000000 : static_cast<unsigned long long>(__double_as_longlong(piece));
  const unsigned long long found = atomicExch(word, bits ^ none);
  if (found == 0) return false;
  *word = 0;
  other = __longlong_as_double(static_cast<long long>(found ^ none));
  return true;
}
__device__ inline bool meet(unsigned* word, float piece, float& other) {
  constexpr unsigned none = 0x7fc00001;
  const unsigned bits = piece != piece ? 0x7fc00000 : __float_as_uint(piece);
  const unsigned found = atomicExch(word, bits ^ none);
  if (found == 0) return false;
  *word = 0;
  other = __uint_as_float(found ^ none);
  return true;
}

/// What the kernel gets.
template <class A>
struct MarkedProduct {
  RowMarksView marks;
  Offset num_entries;
  const Index* cols;  // [num_entries]
  const A* vals;      // [num_entries]
  const A* x;         // [num_cols]
  A alpha, beta;
  A* y;                   // [num_rows]
  CutRows<A> cut;         // chunks for tiles
  PieceWord<A>* meeting;  // [num_chunks + 1], for the row that goes on behind a chunk's begin

  __device__ A& result(Index i) const { return y[marks.row(i)]; }

  /// A warp hands over the piece of row i that chunk k has; lane 0 knows it. `ends`: does the row end there?
  __device__ void hand_over(const CutRow& row, Index k, bool ends, A piece, Index i) const {
    const bool leads = threadIdx.x % 32 == 0;
    if (row.last - row.first == 1) {
      A other;
      if (leads && meet(meeting + row.last, piece, other)) update(result(i), alpha, piece + other, beta);
    } else {
      if (leads) cut.pieces[2 * Offset{k} + (!ends && row.first == k ? 1 : 0)] = piece;
      close_cut_row(cut, row, alpha, beta, result(i));
    }
  }
};

// Mapping  a thread block a chunk, four neighbouring entries a lane; behind the chunks one thread a row without
// entries. Traffic  entries and ends of rows once, x by gathers, y once. Shared   the sums of the rows that end in a
// warp, and what is left of every warp's last row. Result   repeatable: a warp's part of a row in a fixed tree, the
// warps from the last to the first, of two chunks one
//          sum, which has no order, of more as in add_pieces.
template <class A>
__global__ void __launch_bounds__(marked_threads, 3) multiply_marked(MarkedProduct<A> m) {
  __shared__ A s_sums[marked_chunk];
  __shared__ A s_open[marked_warps];
  __shared__ bool s_ended[marked_warps];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const auto k = static_cast<Index>(blockIdx.x);
  if (k >= m.marks.num_chunks) {
    const Index i = (k - m.marks.num_chunks) * marked_threads + thread;
    if (i < m.marks.num_vacant) update(m.y[m.marks.vacant[i]], m.alpha, A{}, m.beta);
    return;
  }
  const Offset own = Offset{k} * marked_chunk + lane_items * thread;
  Index r_cols[lane_items]{};
  A r_product[lane_items]{};
  const int2 marks = __ldg(reinterpret_cast<const int2*>(m.marks.ends + own / 32));
  if (own + lane_items <= m.num_entries) {
    const int4 cols = __ldcs(reinterpret_cast<const int4*>(m.cols + own));
    r_cols[0] = cols.x, r_cols[1] = cols.y, r_cols[2] = cols.z, r_cols[3] = cols.w;
    load_values(m.vals + own, r_product);
  } else {
#pragma unroll
    for (int u = 0; u < lane_items; ++u)
      if (own + u < m.num_entries) r_cols[u] = m.cols[own + u], r_product[u] = m.vals[own + u];
  }
  const CutRow reaches_in = m.marks.cuts[k], reaches_out = m.marks.cuts[k + 1];
#pragma unroll
  for (int u = 0; u < lane_items; ++u) r_product[u] *= __ldg(m.x + r_cols[u]);
  const LaneEnds ends({static_cast<std::uint32_t>(marks.x), marks.y}, lane);
  const Index mine = ends.first + lane;
  Index row = mine;
  if (m.marks.filled && mine < ends.behind) row = m.marks.filled[mine];  // on its way while x is
  A* s_rows = s_sums + warp * 32 * lane_items;
  const A open = sum_rows(r_product, ends, lane, s_rows);
  if (lane == 31) s_open[warp] = open, s_ended[warp] = ends.lanes != 0;
  __syncthreads();
  A before{};                // what warps before have of the row that is open where this one begins,
  bool from_outside = true;  // which was open at the begin of the chunk?
  for (int w = warp - 1; w >= 0 && from_outside; --w) before += s_open[w], from_outside = !s_ended[w];
  const bool has_head = from_outside && reaches_in.first < k && ends.lanes != 0;
  A head{};
  for (Index r = mine; r < ends.behind; r += 32) {
    A sum = s_rows[r - ends.first];
    if (r == ends.first) sum += before;
    if (has_head && r == ends.first)
      head = sum;
    else
      update(m.y[r == mine ? row : m.marks.row(r)], m.alpha, sum, m.beta);
  }
  if (has_head) m.hand_over(reaches_in, k, true, head, ends.first);
  if (warp == marked_warps - 1 && reaches_out.first <= k) {
    const A rest = s_ended[warp] ? s_open[warp] : s_open[warp] + before;
    m.hand_over(reaches_out, k, false, rest, m.marks.ends[Offset{k + 1} * marked_chunk / 32].before);
  }
}

}  // namespace millrace::cuda
