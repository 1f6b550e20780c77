// The kernels of roots.cpp on a GPU. A key is made from a node's state, one byte; of the largest key around a node four
// bytes are kept. All rounds read what the round before has left. Where every node is a neighbour of its neighbours, as
// nearly always, a root is the largest around all of them when it becomes one, so that most rows need not be read
// again: roots are the same.
#pragma once

#include "millrace/precond/multigrid/worklist.cuh"

namespace millrace::cuda {

using multigrid::Key;
using multigrid::NodeState;

/// The largest key of a node and its neighbours: the undecided node that has it, near_out, or near_root and, where it
/// is known, the root.
using Near = std::uint32_t;
inline constexpr Near near_out = 0x7fffffffu, near_root = 0x80000000u;

__device__ inline Near to_near(Key key) {
  const NodeState state = multigrid::state_of(key);
  if (state == NodeState::undecided) return static_cast<Near>(multigrid::node_of(key));
  return state == NodeState::root ? near_root : near_out;
}
/// Of two nodes that are no longer undecided all keys are equal.
__device__ inline Key to_key(Near near) {
  if (near >= near_root) return Key{static_cast<std::uint32_t>(NodeState::root)} << 62;
  return near == near_out ? Key{0} : multigrid::make_key(NodeState::undecided, static_cast<Index>(near));
}

/// Keys of nodes from their states, and of what is near them.
struct StateKeys {
  const std::uint8_t* values;  // [num_nodes]: of NodeState
  __device__ static Key key_of(std::uint8_t state, Index node) {
    return multigrid::make_key(static_cast<NodeState>(state), node);
  }
  __device__ Key operator[](Index node) const { return key_of(values[node], node); }
};
struct NearKeys {
  const Near* values;  // [num_nodes]
  __device__ static Key key_of(Near near, Index) { return to_key(near); }
};
struct NodesThemselves {
  __device__ Index operator[](Index node) const { return node; }
};

/// The larger of a key and those of a node's neighbours, for all lanes of a team; `asks`: look at these.
template <int Lanes, class Keys>
__device__ inline Key largest_with(const GraphView& g, const Keys& keys, Index node, Key most, bool asks) {
  if (asks)
    visit_around<Lanes>(g, keys.values, node, [&](auto value, Index other) {
      const Key key = Keys::key_of(value, other);
      most = key > most ? key : most;
    });
  return team_max<Lanes>(most);
}

/// How many nodes the lists hold, and whether neighbours are so mutually.
struct Counts {
  Index changing[3];
  unsigned long long one_sided;  // 0: all are
};

// Mapping  `Lanes` threads per node, 1024 / Lanes nodes per thread block.
// Traffic  all rows once, degrees of neighbours from caches; a state and a near per node.
// Result   repeatable. A sum over all pairs of neighbours of (bits - other bits) (bits xor other bits), which changes
//          its sign with their order: that it is 0 by chance is as seldom as that two patterns have one hash
//          (pattern_hash.hpp).
template <int Lanes>
__global__ void __launch_bounds__(threads_of_visits)
    find_first_near(GraphView g, Near* near, std::uint8_t* state, unsigned long long* one_sided) {
  unsigned long long from = 0, to = 0;
  visit_and_keep<Lanes>(Nodes{g.num_nodes, nullptr, nullptr}, Kept{nullptr, nullptr}, [&](Index node, bool writes) {
    const Key own = multigrid::first_key(g, node);
    const std::uint32_t bits = multigrid::mix_bits(static_cast<std::uint32_t>(node));
    const bool counts = team_max<Lanes>(int{writes}) > 0;  // not past the end
    Key most = own;
    visit_around<Lanes>(g, g.degree, node, [&](Index degree, Index other) {
      const Key key = multigrid::make_key(degree > 0 ? NodeState::undecided : NodeState::out, other);
      most = key > most ? key : most;
      const std::uint32_t other_bits = multigrid::mix_bits(static_cast<std::uint32_t>(other));
      const Key both = counts ? bits ^ other_bits : 0;
      from += both * bits, to += both * other_bits;
    });
    most = team_max<Lanes>(most);
    if (!writes) return false;
    near[node] = to_near(most);
    state[node] = static_cast<std::uint8_t>(multigrid::state_of(own));
    return false;
  });
  from = team_sum<32>(from - to);
  if (threadIdx.x % 32 == 0 && from != 0) atomicAdd(one_sided, from);
}

// Mapping  a thread per node, then `Lanes` threads per node whose largest is out.
// Traffic  the nodes' near and the states of these; rows of those whose largest is out.
// Result   repeatable but for the order of the list: near as it is where neighbours are so mutually; nodes are kept
//          whose near is of an undecided one. *clear: 0.
template <int Lanes>
__global__ void __launch_bounds__(threads_of_visits)
    follow_near(GraphView g, const std::uint8_t* state, Nodes nodes, Kept changing, Index* clear, Near* near) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *clear = 0;
  visit_picked<Lanes>(
      nodes, near, near_out, changing,
      [&](Index, Near around) {
        const auto its = static_cast<NodeState>(state[around < near_out ? around : 0]);
        return around >= near_out ? Pick::drop : its == NodeState::undecided ? Pick::keep : Pick::visit;
      },
      [&](Index node, bool inside) {
        const Near before = inside ? near[node] : near_out;
        const bool asks = inside && static_cast<NodeState>(state[before]) == NodeState::out;
        const StateKeys keys{state};
        const Near found = to_near(largest_with<Lanes>(g, keys, node, keys[node], asks));
        if (inside && team_lane<Lanes>() == 0) near[node] = asks ? found : near_root | before;
        return asks && found < near_out;
      });
}

