// The space of block Lanczos with thick restarts: A V = V H + Q B, with vectors on the device and H on the host.
#pragma once

#include "millrace/solve/basis/blocks.hpp"
#include "millrace/solve/basis/small_eigen.hpp"
#include "millrace/solve/basis/small_matrix.hpp"

namespace millrace::detail {

/// Which eigenvalues are sought: the lowest, the highest, or those of the largest magnitude.
enum class EigenOrder { lowest, highest, largest };
/// Smaller means sought first.
inline double order_key(EigenOrder order, double value) {
  return order == EigenOrder::lowest ? value : order == EigenOrder::highest ? -value : -std::abs(value);
}

/// Eigenpairs of the projected matrix, those sought first in front.
template <class W>
struct RitzPairs {
  std::vector<double> values;     // [active]
  std::vector<double> residuals;  // [active] |A v - value v| by the coupling
  std::vector<W> vectors;         // [active, active] one after another
};

/// V holds, one after another: `locked` eigenvectors that are done, the vectors of the space up to `dimension`, and the
/// `width` vectors of the next block Q. Blocks are made orthonormal by two projections on V and the eigenvectors of
/// their Gram matrix (A. Stathopoulos and K. Wu 2002), repeated while that leaves something to do. A direction that is
/// lost in rounding is replaced by a random one, which B does not reach.
template <class T>
class BlockLanczos {
 public:
  using W = Wide<T>;

  /// Of `op` in the inner product of `mass`, or the plain one; at most `max_vectors` in V before Q.
  BlockLanczos(Queue& on, const Operator<T>& op, const Operator<T>* mass, int max_vectors, int block, Precision stored,
               std::uint64_t seed);

  /// A new space beside the locked vectors, from these vectors or from random ones.
  void begin(Vectors<const T> start = {});
  /// Fills the basis as far as it goes, with at most `max_products` products in all. False: a NaN came up.
  bool fill(int max_products);
  /// The Rayleigh-Ritz method on the space.
  RitzPairs<W> ritz(EigenOrder order) const;
  /// The first `keep` Ritz vectors replace the space.
  void restart(const RitzPairs<W>& pairs, int keep);
  /// The first `count` Ritz vectors join the locked ones, of which the `most` that are sought first stay.
  void lock(const RitzPairs<W>& pairs, int count, EigenOrder order, int most);

  bool complete() const { return dimension == global; }  // V is the whole space
  int active() const { return dimension - locked; }
  double beyond() const;  // |B|: how far A maps the space out of itself
  /// x = vector k of the basis.
  void take_out(int k, T* x) { v.take_out(queue, k, x); }

  Queue& queue;
  const Operator<T>& a;
  const Operator<T>* mass;
  Comm comm;
  std::int64_t n, global;
  int max_vectors, block;
  int locked = 0, dimension = 0, width = 0, products = 0;
  double bytes = 0;                     // memory traffic of all products and all that went with them, by the model
  std::vector<double> locked_values{};  // [locked]
  KrylovBasis<T> v;
  Array<T> w, z, u;  // [block, stride]: products, M times them, and a block of a basis in float as T

 private:
  Vectors<T> vectors(Array<T>& array, int count) { return {queue.device(), array.data(), n, count, v.stride()}; }
  void randomise(int count);
  void step();
  /// Q = what is left of the first `count` vectors of w, in vectors k, k + 1, ... of the basis; those lost in rounding
  /// go unless they are `random`. w = V projection + Q coupling. Returns how many there are, or -1: NaN.
  int settle(int k, int count, bool random, SmallMatrix<W>& projection, SmallMatrix<W>& coupling);
  void append_random(int k, int count);
  void inner_products(int k, int count, W* to);
  void rotate(int first, int from, int to, const std::vector<W>& y);

  std::uint64_t seed_, drawn_ = 0, first_ = 0;  // first_: rows on the ranks before this one
  bool sound_ = true;
  Array<W> sums_, here_, rotation_;  // here_: the sums on the host
  SmallMatrix<W> h_;                 // [max_vectors + block, same]: H, and B below it
};

extern template class BlockLanczos<float>;
extern template class BlockLanczos<double>;
extern template class BlockLanczos<std::complex<float>>;
extern template class BlockLanczos<std::complex<double>>;

}  // namespace millrace::detail
