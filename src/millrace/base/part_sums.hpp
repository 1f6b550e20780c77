// Sums of parts of vectors, added as a tree of neighbours: the same bits for any number of threads and, where a Comm
// asks for it, of ranks.
#pragma once

#include <vector>

#include "millrace/base/comm.hpp"
#include "millrace/base/scalar.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::detail {

/// A node of the tree: parts index << level up to (index + 1) << level, as far as there are any.
struct TreeNode {
  int level = 0;
  std::int64_t index = 0;
  std::int64_t begin() const { return index << level; }
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// The largest nodes of the tree over parts 0 .. all that have no part outside of begin .. end, from left to right.
std::vector<TreeNode> nodes_inside(std::int64_t begin, std::int64_t end, std::int64_t all);

/// sums [count, num] becomes the sums of neighbours, and theirs, until one is left: sums[0 .. num].
template <class A>
void add_neighbours(A* sums, std::int64_t count, int num) {
  for (std::int64_t left = count; left > 1; left = (left + 1) / 2)
    for (std::int64_t i = 0; 2 * i < left; ++i)
      for (int k = 0; k < num; ++k)
        sums[i * num + k] =
            2 * i + 1 < left ? sums[2 * i * num + k] + sums[(2 * i + 1) * num + k] : sums[2 * i * num + k];
}

/// The same numbers of all ranks, added in the order of the ranks. Nothing happens when there is one.
inline void sum_over_ranks(const Comm& comm, float* values, std::int64_t count) {
  comm.sum(std::span(values, to_size(count)));
}
inline void sum_over_ranks(const Comm& comm, double* values, std::int64_t count) {
  comm.sum(std::span(values, to_size(count)));
}
template <class R>
void sum_over_ranks(const Comm& comm, Complex<R>* values, std::int64_t count) {
  sum_over_ranks(comm, &values->re, 2 * count);
}

/// The node's sums of `values`, which hold one node after another in the order of the tree; `next` passes them.
template <class A>
std::vector<A> finish_tree(const std::vector<TreeNode>& nodes, const std::vector<A>& values, std::int64_t all, int num,
                           TreeNode node, std::size_t& next) {
  if (nodes[next] == node) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(next++ * to_size(num));
    return {from, from + num};
  }
  const TreeNode right{node.level - 1, 2 * node.index + 1};
  std::vector<A> sum = finish_tree(nodes, values, all, num, {node.level - 1, 2 * node.index}, next);
  if (right.begin() >= all) return sum;
  const std::vector<A> more = finish_tree(nodes, values, all, num, right, next);
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = sum[k] + more[k];
  return sum;
}

/// sums [parts, num] of this rank's parts of `part_rows` rows each, become sums[0 .. num] over all ranks. Where the
/// Comm is reproducible, the tree is that of all parts on one rank; else each rank has its tree, and ranks add in
/// order.
template <class A>
void add_parts(const Comm& comm, A* sums, std::int64_t parts, int num, std::int64_t part_rows) {
  const std::vector<std::int64_t>* starts = comm.size() > 1 ? comm.row_starts() : nullptr;
  if (!starts) {
    add_neighbours(sums, parts, num);
    sum_over_ranks(comm, sums, num);
    return;
  }
  const auto part_of = [&](std::int64_t row) { return (row + part_rows - 1) / part_rows; };
  const std::int64_t all = part_of(starts->back());
  std::vector<A> mine;
  std::vector<TreeNode> nodes;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::int64_t begin = part_of((*starts)[to_size(rank)]), end = part_of((*starts)[to_size(rank) + 1]);
    for (const TreeNode& node : nodes_inside(begin, end, all)) {
      nodes.push_back(node);
      if (rank != comm.rank()) continue;
      const std::int64_t count = std::min(end, node.begin() + (std::int64_t{1} << node.level)) - node.begin();
      A* const first = sums + (node.begin() - begin) * num;
      add_neighbours(first, count, num);
      mine.insert(mine.end(), first, first + num);
    }
  }
  const std::vector<A> values = comm.gather(std::span<const A>(mine));
  if (nodes.empty()) return;  // no rank has a row, and zeros are there
  TreeNode root;
  while (std::int64_t{1} << root.level < all) ++root.level;
  std::size_t next = 0;
  const std::vector<A> sum = finish_tree(nodes, values, all, num, root, next);
  std::copy(sum.begin(), sum.end(), sums);
}

}  // namespace millrace::detail
