// The kernels of aggregate.cpp on a GPU, once roots are known.
#pragma once

#include "millrace/precond/multigrid/roots_cuda.cuh"

namespace millrace::cuda {

inline constexpr int nodes_per_count = visits_per_thread * threads_of_visits;

/// Calls f(node, rank) for the roots among a thread block's nodes, `rank` of them before that one. Returns how many.
template <class F>
__device__ inline int visit_roots(const std::uint8_t* state, Index num_nodes, F&& f) {
  constexpr int warps = threads_of_visits / 32, pieces = warps * visits_per_thread;
  __shared__ int s_num[pieces];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const Offset first = blockIdx.x * Offset{nodes_per_count} + threadIdx.x;
  unsigned lanes[visits_per_thread];
#pragma unroll
  for (int k = 0; k < visits_per_thread; ++k) {
    const Offset i = first + k * threads_of_visits;
    const bool root = i < num_nodes && static_cast<NodeState>(state[i]) == NodeState::root;
    lanes[k] = __ballot_sync(0xffffffffu, root);
    if (lane == 0) s_num[k * warps + warp] = __popc(lanes[k]);
  }
  __syncthreads();
  int rank = 0, total = 0;
  for (int piece = 0, k = 0; piece < pieces; ++piece) {
    if (k < visits_per_thread && piece == k * warps + warp) {
      rank = total + __popc(lanes[k] & ((1u << lane) - 1));
      if (lanes[k] >> lane & 1) f(static_cast<Index>(first + k * threads_of_visits), rank);
      ++k;
    }
    total += s_num[piece];
  }
  return total;
}

// Mapping  a thread block per 1024 nodes.
// Traffic  the states once.
// Result   repeatable.
inline __global__ void __launch_bounds__(threads_of_visits)
    count_roots(const std::uint8_t* state, Index num_nodes, Offset* nums) {
  const int num = visit_roots(state, num_nodes, [](Index, int) {});
  if (threadIdx.x == 0) nums[blockIdx.x] = num;
}

// Mapping  as count_roots, with the running sums of its numbers.
// Traffic  the states once, a number per root.
// Result   repeatable: of[root] is how many roots come before it.
inline __global__ void __launch_bounds__(threads_of_visits)
    number_roots(const std::uint8_t* state, Index num_nodes, const Offset* sums, Index* of) {
  const Offset before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
  visit_roots(state, num_nodes, [&](Index node, int rank) { of[node] = static_cast<Index>(before) + rank; });
}

// Mapping  one thread per node.
// Traffic  the nodes' near, the numbers of these roots from caches, the result once.
// Result   repeatable but for the order of the list: as join_roots, where `near` names the root beside a node.
inline __global__ void __launch_bounds__(threads_of_visits)
    join_known_roots(GraphView g, const Near* near, Kept rest, Index* of) {
  visit_and_keep<1>(Nodes{g.num_nodes, nullptr, nullptr}, rest, [&](Index node, bool writes) {
    if (!writes) return false;
    const Near around = near[node];
    const auto root = static_cast<Index>(around & ~near_root);
    const bool joins = around >= near_root;
    if (joins && root == node) return false;
    of[node] = joins ? of[root] : g.degree[node] == 0 ? multigrid::alone : multigrid::not_yet;
    return !joins && g.degree[node] > 0;
  });
}

// Mapping  `Lanes` threads per node.
// Traffic  rows once, states of neighbours and numbers of roots from caches, the result once. Strengths only where a
//          node is beside several roots, as in graphs that are not symmetric.
// Result   repeatable but for the order of the list: step 1, in all nodes but roots, whose numbers are there already;
//          those that step 2 places are kept.
template <int Lanes>
__global__ void __launch_bounds__(threads_of_visits)
    join_roots(GraphView g, const std::uint8_t* state, Kept rest, Index* of) {
  visit_and_keep<Lanes>(Nodes{g.num_nodes, nullptr, nullptr}, rest, [&](Index node, bool writes) {
    const bool asks = static_cast<NodeState>(state[node]) != NodeState::root;
    int num_roots = 0;
    Index last = -1;
    if (asks)
      visit_around<Lanes>(g, state, node, [&](std::uint8_t its, Index other) {
        if (static_cast<NodeState>(its) == NodeState::root) ++num_roots, last = other;
      });
    num_roots = team_sum<Lanes>(num_roots);
    last = team_max<Lanes>(last);
    if (!asks || !writes) return false;
    Index joined = g.degree[node] == 0 ? multigrid::alone : multigrid::not_yet;
    if (num_roots == 1) joined = of[last];
    if (num_roots > 1) joined = multigrid::join_root(g, StateKeys{state}, of, node);
    of[node] = joined;
    return joined == multigrid::not_yet;
  });
}

/// A lane's share of the first 256 neighbours of a node: their aggregates and strengths are in registers, or looked up
/// whenever they are asked for.
template <int Lanes>
struct Couplings {
  static constexpr int batch = 8;
  static constexpr Index most = 256;

