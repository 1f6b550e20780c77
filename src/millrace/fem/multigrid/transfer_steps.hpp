// The arithmetic of transfers on some elements, written for a team: one thread of the host or a block of a GPU.
#pragma once

#include <cstdint>

#include "millrace/fem/multigrid/transfer_plan.hpp"

namespace millrace::multigrid {

/// What a transfer reads, where it runs. Every free fine node belongs to one of its elements, the first that has it.
template <class W>
struct TransferView {
  Index num_elem = 0;
  const Index* fine = nullptr;    // [num_elem, fine nodes]: the node, or -1: another element's, or constrained
  const Index* coarse = nullptr;  // [num_elem, coarse nodes]: the node, or -1: constrained, and zero
  const W* table = nullptr;       // [rows, cols] of the stages
  std::int64_t fine_stride = 0;   // component c of fine node n is entry n + c * fine_stride,
  std::int64_t coarse_node = 1, coarse_comp = 0;  // of coarse node n it is n * coarse_node + c * coarse_comp

  MILLRACE_HD std::int64_t fine_entry(Index n, int comp) const { return n + comp * fine_stride; }
  MILLRACE_HD std::int64_t coarse_entry(Index n, int comp) const { return n * coarse_node + comp * coarse_comp; }
};

/// What elements contribute to each coarse node.
struct NodeSums {
  Index num_nodes = 0;
  const Index* first = nullptr;   // [num_nodes + 1]
  const Index* places = nullptr;  // [first[num_nodes]]: in [num_elem, coarse nodes], ascending; none where constrained
};

/// A team of one.
struct HostTeam {
  template <class F>
  MILLRACE_HD void for_each(int n, const F& f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
  /// The same for what waits for memory: a GPU has several on their way.
  template <class F>
  MILLRACE_HD void load_each(int n, const F& f) const {
    for_each(n, f);
  }
  MILLRACE_HD void sync() const {}
};

/// Stage K of `count` elements: put(k, value) for every entry k of its result, with a function `value` that computes
/// it.
template <int K, bool back, class Team, class Plan, class W, class Put>
MILLRACE_HD void run_stage(const Team& team, const Plan& plan, int count, const W* table, const W* in, const Put& put) {
  const TransferStage s = plan.template stage<K>();
  const int rows = back ? s.cols : s.rows, cols = back ? s.rows : s.cols;
  team.for_each(count * s.outer * rows * s.inner, [&](int k) {
    put(k, [&] {
      const int line = k / s.inner, o = line / rows, r = line - o * rows;
      const W* const x = in + o * cols * s.inner + (k - line * s.inner);
      W sum{};
      for (int c = 0; c < cols; ++c) sum += table[back ? c * s.cols + r : r * s.cols + c] * x[c * s.inner];
      return sum;
    });
  });
}

/// All stages from K on; `in` and `out` change places in between. The results of the last go to `put`.
template <int K, class Team, class Plan, class W, class Put>
MILLRACE_HD void run_forward(const Team& team, const Plan& plan, int count, const W* table, W* in, W* out,
                             const Put& put) {
  if (K + 1 == plan.num_stages()) return run_stage<K, false>(team, plan, count, table, in, put);
  if constexpr (K < 2) {
    run_stage<K, false>(team, plan, count, table, in, [&](int k, const auto& value) { out[k] = value(); });
    team.sync();
    run_forward<K + 1>(team, plan, count, table, out, in, put);
  }
}

/// Their transposes, from K back to the first.
template <int K, class Team, class Plan, class W, class Put>
MILLRACE_HD void run_back(const Team& team, const Plan& plan, int count, const W* table, W* in, W* out,
                          const Put& put) {
  if constexpr (K == 0) {
    run_stage<0, true>(team, plan, count, table, in, put);
  } else {
    run_stage<K, true>(team, plan, count, table, in, [&](int k, const auto& value) { out[k] = value(); });
    team.sync();
    run_back<K - 1>(team, plan, count, table, out, in, put);
  }
}

/// y += P x of `count` elements from `first` on: each writes the fine nodes that belong to it.
/// buffer [count * (fine_nodes + middle)].
template <class Team, class Plan, class W>
MILLRACE_HD void prolong_elements(const Team& team, const Plan& plan, const TransferView<W>& view, const W* table,
                                  Index first, int count, int comp, const W* x, W* y, W* buffer) {
  const Index* const coarse = view.coarse + static_cast<std::int64_t>(first) * plan.coarse_nodes;
  const Index* const fine = view.fine + static_cast<std::int64_t>(first) * plan.fine_nodes;
  team.for_each(count * plan.coarse_nodes,
                [&](int k) { buffer[k] = coarse[k] < 0 ? W{} : x[view.coarse_entry(coarse[k], comp)]; });
  team.sync();
  run_forward<0>(team, plan, count, table, buffer, buffer + count * plan.fine_nodes, [&](int k, const auto& value) {
    if (fine[k] >= 0) y[view.fine_entry(fine[k], comp)] += value();
  });
}

/// What `count` elements contribute to P^T (b - q): to contributions [count, coarse_nodes]. q null: nothing is taken.
template <class Team, class Plan, class W>
MILLRACE_HD void restrict_elements(const Team& team, const Plan& plan, const TransferView<W>& view, const W* table,
                                   Index first, int count, int comp, const W* b, const W* q, W* contributions,
                                   W* buffer) {
  const Index* const fine = view.fine + static_cast<std::int64_t>(first) * plan.fine_nodes;
  team.load_each(count * plan.fine_nodes, [&](int k) {
    W value{};
    if (fine[k] >= 0) {
      const std::int64_t i = view.fine_entry(fine[k], comp);
      value = q ? b[i] - q[i] : b[i];
    }
    buffer[k] = value;
  });
  team.sync();
  W* const other = buffer + count * plan.fine_nodes;
  const auto put = [&](int k, const auto& value) { contributions[k] = value(); };
  if (plan.num_stages() == 3)
    run_back<2>(team, plan, count, table, buffer, other, put);
  else if (plan.num_stages() == 2)
    run_back<1>(team, plan, count, table, buffer, other, put);
  else
    run_back<0>(team, plan, count, table, buffer, other, put);
}

/// The sum at one coarse node.
template <class W>
MILLRACE_HD W sum_at_node(const NodeSums& sums, Index node, const W* contributions) {
  W sum{};
  for (Index s = sums.first[node]; s < sums.first[node + 1]; ++s) sum += contributions[sums.places[s]];
  return sum;
}

}  // namespace millrace::multigrid
