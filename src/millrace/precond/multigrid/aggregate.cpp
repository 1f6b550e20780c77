// Both steps look only at what the step before has left.
#include "millrace/precond/multigrid/aggregate.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {

Aggregates make_aggregates(Queue& queue, const StrengthGraph& graph) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::make_aggregates(queue, graph);
  const int num_threads = queue.num_threads();
  const GraphView g = graph.view();
  const Index n = g.num_nodes;
  const Array<Key> keys = choose_roots(num_threads, graph);
  Array<Offset> number(Offset{n} + 1);  // of the aggregate that a root makes
  parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) number.data()[i] = state_of(keys.data()[i]) == NodeState::root;
  });
  Aggregates made;
  made.num = static_cast<Index>(lengths_to_offsets(num_threads, number.data(), n));
  made.of = Array<Index>(n);
  Array<Index> first(n);
  parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i)
      first.data()[i] = join_root(g, keys.data(), number.data(), i);
  });
  parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i)
      made.of.data()[i] = first.data()[i] == not_yet ? join_aggregate(g, first.data(), i) : first.data()[i];
  });
  return made;
}

}  // namespace millrace::multigrid