// Mapping  a thread per node, then `Lanes` threads per node that may become a root, or has one beside it.
// Traffic  the nodes' near; rows of these.
// Result   repeatable: a node that is the largest around itself and around its neighbours becomes a root; what a root's
//          neighbours have around them is out.
template <int Lanes>
__global__ void __launch_bounds__(threads_of_visits, 6)
    settle(GraphView g, const Near* near, Nodes nodes, std::uint8_t* state) {
  visit_picked<Lanes>(
      nodes, near, near_out, Kept{nullptr, nullptr},
      [&](Index node, Near around) {
        return around >= near_root || around == static_cast<Near>(node) ? Pick::visit : Pick::drop;
      },
      [&](Index node, bool inside) {
        constexpr auto out = static_cast<std::uint8_t>(NodeState::out);
        const Near around = near[node];
        const auto root = static_cast<Index>(around & ~near_root);
        const bool writes = inside && team_lane<Lanes>() == 0;
        int num_others = 0;
        if (inside && around >= near_root) {
          visit_around<Lanes>(g, NodesThemselves{}, node, [&](Index other, Index) {
            if (other != root) state[other] = out;
          });
          if (writes && node != root) state[node] = out;
        } else if (inside) {
          visit_around<Lanes>(g, near, node, [&](Near other, Index) { num_others += other != around; });
        }
        num_others = team_sum<Lanes>(num_others);
        if (writes && around < near_root && num_others == 0) state[node] = static_cast<std::uint8_t>(NodeState::root);
        return false;
      });
}

// Mapping  `Lanes` threads per node, 1024 / Lanes nodes per thread block.
// Traffic  rows of these nodes once, the states of neighbours from caches.
// Result   repeatable but for the order of the list, in any graph; nodes are kept whose near is of an undecided one.
//          *clear: 0.
template <int Lanes>
__global__ void __launch_bounds__(threads_of_visits)
    find_near(GraphView g, const std::uint8_t* state, Nodes nodes, Kept changing, Index* clear, Near* near) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *clear = 0;
  const StateKeys keys{state};
  visit_and_keep<Lanes>(nodes, changing, [&](Index node, bool writes) {
    const Near most = to_near(largest_with<Lanes>(g, keys, node, keys[node], true));
    if (writes) near[node] = most;
    return most < near_out;
  });
}

// Mapping  as find_near.
// Traffic  the nodes' states and own near, and rows of undecided nodes that are not beside a root.
// Result   repeatable, in any graph.
template <int Lanes>
__global__ void __launch_bounds__(threads_of_visits, 5)
    decide(GraphView g, const Near* near, Nodes nodes, std::uint8_t* state) {
  visit_and_keep<Lanes>(nodes, Kept{nullptr, nullptr}, [&](Index node, bool writes) {
    const Near around = near[node];
    const bool undecided = static_cast<NodeState>(state[node]) == NodeState::undecided;
    const Key most = largest_with<Lanes>(g, NearKeys{near}, node, to_key(around), undecided && around < near_root);
    if (!writes || !undecided) return false;
    if (most == multigrid::make_key(NodeState::undecided, node))
      state[node] = static_cast<std::uint8_t>(NodeState::root);
    if (multigrid::state_of(most) == NodeState::root) state[node] = static_cast<std::uint8_t>(NodeState::out);
    return false;
  });
}

struct RootsOutput {
  std::uint8_t* state;  // [num_nodes]: of NodeState, of which none is undecided afterwards
  Near* near;           // [num_nodes]
  Index* lists[2];      // [num_nodes]: nodes whose near may change; all undecided ones are among them
  Counts* counts;       // zeros
};

/// Runs rounds until no node is undecided. launch(name, kernel, most, args...) runs a kernel for up to `most` nodes,
/// look() says what *counts is, and takes as long as a round of many nodes. True: neighbours are so mutually, and
/// `near` names the root beside a node.
template <int Lanes, class Launch, class Look>
bool run_rounds(const GraphView& g, const RootsOutput& out, Launch&& launch, Look&& look) {
  constexpr Index many = 1 << 18;
  const Index n = g.num_nodes;
  const Nodes all{n, nullptr, nullptr};
  const auto changing = [&](int k) { return Kept{out.lists[k % 2], &out.counts->changing[k % 3]}; };
  const Near* const near = out.near;
  const std::uint8_t* const state = out.state;
  launch("find_first_near", find_first_near<Lanes>, n, g, out.near, out.state, &out.counts->one_sided);
  const bool mutual = look().one_sided == 0;
  launch("settle", mutual ? settle<Lanes> : decide<Lanes>, n, g, near, all, out.state);
  Index most = n;
  for (int round = 0, next_look = 1; most > 0; ++round) {
    const Kept from = changing(round), to = changing(round + 1);
    const Nodes nodes = round == 0 ? all : Nodes{n, from.list, from.num};
    launch("follow_near", mutual ? follow_near<Lanes> : find_near<Lanes>, most, g, state, nodes, to,
           changing(round + 2).num, out.near);
    launch("settle", mutual ? settle<Lanes> : decide<Lanes>, most, g, near, nodes, out.state);
    if (round < next_look) continue;
    most = look().changing[(round + 1) % 3];
    next_look = round + (most > many ? 2 : 4);
  }
  return mutual;
}

}  // namespace millrace::cuda
