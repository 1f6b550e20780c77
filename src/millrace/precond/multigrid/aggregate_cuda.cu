// Roots and aggregates on a GPU, in the rounds of the host.
#include <algorithm>

#include "millrace/precond/multigrid/join_cuda.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// What the host asks for once.
struct AggregateSizes {
  Index num_rest, num_aggregates;  // nodes of step 2
};

/// Makes the aggregates of a graph that has nodes, with `Lanes` threads per node.
template <int Lanes>
class AggregateMaker {
 public:
  AggregateMaker(Queue& queue, const GraphView& g)
      : queue_(queue),
        steps_(queue),
        g_(g),
        state_(steps_.scratch<std::uint8_t>(g.num_nodes)),
        near_(steps_.scratch<Near>(g.num_nodes)) {
    for (Array<Index>& list : lists_) list = steps_.scratch<Index>(g.num_nodes);
  }

  Aggregates run() {
    choose_roots();
    Aggregates made;
    made.of = Array<Index>(queue_, g_.num_nodes);
    const Offset num_blocks = cuda::num_blocks(g_.num_nodes, nodes_per_count);
    Array<Offset> memory = steps_.scratch<Offset>(num_blocks);
    Offset* const sums = memory.data();
    launch("count_roots", count_roots, num_blocks, state(), g_.num_nodes, sums);
    steps_.scan(sums, num_blocks);
    launch("number_roots", number_roots, num_blocks, state(), g_.num_nodes, sums, made.of.data());
    made.num = join(made.of.data(), sums + num_blocks - 1);
    return made;
  }

  // Public, as functions with lambdas for a GPU must be:
  void choose_roots();
  Index join(Index* of, const Offset* num_roots);

 private:
  template <class Kernel, class... Args>
  void launch(const char* name, Kernel kernel, Offset blocks, Args... args) {
    kernel<<<static_cast<unsigned>(std::max(blocks, Offset{1})), threads_of_visits, 0, queue_.stream()>>>(args...);
    check_launch(name, queue_.stream());
  }
  const std::uint8_t* state() const { return state_.data(); }

  Queue& queue_;
  DeviceSteps steps_;
  GraphView g_;
  Array<std::uint8_t> state_;  // as in RootsOutput
  Array<Near> near_;
  Array<Index> lists_[2];
  bool mutual_ = false;  // as run_rounds says
};

template <int Lanes>
void AggregateMaker<Lanes>::choose_roots() {
  Array<Counts> memory = steps_.scratch<Counts>(1);
  Counts* const counts = memory.data();
  steps_.set(counts, Counts{});
  mutual_ = run_rounds<Lanes>(
      g_, RootsOutput{state_.data(), near_.data(), {lists_[0].data(), lists_[1].data()}, counts},
      [&](const char* name, auto kernel, Index most, const auto&... args) {
        launch(name, kernel, num_blocks(most, nodes_per_block<Lanes>), args...);
      },
      [&] { return steps_.read(counts); });
}

/// Returns how many aggregates there are.
template <int Lanes>
Index AggregateMaker<Lanes>::join(Index* of, const Offset* num_roots) {
  Array<AggregateSizes> memory = steps_.scratch<AggregateSizes>(1);
  AggregateSizes* const sizes = memory.data();
  steps_.for_each(1, [=] __device__(Offset) { *sizes = {0, static_cast<Index>(*num_roots)}; });
  Index *const rest = lists_[0].data(), *const joined = lists_[1].data();
  const Kept kept{rest, &sizes->num_rest};
  if (mutual_)
    launch("join_known_roots", join_known_roots, num_blocks(g_.num_nodes, nodes_per_block<1>), g_,
           static_cast<const Near*>(near_.data()), kept, of);
  else
    launch("join_roots", join_roots<Lanes>, num_blocks(g_.num_nodes, nodes_per_block<Lanes>), g_, state(), kept, of);
  const AggregateSizes found = steps_.read(sizes);
  if (found.num_rest == 0) return found.num_aggregates;
  launch("join_rest", join_rest<Lanes>, num_blocks(Offset{found.num_rest} * Lanes, threads_of_visits), g_,
         Nodes{found.num_rest, rest, &sizes->num_rest}, static_cast<const Index*>(of), joined);
  steps_.for_each(found.num_rest, [=] __device__(Offset i) { of[rest[i]] = joined[i]; });
  return found.num_aggregates;
}

}  // namespace

Aggregates make_aggregates(Queue& queue, const StrengthGraph& graph) {
  if (graph.num_nodes == 0) return {0, Array<Index>(queue, 0)};
  if (graph.neighbours.size() > Offset{12} * graph.num_nodes) return AggregateMaker<8>(queue, graph.view()).run();
  return AggregateMaker<1>(queue, graph.view()).run();
}

}  // namespace millrace::cuda
