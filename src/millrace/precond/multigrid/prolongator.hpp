// The prolongator P = (I - omega D^-1 A_F) P0, with dense blocks of `block` rows and `num` columns.
#pragma once

#include "millrace/precond/multigrid/near_null.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {

/// From vectors on aggregates to vectors on nodes.
template <class T>
struct Prolongator {
  Index block = 1, num = 1;
  RowPattern pattern;        // nodes by aggregates, ascending in every row
  Array<T> values;           // [entries of the pattern, block, num]
  Array<std::uint8_t> weak;  // [entries of A]: 1 where A_F has none; empty: A_F is A

  /// The pattern: the aggregates of a node and its strong neighbours, or that of the node alone where omega is 0.
  /// Entries of A between nodes without a strong connection are left out of A_F and added to the node's own.
  Prolongator(int num_threads, const Csr<T>& a, const StrengthGraph& graph, const Aggregates& aggregates, Index block,
              Index num, bool smoothed);

  /// New values, for A with the pattern of before.
  void update(int num_threads, const Csr<T>& a, const Diagonal<T>& diagonal, const Aggregates& aggregates,
              const Tentative<T>& tentative, double omega);

  std::int64_t bytes() const { return pattern.bytes() + values.bytes() + weak.bytes(); }
};

extern template struct Prolongator<float>;
extern template struct Prolongator<double>;

}  // namespace millrace::multigrid
