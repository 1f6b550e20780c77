// Rounds over lists of nodes on a GPU: each kernel takes the nodes of a list, whose length only the GPU knows, and
// appends those that the next round looks at again to another. The order in a list depends on the order of threads.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/precond/multigrid/graph_view.hpp"
#include "millrace/precond/multigrid/teams.cuh"

namespace millrace::cuda {

using multigrid::GraphView;

/// The nodes of a round: those of a list, or all.
struct Nodes {
  Index all;          // as many as there are, where there is no list
  const Index* list;  // [*num], or null
  const Index* num;

  __device__ Offset size() const { return list ? *num : all; }
  __device__ Index operator[](Offset i) const { return list ? list[i] : static_cast<Index>(i); }
};

/// Where nodes are appended.
struct Kept {
  Index* list;  // null: nothing is kept
  Index* num;
};

inline constexpr int visits_per_thread = 4, threads_of_visits = 256;
template <int Lanes>
inline constexpr int nodes_per_block = visits_per_thread * threads_of_visits / Lanes;

/// Appends the nodes of those lanes of a warp that say so to a list of the thread block. All lanes call it.
__device__ inline void append(bool appends, Index node, Index* s_list, int* s_num) {
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned lanes = __ballot_sync(all, appends);
  if (lanes == 0) return;
  int begin = 0;
  if (lane == 0) begin = atomicAdd(s_num, __popc(lanes));
  begin = __shfl_sync(all, begin, 0);
  if (appends) s_list[begin + __popc(lanes & ((1u << lane) - 1))] = node;
}
/// Appends a thread block's list: one atomic.
__device__ inline void append_all(const Index* s_list, const int* s_num, const Kept& kept) {
  __shared__ Index s_begin;
  __syncthreads();
  if (threadIdx.x == 0) s_begin = atomicAdd(kept.num, *s_num);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < *s_num; i += threads_of_visits) kept.list[s_begin + i] = s_list[i];
}

/// Calls visit(node, writes) for the nodes of this thread block, by all lanes of a node's team and as often in every
/// warp; one lane per node may write. Keeps the nodes for which that lane says true.
template <int Lanes, class F>
__device__ inline void visit_and_keep(const Nodes& nodes, const Kept& kept, F&& visit) {
  constexpr int teams = threads_of_visits / Lanes;
  __shared__ Index s_kept[nodes_per_block<Lanes>];
  __shared__ int s_num;
  const Offset first = blockIdx.x * Offset{nodes_per_block<Lanes>}, end = nodes.size();
  if (first >= end) return;
  if (threadIdx.x == 0) s_num = 0;
  __syncthreads();
  for (int k = 0; k < visits_per_thread; ++k) {
    const Offset i = first + k * teams + static_cast<int>(threadIdx.x) / Lanes;
    const bool writes = i < end && team_lane<Lanes>() == 0;
    const Index node = nodes[i < end ? i : first];  // past the end: a node that another team sees to
    const bool keep = visit(node, writes) && writes;
    if (kept.list) append(keep, node, s_kept, &s_num);
  }
  if (kept.list) append_all(s_kept, &s_num, kept);
}

/// What is to be done with a node: nothing, it stays on the list, or a visit says.
enum class Pick { drop, keep, visit };

/// As visit_and_keep, for the nodes that pick(node, near[node]), which one thread calls for each, wants to be visited:
/// they fill the warps. visit(node, inside) is called with other nodes, too, which are not inside; pick with node -1
/// and `nothing`, too, which it drops.
template <int Lanes, class U, class P, class F>
__device__ inline void visit_picked(const Nodes& nodes, const U* near, U nothing, const Kept& kept, P&& pick,
                                    F&& visit) {
  constexpr int room = nodes_per_block<Lanes>, teams = threads_of_visits / Lanes;
  constexpr int each = (room + threads_of_visits - 1) / threads_of_visits;
  __shared__ Index s_kept[room], s_visited[room];
  __shared__ int s_num_kept, s_num_visited;
  const int thread = static_cast<int>(threadIdx.x);
  const Offset first = blockIdx.x * Offset{room}, end = nodes.size() < first + room ? nodes.size() : first + room;
  if (first >= end) return;
  if (thread == 0) s_num_kept = s_num_visited = 0;
  Index own[each];
  U around[each];
  Pick picked[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const Offset i = first + k * threads_of_visits + thread;
    own[k] = i < end ? nodes[i] : -1;
  }
#pragma unroll
  for (int k = 0; k < each; ++k) around[k] = own[k] < 0 ? nothing : near[own[k]];
#pragma unroll
  for (int k = 0; k < each; ++k) picked[k] = pick(own[k], around[k]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (kept.list) append(picked[k] == Pick::keep, own[k], s_kept, &s_num_kept);
    append(picked[k] == Pick::visit, own[k], s_visited, &s_num_visited);
  }
  __syncthreads();
  const int num = s_num_visited;
  for (int begin = thread / 32 * (32 / Lanes); begin < num; begin += teams) {  // of a warp
    const int at = begin + thread % 32 / Lanes;
    const Index node = s_visited[at < num ? at : begin];
    const bool keep = visit(node, at < num) && at < num && team_lane<Lanes>() == 0;
    if (kept.list) append(keep, node, s_kept, &s_num_kept);
  }
  if (kept.list) append_all(s_kept, &s_num_kept, kept);
}

/// Calls f(value, neighbour) for a lane's share of a node's neighbours, with what `values` has of them. Several are on
/// their way at once, so that the values should be what memory has.
template <int Lanes, class Values, class F>
__device__ inline void visit_around(const GraphView& g, const Values& values, Index node, F&& f) {
  constexpr int batch = Lanes == 1 ? 8 : 4;
  const Index* const row = g.neighbours + g.begin[node];
  const Index degree = g.degree[node];
  for (Index first = team_lane<Lanes>(); first < degree; first += batch * Lanes) {
    Index others[batch];
    std::remove_cvref_t<decltype(values[0])> found[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) others[k] = first + k * Lanes < degree ? row[first + k * Lanes] : node;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (first + k * Lanes < degree) found[k] = values[others[k]];
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (first + k * Lanes < degree) f(found[k], others[k]);
  }
}

}  // namespace millrace::cuda
