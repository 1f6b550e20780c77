// Both steps look only at what the step before has left.
#include "millrace/precond/multigrid/aggregate.hpp"

#include <algorithm>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {
namespace {

constexpr Index not_yet = -2, alone = -1;

/// The aggregate of the root that a node joins, or not_yet.
Index join_root(const StrengthGraph& g, const Key* keys, const Offset* number, Index node) {
  const Index* row = g.row(node);
  const std::uint16_t* strength = g.strength.data() + g.begin.data()[node];
  std::uint16_t strongest = 0;
  Key largest = 0;
  for (Index k = 0; k < g.degree.data()[node]; ++k) {
    const Key key = keys[row[k]];
    if (state_of(key) != NodeState::root) continue;
    if (strength[k] > strongest || (strength[k] == strongest && key > largest)) strongest = strength[k], largest = key;
  }
  return largest == 0 ? not_yet : static_cast<Index>(number[node_of(largest)]);
}

/// The aggregate that surrounds a node most, of those that step 1 made.
Index join_aggregate(const StrengthGraph& g, const Index* first, Index node) {
  constexpr int most = 64;
  Index around[most];
  std::uint64_t sums[most];
  int num = 0;
  const Index* row = g.row(node);
  const std::uint16_t* strength = g.strength.data() + g.begin.data()[node];
  for (Index k = 0; k < g.degree.data()[node]; ++k) {
    const Index aggregate = first[row[k]];
    if (aggregate < 0) continue;
    int at = 0;
    while (at < num && around[at] != aggregate) ++at;
    if (at == num) {
      if (num == most) continue;
      around[num] = aggregate, sums[num++] = 0;
    }
    sums[at] += strength[k];
  }
  Index best = alone;
  std::uint64_t best_sum = 0;
  for (int i = 0; i < num; ++i)
    if (sums[i] > best_sum || (sums[i] == best_sum && mix_bits(static_cast<std::uint32_t>(around[i])) >
                                                          mix_bits(static_cast<std::uint32_t>(best))))
      best = around[i], best_sum = sums[i];
  return best;
}

}  // namespace

Aggregates make_aggregates(int num_threads, const StrengthGraph& g) {
  const Index n = g.num_nodes;
  const Array<Key> keys = choose_roots(num_threads, g);
  Array<Offset> number(Offset{n} + 1);  // of the aggregate that a root makes
  parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) number.data()[i] = state_of(keys.data()[i]) == NodeState::root;
  });
  Aggregates made;
  made.num = static_cast<Index>(lengths_to_offsets(num_threads, number.data(), n));
  made.of = Array<Index>(n);
  Array<Index> first(n);
  parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i) {
      const bool root = state_of(keys.data()[i]) == NodeState::root;
      first.data()[i] = root                      ? static_cast<Index>(number.data()[i])
                        : g.degree.data()[i] == 0 ? alone
                                                  : join_root(g, keys.data(), number.data(), i);
    }
  });
  parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i)
      made.of.data()[i] = first.data()[i] == not_yet ? join_aggregate(g, first.data(), i) : first.data()[i];
  });
  return made;
}

}  // namespace millrace::multigrid
