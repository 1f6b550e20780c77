// Basis<T>: a tall skinny set of vectors, stored as they are or in float, and the few operations that Krylov methods do
// with it. Each reads the basis once, whatever the number of its vectors.
#pragma once

#include <limits>

#include "millrace/base/array.hpp"
#include "millrace/base/comm.hpp"
#include "millrace/solve/basis/arnoldi.hpp"

namespace millrace {

/// Half of the bytes: float for double, T itself where there is nothing shorter.
template <class T>
using Narrow = std::conditional_t<is_complex<T>, Complex<float>, float>;

template <class T>
class Basis {
 public:
  using A = Arith<T>;
  Basis() = default;
  Basis(Queue& queue, std::int64_t size, int num, bool narrow = false)
      : size_(size),
        stride_((size + 31) / 32 * 32),
        num_(num),
        narrow_(narrow && sizeof(Narrow<T>) < sizeof(T)),
        memory_(queue, stride_ * num * (narrow_ ? static_cast<int>(sizeof(Narrow<T>)) : static_cast<int>(sizeof(T)))) {}

  std::int64_t size() const { return size_; }
  std::int64_t stride() const { return stride_; }  // entries between the beginnings of two vectors
  int num() const { return num_; }
  bool narrow() const { return narrow_; }
  /// Of the numbers as stored, and as used.
  double epsilon() const { return narrow_ ? std::numeric_limits<float>::epsilon() : precision; }
  static constexpr double precision = std::numeric_limits<RealOf<T>>::epsilon();
  std::int64_t vector_bytes() const {
    return size_ * static_cast<std::int64_t>(narrow_ ? sizeof(Narrow<T>) : sizeof(T));
  }

  /// Calls f(data), data being A* or Narrow<T>*: [num, stride].
  template <class F>
  void visit(F&& f) const {
    auto* memory = const_cast<std::byte*>(memory_.data());
    if constexpr (sizeof(Narrow<T>) < sizeof(T))
      if (narrow_) return f(reinterpret_cast<Narrow<T>*>(memory));
    f(reinterpret_cast<A*>(memory));
  }
  /// Vector k as a product can use it; only of a basis that is not narrow.
  T* vector(int k) { return reinterpret_cast<T*>(memory_.data()) + k * stride_; }

  /// The sums of step k (see finish_arnoldi_step) over V = the first k vectors, the candidate u and, unless it is null,
  /// the product w; then the step's end, on the device.
  /// Traffic: k vectors, u and w once. Result: repeatable, and the same bits for any number of threads.
  void project(Queue& queue, const Comm& comm, int k, const T* u, const T* w, const Arnoldi<Wide<T>>& arnoldi) const;

  /// What the sums decided: vector k = (u - V s) / alpha, and the next candidate u = scale (w - V t).
  /// Traffic: k vectors, u and w once; writes one vector and u. Without w only the vector is made.
  void orthogonalise(Queue& queue, int k, T* u, const T* w, const Arnoldi<Wide<T>>& arnoldi);

  /// d = beta d + V answer, where the candidate u may take part; `flexible`: this basis holds what the products read,
  /// and the coefficients are y. d is not read when beta is 0. Traffic: arnoldi.columns vectors, and d.
  void combine(Queue& queue, const Arnoldi<Wide<T>>& arnoldi, bool flexible, const T* u, T beta, T* d) const;

  /// The first `to` vectors become combinations of the first `from` >= to, in place: V_c = sum_j V_j y[c * from + j].
  /// y lives on the queue's device. Traffic: reads `from`, writes `to` vectors.
  void rotate(Queue& queue, int from, int to, const Wide<T>* y);

  /// x = vector k.
  void take_out(Queue& queue, int k, T* x) const;

 private:
  std::int64_t size_ = 0, stride_ = 0;
  int num_ = 0;
  bool narrow_ = false;
  Array<std::byte> memory_;
};

/// The end of a GMRES cycle: its small least squares, in one thread block.
template <class W>
void least_squares(Queue& queue, const Arnoldi<W>& arnoldi);

namespace cuda {
/// The same on a GPU, for vectors of A and a basis [num, stride] of S.
template <class A, class S>
struct BasisKernels {
  using Small = Arnoldi<Wide<A>>;
  static void project(Queue& queue, const S* v, std::int64_t stride, std::int64_t n, int most, int k, const A* u,
                      const A* w, const Small& arnoldi);
  static void orthogonalise(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int k, A* u, const A* w,
                            const Small& arnoldi);
  static void combine(Queue& queue, const S* v, std::int64_t stride, std::int64_t n, const Small& arnoldi,
                      bool flexible, const A* u, A beta, A* d);
  static void rotate(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int from, int to, const Wide<A>* y);
  static void take_out(Queue& queue, const S* v, std::int64_t n, A* x);
};
template <class W>
void least_squares(Queue& queue, const Arnoldi<W>& arnoldi);
}  // namespace cuda

extern template class Basis<float>;
extern template class Basis<double>;
extern template class Basis<std::complex<float>>;
extern template class Basis<std::complex<double>>;

}  // namespace millrace
