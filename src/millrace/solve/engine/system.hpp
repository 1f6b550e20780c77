// System: A x = b with a preconditioner as a solver sees it, checked once, with work vectors, in the order of A.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "millrace/base/operator.hpp"
#include "millrace/solve/options.hpp"

namespace millrace::detail {

/// What A, M and b are multiplied by: powers of two with a sign, so that nothing is rounded.
struct Scales {
  double matrix = 1, inverse = 1, rhs = 1;
  double solution() const { return rhs / matrix; }
};

/// Beyond 2^+-max_exponent the right-hand side is scaled to about 1, beyond 2^+-max_matrix_exponent A is: sums of
/// squares overflow and underflow long before the numbers do.
template <class T>
inline constexpr int max_exponent = sizeof(RealOf<T>) == 4 ? 30 : 300;
template <class T>
inline constexpr int max_matrix_exponent = sizeof(RealOf<T>) == 4 ? 40 : 300;
/// 2^exponent, or the nearest that T holds with room to spare.
template <class T>
double power_of_two(int exponent) {
  constexpr int most = sizeof(RealOf<T>) == 4 ? 120 : 1000;
  return std::ldexp(1.0, std::clamp(exponent, -most, most));
}

template <class T>
class System {
 public:
  /// Checks the arguments of the solver `name`; `num_vectors` work vectors besides r and q.
  /// When A works in an order of its own (A.permutation()), b and x are brought there once, and x back by
  /// restore_order().
  System(std::string_view name, Queue& queue, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b,
         Vectors<T> x, const SolveOptions& options, int num_vectors);

  Queue& queue;
  const Operator<T>& a;
  const Operator<T>& m;
  SolveOptions options;  // its monitor is one that all ranks obey
  std::string_view name;
  std::int64_t n;        // entries of a vector on this rank
  Comm comm;             // the ranks that share it
  bool preconditioned;   // M is not the identity
  Vectors<const T> b{};  // in the order of A
  Vectors<T> x{};        // in the order of A
  Vectors<T> r{}, q{};   // b - A x and A x when a solver starts; free for the solver

  /// Work vector k.
  Vectors<T> vector(int k);
  /// y = A x (in the scale of now), and with `dot` also <x, y> over all ranks, on the device.
  void product(Vectors<const T> from, Vectors<T> to, Arith<T>* dot = nullptr);
  /// z = M r, and with `dot` also <r, z>.
  void precondition(Vectors<const T> from, Vectors<T> to, Arith<T>* dot = nullptr);
  /// <x, y> over all ranks, on the device.
  void dot_product(Vectors<const T> left, Vectors<const T> right, Arith<T>* result);
  /// to = from, in the order of the queue.
  void copy(Vectors<const T> from, Vectors<T> to);

  /// Bytes of: one vector once, one product with A and its dot product, one application of M and its dot product.
  double vector_bytes() const { return static_cast<double>(n) * sizeof(T); }
  double product_bytes(bool with_dot) const;
  double precondition_bytes(bool with_dot) const;  // 0 for the identity: nothing is done

  /// Remembers x, the start vector.
  void keep_start();
  /// From here on (matrix A) x = rhs b, with (inverse M) for M; x is the start vector in that scale.
  void rescale(const Scales& scales);
  /// Products in another scale, and nothing else.
  void scale_products(const Scales& scales) { scales_ = scales; }
  const Scales& scales() const { return scales_; }
  /// x in the user's scale; it may overflow there.
  void unscale();
  /// x in the user's order, or the start vector as it was. The last thing a solver does.
  void hand_back(bool start);

 private:
  void apply(const Operator<T>& op, double scale, Vectors<const T> from, Vectors<T> to, Arith<T>* dot);
  void multiply(double factor, Vectors<const T> from, Vectors<T> to);

  Vectors<T> user_x_;
  const Array<Index>* order_ = nullptr;  // the order of A, or null: the user's
  Array<T> work_{};                      // [2 + num_vectors (+ 2 for b and x in the order of A), stride_]
  Array<T> start_{};                     // x as it was, where x is not a copy in the order of A
  Array<T> scaled_b_{};                  // where b has a scale
  Vectors<const T> plain_b_{};           // b without a scale, in the order of A
  Scales scales_{};
  std::int64_t stride_ = 0;
};

extern template class System<float>;
extern template class System<double>;
extern template class System<std::complex<float>>;
extern template class System<std::complex<double>>;

}  // namespace millrace::detail