  const Index* of;                // [num_nodes], as step 1 has left it
  const Index* neighbours;        // [num]
  const std::uint16_t* strength;  // [num]
  Index num;
  Index aggregates[batch];
  int strengths[batch];

  __device__ Couplings(const GraphView& g, const Index* of, Index node)
      : of(of),
        neighbours(g.neighbours + g.begin[node]),
        strength(g.strength + g.begin[node]),
        num(min(g.degree[node], most)) {
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const Index place = team_lane<Lanes>() + k * Lanes;
      aggregates[k] = place < num ? neighbours[place] : -1;
      strengths[k] = place < num ? strength[place] : 0;
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (aggregates[k] >= 0) aggregates[k] = of[aggregates[k]];
  }
  /// Calls f(aggregate, strength()) for all of them.
  template <class F>
  __device__ void visit(F&& f) const {
#pragma unroll
    for (int k = 0; k < batch; ++k) f(aggregates[k], [&] { return strengths[k]; });
    for (Index k = team_lane<Lanes>() + batch * Lanes; k < num; k += Lanes)
      f(of[neighbours[k]], [&] { return int{strength[k]}; });
  }
};

/// An aggregate with the sum of a node's strengths to it, as join_aggregate compares them.
struct Choice {
  Key rank = multigrid::mix_bits(static_cast<std::uint32_t>(multigrid::alone));
  Index aggregate = multigrid::alone;

  __device__ void take(Index other, int sum) {
    const Key its = Key{static_cast<std::uint32_t>(sum)} << 32 | multigrid::mix_bits(static_cast<std::uint32_t>(other));
    if (its > rank) rank = its, aggregate = other;
  }
};

// Mapping  `Lanes` threads per node of a list, which go through its aggregates, one after another as they ascend.
// Traffic  rows of these nodes and their neighbours' aggregates once, for up to 8 neighbours per thread; one number per
//          node.
// Result   repeatable: joined[i] is what join_aggregate says of node i of the list.
template <int Lanes>
__global__ void __launch_bounds__(threads_of_visits)
    join_rest(GraphView g, Nodes rest, const Index* of, Index* joined) {
  const Offset first = blockIdx.x * Offset{threads_of_visits / Lanes},
               i = first + static_cast<int>(threadIdx.x) / Lanes;
  if (first >= rest.size()) return;
  const bool inside = i < rest.size();
  const Couplings<Lanes> around(g, of, rest[inside ? i : first]);
  Choice best;
  Index last = multigrid::alone;
  for (;;) {
    Index next = INT32_MAX;
    around.visit([&](Index aggregate, auto) {
      if (aggregate > last && aggregate < next) next = aggregate;
    });
    next = team_min<Lanes>(next);
    if (!__any_sync(0xffffffffu, next < INT32_MAX)) break;
    int sum = 0;
    around.visit([&](Index aggregate, auto strength) {
      if (aggregate == next) sum += strength();
    });
    sum = team_sum<Lanes>(sum);
    if (next < INT32_MAX) best.take(next, sum);
    last = next;
  }
  if (inside && team_lane<Lanes>() == 0) joined[i] = best.aggregate;
}

}  // namespace millrace::cuda
