// The coarse matrix P^T A P in two steps, A P and P^T (A P): patterns once, values as often as A changes; on a GPU both
// at once where nodes have one unknown.
#pragma once

#include <optional>

#include "millrace/precond/multigrid/expand.hpp"
#include "millrace/precond/multigrid/matrix_view.hpp"
#include "millrace/precond/multigrid/product_places.hpp"
#include "millrace/precond/multigrid/prolongator.hpp"

namespace millrace::multigrid {

/// What both steps need of patterns. Sums run in the order of the rows, so results do not depend on threads.
template <class T>
class Galerkin {
 public:
  Galerkin() = default;
  Galerkin(Queue& queue, const Csr<T>& a, const Prolongator<T>& p);

  /// The coarse matrix, columns ascending. With the values of P^T in the order of restriction(), where nodes have one
  /// unknown, a GPU need not gather them.
  Csr<T> make_coarse(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const T* transposed = nullptr);
  /// On a GPU where the products of new values go, if that is not known and rows are short: half a byte per product of
  /// A P, a byte per one of P^T (A P), and a quarter more. With too little memory it goes on without.
  void find_places(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const Csr<T>& coarse);
  /// The values of the coarse matrix. Nothing is allocated but scratch memory of the queue, and what find_places keeps.
  void update(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, Csr<T>& coarse, const T* transposed = nullptr);

  /// Nodes of every aggregate's column of P, ascending, and where P stores them.
  const RowPattern& restriction() const { return transposed_; }
  const Array<Offset>& entries() const { return entries_; }
  std::int64_t bytes() const {
    return product_.bytes() + transposed_.bytes() + entries_.bytes() + coarse_.bytes() +
           (places_ ? places_->bytes() : 0);
  }

 private:
  /// P^T with its values, as make_coarse is given them.
  PatternView<T> transposed_of(const Prolongator<T>& p, const T* transposed) const {
    return {transposed_.view(), transposed ? nullptr : entries_.data(), transposed ? transposed : p.values.data()};
  }

  Index block_ = 1, num_ = 1;
  RowPattern transposed_;                  // P^T, aggregates by nodes
  Array<Offset> entries_;                  // [entries of P^T]: where P stores them
  bool in_one_ = false;                    // a GPU makes columns and values at once, and needs no other patterns,
  Offset product_room_ = 0;                // but this for the entries of A P,
  std::optional<ProductPlaces> places_{};  // and for new values these
  RowPattern product_;  // A P, nodes by aggregates; on a GPU ascending, else in the order of first appearance
  RowPattern coarse_;   // aggregates by aggregates, ascending
};

extern template class Galerkin<float>;
extern template class Galerkin<double>;

}  // namespace millrace::multigrid
