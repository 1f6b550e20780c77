// The graph in one pass: its rows lie where those of the matrix do.
#include "millrace/precond/multigrid/strength.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {
namespace {

std::uint16_t in_steps(double strength) {
  constexpr double most = 65535;
  return static_cast<std::uint16_t>(std::max(1.0, std::nearbyint(std::min(strength * 256, most))));
}

/// One node of one row; columns of a row that come twice are two neighbours.
template <class View>
bool fill_rows(const View& a, const double* root, double theta, StrengthGraph& g, std::int64_t first,
               std::int64_t last) {
  bool complete = true;
  for (auto r = static_cast<Index>(first); r < last; ++r) {
    const Offset start = a.row_ptr[r];
    g.begin.data()[r] = start;
    Offset to = start;
    for (Offset s = start; s < static_cast<Offset>(a.row_ptr[r + 1]); ++s) {
      const Index c = a.cols[s];
      if (c == r) continue;
      const double strength = std::abs(static_cast<double>(a.vals[s])) / (root[r] * root[c]);
      if (!(strength > theta)) {
        complete = false;
        continue;
      }
      g.neighbours.data()[to] = c;
      g.strength.data()[to] = in_steps(strength);
      ++to;
    }
    g.degree.data()[r] = static_cast<Index>(to - start);
  }
  return complete;
}

/// Several rows a node: the strongest of their entries counts.
template <class View>
bool fill_blocks(const View& a, const double* root, Index block, double theta, StrengthGraph& g, std::int64_t first,
                 std::int64_t last) {
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
      const double strength = strongest[to_size(s - start)];
      if (!(strength > theta)) {
        complete = false;
        continue;
      }
      g.neighbours.data()[kept] = g.neighbours.data()[s];
      g.strength.data()[kept++] = in_steps(strength);
    }
    g.degree.data()[node] = static_cast<Index>(kept - start);
  }
  return complete;
}

}  // namespace

template <class T>
StrengthGraph strength_graph(int num_threads, const Csr<T>& a, const Diagonal<T>& diagonal, Index block, double theta) {
  StrengthGraph g;
  g.num_nodes = a.num_rows / block;
  g.begin = Array<Offset>(Offset{g.num_nodes} + 1);
  g.degree = Array<Index>(g.num_nodes);
  g.neighbours = Array<Index>(a.num_entries());
  g.strength = Array<std::uint16_t>(a.num_entries());
  g.begin.data()[g.num_nodes] = a.num_entries();
  Array<double> root(a.num_rows);  // sqrt of the share of |a_ii| that a neighbour has
  parallel_for(num_threads, a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      root.data()[i] = std::sqrt(std::abs(static_cast<double>(diagonal.value.data()[i])) * block /
                                 std::max(diagonal.num_beside.data()[i], block));
  });
  std::atomic<bool> complete = true;
  a.visit_view([&](const auto& view) {
    const int threads = threads_for(num_threads, g.num_nodes, 8 * block);
    parallel(threads, [&](int thread, int count) {
      const auto [begin, end] = even_part(g.num_nodes, thread, count);
      const bool all = block == 1 ? fill_rows(view, root.data(), theta, g, begin, end)
                                  : fill_blocks(view, root.data(), block, theta, g, begin, end);
      if (!all) complete = false;
    });
  });
  g.complete = complete;
  return g;
}

template StrengthGraph strength_graph(int, const Csr<float>&, const Diagonal<float>&, Index, double);
template StrengthGraph strength_graph(int, const Csr<double>&, const Diagonal<double>&, Index, double);

}  // namespace millrace::multigrid
