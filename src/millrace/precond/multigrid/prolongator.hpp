// The prolongator P = (I - omega D^-1 A_F) P0, with dense blocks of `block` rows and `num` columns.
#pragma once

#include "millrace/precond/multigrid/near_null.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {

/// The least part of a diagonal entry that may be left when weak entries are added to it.
inline constexpr double least_diagonal = 0.25;

/// Which entries of A smooth the prolongator: none, those between strong neighbours, or all.
enum class Smoothing { none, filtered, full };

/// From vectors on aggregates to vectors on nodes.
template <class T>
struct Prolongator {
  Index block = 1, num = 1;
  RowPattern pattern;        // nodes by aggregates, ascending in every row
  Array<T> values;           // [entries of the pattern, block, num]
  Array<std::uint8_t> weak;  // [entries of A]: 1 where A_F has none; empty: A_F is A

  /// The pattern: the aggregates of a node and of its neighbours, strong or all. Entries of A between nodes without a
  /// strong connection are left out of A_F, when it is filtered, and added to the node's own;
  /// marks of them that the graph has are taken from it.
  Prolongator(Queue& queue, const Csr<T>& a, StrengthGraph& graph, const Aggregates& aggregates, Index block, Index num,
              Smoothing smoothing);

  /// New values, for A with the pattern of before.
  void update(Queue& queue, const Csr<T>& a, const Diagonal<T>& diagonal, const Aggregates& aggregates,
              const Tentative<T>& tentative, double omega);

  std::int64_t bytes() const { return pattern.bytes() + values.bytes() + weak.bytes(); }
};

extern template struct Prolongator<float>;
extern template struct Prolongator<double>;

}  // namespace millrace::multigrid
