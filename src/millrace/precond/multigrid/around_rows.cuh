// Patterns of prolongators on a GPU: in every row the aggregates around a node, ascending. There are few, so that the
// next one is found by looking for the least above the last. Rows come behind each other in two steps: those of a
// thread block, then, once it is known how many columns come before, all.
#pragma once

#include <cstdint>

#include "millrace/precond/multigrid/worklist.cuh"

namespace millrace::cuda {

/// The aggregates of a node and of the nodes at its places, which are neighbours in the graph, or entries of A.
struct AggregatesAround {
  const Index* of;      // [num_nodes]
  const Offset* begin;  // [num_nodes + 1]
  const Index* degree;  // [num_nodes]; null: all places up to the next node's
  const Index* nodes;   // [places]; null: none
  Index block;          // nodes[place] / block is the node

  __device__ Offset end(Offset node) const { return degree ? begin[node] + degree[node] : begin[node + 1]; }
  __device__ Offset bound(Offset node) const { return of[node] < 0 ? 0 : nodes ? 1 + end(node) - begin[node] : 1; }
  __device__ Index node_at(Offset place) const { return block == 1 ? nodes[place] : nodes[place] / block; }
  template <class F>
  __device__ void visit(Offset node, int lane, int num_lanes, F&& f) const {
    if (of[node] < 0) return;
    if (lane == 0) f(of[node]);
    if (!nodes) return;
    for (Offset s = begin[node] + lane, last = end(node); s < last; s += num_lanes)
      if (const Index aggregate = of[node_at(s)]; aggregate >= 0) f(aggregate);
  }
};

inline constexpr int around_rows = 256;              // of a thread block
inline constexpr int around_room = 16;               // most columns of a row
inline constexpr int around_most = 8 * around_rows;  // most columns of a thread block
/// The length of a row that does not fit, for which its thread block has no room.
inline constexpr int around_too_long = around_most + 1;
/// What a thread block counts whose rows do not fit: more columns than there can be in all.
inline constexpr Offset around_too_many = Offset{1} << 36;

inline constexpr Index no_aggregate = INT32_MAX;

/// A lane's share of the aggregates around a node: some in registers, others looked up whenever they are asked for.
template <int Lanes>
struct AroundShare {
  static constexpr int batch = 8;
  static constexpr Offset most = 16 * batch * Lanes;  // places of a node

  const AggregatesAround& around;
  Index own;
  Offset begin, end;  // of places that are not in registers
  Index found[batch];

  __device__ AroundShare(const AggregatesAround& around, Index node, Index own, int lane)
      : around(around), own(own), begin(0), end(0) {
    if (own >= 0 && around.nodes) begin = around.begin[node] + lane, end = around.end(node);
    Index others[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
      others[k] = begin + k * Lanes < end ? around.nodes[begin + k * Lanes] : -around.block;
    if (around.block > 1) {
#pragma unroll
      for (int k = 0; k < batch; ++k) others[k] /= around.block;
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) found[k] = others[k] < 0 ? own : around.of[others[k]];
    begin += batch * Lanes;
  }
  /// The least aggregate above `last`, or no_aggregate.
  __device__ Index next(Index last) const {
    Index least = own > last ? own : no_aggregate;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (found[k] > last && found[k] < least) least = found[k];
    for (Offset s = begin; s < end; s += Lanes)
      if (const Index other = around.of[around.node_at(s)]; other > last && other < least) least = other;
    return least;
  }
};

// Mapping  `Lanes` threads per node, 256 nodes per thread block.
// Traffic  the nodes' places once, numbers of aggregates from caches; the columns and a byte per row once.
// Result   repeatable: a thread block's rows behind each other in columns[block], how many columns in nums[block].
// Shared   the columns of a row, [room, rows], and of the thread block.
template <int Lanes>
__global__ void __launch_bounds__(around_rows, 6)
    collect_around(AggregatesAround around, Index num_nodes, std::uint8_t* lengths, Index* columns, Offset* nums) {
  constexpr unsigned all = 0xffffffffu;
  __shared__ Index s_rows[around_room][around_rows], s_columns[around_most];
  __shared__ int s_lengths[around_rows];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % Lanes;
  const Offset first = blockIdx.x * Offset{around_rows};
  for (int row = thread / Lanes; row < around_rows; row += around_rows / Lanes) {
    const Offset node = first + row;
    const Index own = node < num_nodes ? around.of[node] : -1;
    AroundShare<Lanes> share(around, static_cast<Index>(node), own, lane);
    Index last = -1;
    int length = share.end - share.begin > share.most ? around_too_long : 0;
    for (bool more = length == 0; __any_sync(all, more);) {
      const Index next = team_min<Lanes>(more ? share.next(last) : no_aggregate);
      more = next < no_aggregate;
      if (more && length == around_room) more = false, length = around_too_long;
      if (!more) continue;
      if (lane == 0) s_rows[length][row] = next;
      ++length, last = next;
    }
    if (lane == 0) s_lengths[row] = length;
  }
  __syncthreads();
  const int length = s_lengths[thread];
  int num;
  const int begin = sum_before<around_rows>(length, num);
  if (first + thread < num_nodes) lengths[first + thread] = static_cast<std::uint8_t>(length);
  if (thread == 0) nums[blockIdx.x] = num <= around_most ? num : around_too_many;
  if (num > around_most) return;
  for (int k = 0; k < length; ++k) s_columns[begin + k] = s_rows[k][thread];
  __syncthreads();
  for (int k = thread; k < num; k += around_rows) columns[blockIdx.x * Offset{around_most} + k] = s_columns[k];
}

// Mapping  a thread block per 256 rows.
// Traffic  columns twice, and a byte and an offset per row.
// Result   repeatable: the rows behind each other. ends: running sums of nums.
inline __global__ void __launch_bounds__(around_rows)
    place_around(const std::uint8_t* lengths, const Index* columns, const Offset* ends, Index num_nodes,
                 Offset* row_ptr, Index* cols) {
  const int thread = static_cast<int>(threadIdx.x);
  const Offset row = blockIdx.x * Offset{around_rows} + thread, before = blockIdx.x > 0 ? ends[blockIdx.x - 1] : 0;
  const int length = row < num_nodes ? lengths[row] : 0;
  int num;
  const int begin = sum_before<around_rows>(length, num);
  if (row < num_nodes) row_ptr[row + 1] = before + begin + length;
  if (row == 0) row_ptr[0] = 0;
  for (int k = thread; k < num; k += around_rows) cols[before + k] = columns[blockIdx.x * Offset{around_most} + k];
}

}  // namespace millrace::cuda
