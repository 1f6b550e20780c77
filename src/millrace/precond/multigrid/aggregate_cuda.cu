// Roots and aggregates on a GPU: one thread per node, in the rounds of the host.
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// As on the host; nodes that are decided cost 8 bytes in a round.
Array<Key> choose_roots(DeviceSteps& steps, const GraphView& g) {
  const Offset n = g.num_nodes;
  Array<Key> keys = steps.scratch<Key>(n), nears = steps.scratch<Key>(n);
  Key *const key = keys.data(), *const near = nears.data();
  steps.for_each(n, [=] __device__(Offset i) {
    key[i] = first_key(g, static_cast<Index>(i));
    near[i] = make_key(NodeState::undecided, 0);
  });
  Offset open = n;
  while (open > 0) {
    steps.for_each(n, [=] __device__(Offset i) {
      if (state_of(near[i]) == NodeState::undecided) near[i] = largest_around(g, key, static_cast<Index>(i));
    });
    open = steps.sum(n, [=] __device__(Offset i) {
      const Key own = key[i];
      if (state_of(own) != NodeState::undecided) return Offset{0};
      const Key next = next_key(g, near, own, static_cast<Index>(i));
      key[i] = next;
      return Offset{next == own};
    });
  }
  return keys;
}

}  // namespace

Aggregates make_aggregates(Queue& queue, const StrengthGraph& graph) {
  DeviceSteps steps(queue);
  const GraphView g = graph.view();
  const Offset n = g.num_nodes;
  const Array<Key> keys = choose_roots(steps, g);
  const Key* const key = keys.data();
  Array<Offset> numbers = steps.scratch<Offset>(n);
  Offset* const number = numbers.data();
  steps.for_each(n, [=] __device__(Offset i) { number[i] = state_of(key[i]) == NodeState::root; });
  steps.scan(number, n);
  Aggregates made;
  made.num = n > 0 ? static_cast<Index>(steps.read(static_cast<const Offset*>(number) + n - 1)) : 0;
  steps.for_each(n, [=] __device__(Offset i) { --number[i]; });
  made.of = Array<Index>(queue, n);
  Array<Index> firsts = steps.scratch<Index>(n);
  Index *const first = firsts.data(), *const of = made.of.data();
  steps.for_each(n, [=] __device__(Offset i) { first[i] = join_root(g, key, number, static_cast<Index>(i)); });
  steps.for_each(n, [=] __device__(Offset i) {
    of[i] = first[i] == not_yet ? join_aggregate(g, first, static_cast<Index>(i)) : first[i];
  });
  return made;
}

}  // namespace millrace::cuda
