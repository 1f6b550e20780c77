// KrylovBasis<T>: a tall skinny set of vectors, stored as they are or in float, and the few operations that Krylov
// methods do with it. Each reads the basis once, whatever the number of its vectors.
#pragma once

#include <limits>

#include "millrace/base/array.hpp"
#include "millrace/base/comm.hpp"
#include "millrace/solve/basis/arnoldi.hpp"

namespace millrace::detail {

template <class T>
class KrylovBasis {
 public:
  using A = Arith<T>;
  using Short = Single<A>;
  KrylovBasis() = default;
  /// `num` vectors of `size` entries; Precision::single stores them in float, where T is longer.
  KrylovBasis(Queue& queue, std::int64_t size, int num, Precision stored = Precision::full)
      : size_(size),
        stride_(std::max<std::int64_t>(size + 31, 32) / 32 * 32),  // a rank without rows has memory, too
        num_(num),
        single_(stored == Precision::single && sizeof(Short) < sizeof(T)),
        memory_(queue, stride_ * num * static_cast<int>(single_ ? sizeof(Short) : sizeof(T))) {
    require<Unsupported>(stored != Precision::bfloat16,
                         "a Krylov basis in bfloat16 was asked for; full and single are accepted");
  }

  std::int64_t size() const { return size_; }
  std::int64_t stride() const { return stride_; }  // entries between the beginnings of two vectors
  int num() const { return num_; }
  bool narrow() const { return single_; }  // stored in float
  /// Of the numbers as stored, and as used.
  double epsilon() const { return single_ ? std::numeric_limits<float>::epsilon() : precision; }
  static constexpr double precision = std::numeric_limits<RealOf<T>>::epsilon();
  std::int64_t vector_bytes() const { return size_ * static_cast<std::int64_t>(single_ ? sizeof(Short) : sizeof(T)); }

  /// Calls f(data), data being A* or Short*: [num, stride].
  template <class F>
  void visit(F&& f) const {
    auto* memory = const_cast<std::byte*>(memory_.data());
    if constexpr (sizeof(Short) < sizeof(T))
      if (single_) return f(reinterpret_cast<Short*>(memory));
    f(reinterpret_cast<A*>(memory));
  }
  /// Vector k as a product can use it; only of a basis that is stored as it is.
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

  /// Of the vectors from `first` on, the first `to` become combinations of the first `from` >= to, in place:
  /// V_c = sum_j V_j y[c * from + j]. y lives on the queue's device. Traffic: reads `from`, writes `to` vectors.
  void rotate(Queue& queue, int first, int from, int to, const Wide<T>* y);
  /// Vectors to, to + 1, ... = vectors from, from + 1, ..., `count` of them; both runs lie apart.
  void copy(Queue& queue, int from, int to, int count);

  /// x = vector k.
  void take_out(Queue& queue, int k, T* x) const;

 private:
  std::int64_t size_ = 0, stride_ = 0;
  int num_ = 0;
  bool single_ = false;
  Array<std::byte> memory_;
};

/// The end of a GMRES cycle: its small least squares, in one thread block.
template <class W>
void least_squares(Queue& queue, const Arnoldi<W>& arnoldi);

extern template class KrylovBasis<float>;
extern template class KrylovBasis<double>;
extern template class KrylovBasis<std::complex<float>>;
extern template class KrylovBasis<std::complex<double>>;

}  // namespace millrace::detail

namespace millrace::cuda {

/// The same on a GPU, for vectors of A and a basis [num, stride] of S.
template <class A, class S>
struct KrylovKernels {
  using W = detail::Wide<A>;
  using Small = detail::Arnoldi<W>;
  static void project(Queue& queue, const Comm& comm, const S* v, std::int64_t stride, std::int64_t n, int max_vectors,
                      int k, const A* u, const A* w, const Small& arnoldi);
  static void orthogonalise(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int k, A* u, const A* w,
                            const Small& arnoldi);
  static void combine(Queue& queue, const S* v, std::int64_t stride, std::int64_t n, const Small& arnoldi,
                      bool flexible, const A* u, A beta, A* d);
  static void rotate(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int from, int to, const W* y);
  static void take_out(Queue& queue, const S* v, std::int64_t n, A* x);
};
template <class W>
void least_squares(Queue& queue, const detail::Arnoldi<W>& arnoldi);

}  // namespace millrace::cuda
