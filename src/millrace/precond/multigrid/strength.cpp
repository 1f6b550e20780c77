// The graph in one pass: its rows lie where those of the matrix do.
#include "millrace/precond/multigrid/strength.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/strength_step.hpp"

namespace millrace::multigrid {
namespace {

/// Several rows a node: the strongest of their entries counts.
template <class View>
bool fill_blocks(const View& a, const double* root, Index block, std::uint16_t theta, StrengthGraph& g,
                 std::int64_t first, std::int64_t last) {
  bool complete = true;
  std::vector<Offset> place(to_size(g.num_nodes), -1);  // of a neighbour in the present row
  std::vector<double> strongest;
  for (auto node = static_cast<Index>(first); node < last; ++node) {
    const Offset start = a.row_ptr[Offset{node} * block];
    g.begin.data()[node] = start;
    Offset to = start;
    strongest.clear();
    for (Index r = node * block; r < (node + 1) * block; ++r)
      for (Offset s = a.row_ptr[r]; s < static_cast<Offset>(a.row_ptr[r + 1]); ++s) {
        const Index c = a.cols[s], other = c / block;
        if (other == node) continue;
        if (place[to_size(other)] < start) {
          place[to_size(other)] = to;
          g.neighbours.data()[to++] = other;
          strongest.push_back(0);
        }
        double& now = strongest[to_size(place[to_size(other)] - start)];
        now = std::max(now, std::abs(static_cast<double>(a.vals[s])) / (root[r] * root[c]));
      }
    Offset kept = start;
    for (Offset s = start; s < to; ++s) {
      const std::uint16_t strength = strength_in_steps(strongest[to_size(s - start)]);
      if (strength <= theta) {
        complete = false;
        continue;
      }
      g.neighbours.data()[kept] = g.neighbours.data()[s];
      g.strength.data()[kept++] = strength;
    }
    g.degree.data()[node] = static_cast<Index>(kept - start);
  }
  return complete;
}

}  // namespace

template <class T>
StrengthGraph strength_graph(Queue& queue, const Csr<T>& a, const Diagonal<T>& diagonal, Index block, double theta) {
  StrengthGraph g(queue, a.num_rows / block, a.num_entries());
  const auto theta_steps = static_cast<std::uint16_t>(std::nearbyint(std::min(theta * 256, 65535.0)));
  if constexpr (build::cuda)
    if (!queue.device().on_host()) {
      cuda::find_strong(queue, a, diagonal, block, theta_steps, g);
      return g;
    }
  const int num_threads = queue.num_threads();
  g.begin.data()[g.num_nodes] = a.num_entries();
  Array<double> root(a.num_rows);
  parallel_for(num_threads, a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      root.data()[i] = root_of_share(diagonal.value.data()[i], diagonal.num_beside.data()[i], block);
  });
  std::atomic<bool> complete = true;
  const Team threads = threads_for(num_threads, g.num_nodes, {.flops = 8 * block});
  const StrengthStep<T> step{view_of(a),      root.data(),         theta_steps,      g.begin.data(),
                             g.degree.data(), g.neighbours.data(), g.strength.data()};
  a.visit_view([&](const auto& view) {
    parallel(threads, [&](int thread, int count) {
      const auto [begin, end] = even_part(g.num_nodes, thread, count);
      bool all = true;
      if (block > 1) all = fill_blocks(view, root.data(), block, theta_steps, g, begin, end);
      for (std::int64_t r = begin; block == 1 && r < end; ++r) all &= step(r);
      if (!all) complete = false;
    });
  });
  g.complete = complete;
  return g;
}

template StrengthGraph strength_graph(Queue&, const Csr<float>&, const Diagonal<float>&, Index, double);
template StrengthGraph strength_graph(Queue&, const Csr<double>&, const Diagonal<double>&, Index, double);

}  // namespace millrace::multigrid
