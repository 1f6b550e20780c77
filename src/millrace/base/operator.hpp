// Operator<T>: a linear map on vectors of T, and ApplyRequest<T>, the request it serves.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "millrace/base/array.hpp"
#include "millrace/base/comm.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

/// Rows and columns of an operator.
struct Shape {
  std::int64_t rows = 0, cols = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// The matrix of a product as it is, transposed, or transposed with conjugate entries.
enum class Op { none, transpose, conjugate_transpose };

/// `num` vectors of `size` entries, one after another with `stride` between their first entries.
template <class T>
struct Vectors {
  T* data = nullptr;        // [num, stride], of which the first size of every row count
  std::int64_t size = 0;    // entries of one vector
  int num = 1;              // vectors
  std::int64_t stride = 0;  // >= size
  Device device{};

  Vectors() = default;
  Vectors(Device device, T* data, std::int64_t size, int num = 1, std::int64_t stride = -1)
      : data(data), size(size), num(num), stride(stride < 0 ? size : stride), device(device) {}
  Vectors(std::span<T> host) : Vectors(Device::host(), host.data(), std::ssize(host)) {}
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>)
  Vectors(std::span<U> host) : Vectors(Device::host(), host.data(), std::ssize(host)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Vectors(DeviceSpan<U> span) : Vectors(span.device(), span.data(), span.size()) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Vectors(Array<U>& array, int num = 1) : Vectors(array.device(), array.data(), num ? array.size() / num : 0, num) {}
  template <class U>
    requires std::is_convertible_v<const U*, T*>
  Vectors(const Array<U>& array, int num = 1)
      : Vectors(array.device(), array.data(), num ? array.size() / num : 0, num) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Vectors(std::vector<U>& host) : Vectors(std::span<U>(host)) {}
  template <class U>
    requires std::is_convertible_v<const U*, T*>
  Vectors(const std::vector<U>& host) : Vectors(std::span<const U>(host)) {}
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>)
  Vectors(const Vectors<U>& other) : Vectors(other.device, other.data, other.size, other.num, other.stride) {}
};

/// The same vectors as kernels see them.
template <class T>
auto arith(const Vectors<T>& v) {
  using A = std::conditional_t<std::is_const_v<T>, const Arith<T>, Arith<T>>;
  return Vectors<A>(v.device, arith(v.data), v.size, v.num, v.stride);
}

/// The dot product that an application leaves beside its result r: <x, r>, or <r, r>.
enum class DotWith { none, x, result };

/// The request: y = alpha op(A) x + beta y. With beta = 0, y is written and never read.
template <class T>
struct ApplyRequest {
  T alpha = T{1};
  Vectors<const T> x{};
  T beta = T{0};
  Vectors<T> y{};
  Op op = Op::none;
  DotWith dot = DotWith::none;
  T* dot_result = nullptr;  // [y.num], on the operator's device
};

/// Bytes that one application must move.
struct Traffic {
  double matrix = 0;   // real entries and their indices as stored; padding does not count
  double vectors = 0;  // x once, y once, y twice when it is read
  double minimum = 0;  // the format-free minimum: the values as T, and the vectors
  double halo = 0;     // values from and to other ranks; they pass a network, and are not part of the total
  double total() const { return matrix + vectors; }
};

/// The entries of an operator that stores them as CSR, on its device; a null row_ptr: it does not.
template <class T>
struct StoredRows {
  const std::int32_t* row_ptr = nullptr;  // [num_rows + 1]
  const Index* cols = nullptr;            // [num_entries]
  const T* vals = nullptr;                // [num_entries]
};

/// A linear map on vectors of T. Classes that derive from it say their shape, their traffic and how they are applied.
template <class T>
class Operator {
 public:
  using value_type = T;
  Operator() = default;
  Operator(const Operator&) = default;
  Operator& operator=(const Operator&) = default;
  Operator(Operator&& other) noexcept : moved_from_(std::exchange(other.moved_from_, true)) {}
  Operator& operator=(Operator&& other) noexcept {
    moved_from_ = std::exchange(other.moved_from_, true);
    return *this;
  }
  virtual ~Operator() = default;

  virtual Shape shape() const = 0;
  virtual Device device() const { return Device::host(); }
  virtual Comm comm() const { return {}; }
  virtual Traffic traffic(int num_vectors = 1, bool reads_y = false) const = 0;

  /// Entry i of a vector in the operator's own order is entry permutation()[i] of the user's.
  /// Null: the operator works in the user's order.
  virtual const Array<Index>* permutation() const { return nullptr; }
  /// Its entries, for those that do more with them than multiply: the one kernel that solves a small system.
  virtual StoredRows<T> stored_rows() const { return {}; }
  virtual bool can_transpose() const { return false; }
  /// Does do_apply compute the dot product of one vector, op none? The base does it afterwards otherwise.
  virtual bool fuses_dot() const { return false; }

  /// Checks the request once, then computes. Safe from several threads on several queues.
  void apply(Queue& queue, const ApplyRequest<T>& request) const;

 protected:
  /// An Error unless the operator still has what it was made of: it may have been moved to another one.
  void require_not_moved(std::string_view what) const {
    require(!moved_from_, what, ": this operator is empty, for it was moved to another one");
  }

 private:
  bool moved_from_ = false;
  virtual void do_apply(Queue& queue, const ApplyRequest<T>& request) const = 0;
};

extern template class Operator<float>;
extern template class Operator<double>;
extern template class Operator<std::complex<float>>;
extern template class Operator<std::complex<double>>;

}  // namespace millrace
