// The coarse matrix P^T A P in two steps, A P and P^T (A P): patterns once, values as often as A changes.
#pragma once

#include "millrace/precond/multigrid/expand.hpp"
#include "millrace/precond/multigrid/prolongator.hpp"

namespace millrace::multigrid {

/// What both steps need of patterns. Sums run in the order of the rows, so results do not depend on threads.
template <class T>
class Galerkin {
 public:
  Galerkin() = default;
  Galerkin(Queue& queue, const Csr<T>& a, const Prolongator<T>& p);

  /// The coarse matrix with the pattern of P^T A P, columns ascending, values not yet set.
  Csr<T> make_coarse(Queue& queue) const { return expand<T>(queue, coarse_, num_, num_); }
  /// Its values. Nothing is allocated but scratch memory of the queue.
  void update(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, Csr<T>& coarse) const;

  /// Nodes of every aggregate's column of P, ascending, and where P stores them.
  const RowPattern& restriction() const { return transposed_; }
  const Array<Offset>& entries() const { return entries_; }
  std::int64_t bytes() const { return product_.bytes() + transposed_.bytes() + entries_.bytes() + coarse_.bytes(); }

 private:
  Index block_ = 1, num_ = 1;
  RowPattern product_;     // A P, nodes by aggregates; on a GPU ascending, else in the order of first appearance
  RowPattern transposed_;  // P^T, aggregates by nodes
  Array<Offset> entries_;  // [entries of P^T]: where P stores them
  RowPattern coarse_;      // aggregates by aggregates, ascending
};

extern template class Galerkin<float>;
extern template class Galerkin<double>;

}  // namespace millrace::multigrid
