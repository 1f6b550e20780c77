// The coarse matrix P^T A P in two steps, A P and P^T (A P): patterns once, values as often as A changes.
#pragma once

#include "millrace/precond/multigrid/expand.hpp"
#include "millrace/precond/multigrid/prolongator.hpp"

namespace millrace::multigrid {

/// Where the entries of rows that are added up lie in the row of their sum, one after another in the order in which
/// they are added: what a GPU found out with the first values. Empty: it searches every time.
struct SavedPlaces {
  Offset longest = -1;        // columns of the longest row of the sum, once that is known
  Array<Offset> begin;        // [rows of the sum + 1]
  Array<std::uint8_t> place;  // [entries that are added]

  std::int64_t bytes() const { return begin.bytes() + place.bytes(); }
};

/// What both steps need of patterns. Sums run in the order of the rows, so results do not depend on threads.
template <class T>
class Galerkin {
 public:
  Galerkin() = default;
  Galerkin(Queue& queue, const Csr<T>& a, const Prolongator<T>& p);

  /// The coarse matrix with the pattern of P^T A P, columns ascending, values not yet set.
  Csr<T> make_coarse(Queue& queue) const { return expand<T>(queue, coarse_, num_, num_); }
  /// Its values. Nothing is allocated but scratch memory of the queue, and, the first time, places on a GPU. With the
  /// values of P^T in the order of restriction(), where blocks are 1 x 1, a GPU need not gather them.
  void update(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, Csr<T>& coarse, const T* transposed = nullptr);

  /// Nodes of every aggregate's column of P, ascending, and where P stores them.
  const RowPattern& restriction() const { return transposed_; }
  const Array<Offset>& entries() const { return entries_; }
  std::int64_t bytes() const {
    return product_.bytes() + transposed_.bytes() + entries_.bytes() + coarse_.bytes() + product_places_.bytes() +
           coarse_places_.bytes();
  }

 private:
  Index block_ = 1, num_ = 1;
  RowPattern product_;     // A P, nodes by aggregates; on a GPU ascending, else in the order of first appearance
  RowPattern transposed_;  // P^T, aggregates by nodes
  Array<Offset> entries_;  // [entries of P^T]: where P stores them
  RowPattern coarse_;      // aggregates by aggregates, ascending
  SavedPlaces product_places_, coarse_places_;
};

extern template class Galerkin<float>;
extern template class Galerkin<double>;

}  // namespace millrace::multigrid
