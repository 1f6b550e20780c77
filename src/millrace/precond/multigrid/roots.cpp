// Rounds over shrinking lists: of nodes that are undecided, and of nodes whose neighbourhood still can change.
#include "millrace/precond/multigrid/roots.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {
namespace {

/// Nodes in ascending order, of which each round keeps some.
class Worklist {
 public:
  Worklist(int num_threads, Index n) : num_threads_(num_threads), nodes_(n), size_(n) {
    parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) nodes_.data()[i] = static_cast<Index>(i);
    });
  }
  bool empty() const { return size_ == 0; }

  /// Calls visit(node) for all, and keeps those for which it says true.
  template <class F>
  void visit_and_keep(F&& visit) {
    const Team threads = threads_for(num_threads_, size_, {.flops = 16});
    std::vector<std::int64_t> kept(to_size(threads));
    parallel(threads, [&](int thread, int count) {
      const auto [begin, end] = even_part(size_, thread, count);
      std::int64_t to = begin;
      for (std::int64_t i = begin; i < end; ++i) {
        const Index node = nodes_.data()[i];
        if (visit(node)) nodes_.data()[to++] = node;
      }
      kept[to_size(thread)] = to - begin;
    });
    std::int64_t size = kept[0];
    for (int thread = 1; thread < threads; ++thread) {
      const Index* from = nodes_.data() + even_part(size_, thread, threads).first;
      std::copy_n(from, kept[to_size(thread)], nodes_.data() + size);
      size += kept[to_size(thread)];
    }
    size_ = size;
  }

 private:
  int num_threads_;
  Array<Index> nodes_;
  std::int64_t size_;
};

}  // namespace

Array<Key> choose_roots(int num_threads, const StrengthGraph& graph) {
  const GraphView g = graph.view();
  const Index n = g.num_nodes;
  Array<Key> keys(n), near(n);  // near: the largest key of a node and its neighbours
  parallel_for(num_threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i) keys.data()[i] = first_key(g, i);
  });
  Worklist open(num_threads, n), changing(num_threads, n);
  while (!open.empty()) {
    changing.visit_and_keep([&](Index i) {
      near.data()[i] = largest_around(g, keys.data(), i);
      return state_of(near.data()[i]) == NodeState::undecided;
    });
    open.visit_and_keep([&](Index i) {
      Key& own = keys.data()[i];
      if (state_of(own) == NodeState::undecided) own = next_key(g, near.data(), own, i);
      return state_of(own) == NodeState::undecided;
    });
  }
  return keys;
}

}  // namespace millrace::multigrid
