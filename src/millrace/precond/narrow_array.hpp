// The numbers of a preconditioner as they are stored: of type T, as floats, or as bfloat16 (the upper half of a float).
// A preconditioner is approximate anyway; narrow numbers halve or quarter what its application must read.
#pragma once

#include <cmath>
#include <limits>
#include <variant>

#include "millrace/base/array.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/precision.hpp"

namespace millrace {

/// An array of numbers in one of the three precisions; a kernel sees what `visit` hands over and widens it.
template <class T>
class NarrowArray {
 public:
  using A = Arith<T>;
  using Single = WithReal<A, float>;
  using Half = WithReal<A, Bfloat16>;

  NarrowArray() = default;
  /// Uninitialised.
  NarrowArray(Device device, std::int64_t size, Precision precision) : size_(size), precision_(normal(precision)) {
    if (precision_ == Precision::bfloat16) array_ = Array<Half>(device, size);
    if (precision_ == Precision::single) array_ = Array<Single>(device, size);
    if (precision_ == Precision::full) array_ = Array<A>(device, size);
  }
  /// In full.
  explicit NarrowArray(Array<A> numbers) : array_(std::move(numbers)), size_(std::get<Array<A>>(array_).size()) {}

  std::int64_t size() const { return size_; }
  Precision precision() const { return precision_; }
  Device device() const {
    return std::visit([](const auto& array) { return array.device(); }, array_);
  }
  std::int64_t width() const {  // bytes of one number
    return std::visit([](const auto& array) { return static_cast<std::int64_t>(sizeof(*array.data())); }, array_);
  }
  std::int64_t bytes() const { return size_ * width(); }
  /// Largest relative error of a number in the range of a float.
  double rounding() const {
    const bool is_double = sizeof(RealOf<T>) == 8;
    return precision_ == Precision::bfloat16 ? 0x1p-8 : precision_ == Precision::single && is_double ? 0x1p-24 : 0.0;
  }

  /// Calls f with the pointer to the numbers.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit([&](const auto& array) -> decltype(auto) { return f(array.data()); }, array_);
  }
  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit([&](auto& array) -> decltype(auto) { return f(array.data()); }, array_);
  }

  NarrowArray to(Device target) const {
    NarrowArray copy;
    copy.size_ = size_;
    copy.precision_ = precision_;
    copy.array_ = std::visit([&](const auto& array) { return Arrays(array.to(target)); }, array_);
    return copy;
  }

  /// Takes the numbers over, rounded; on the host. Throws an Error for one beyond the range of a float.
  void assign(int num_threads, const A* from) {
    visit([&]<class S>(S* to) {
      parallel_for(num_threads, size_, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          if constexpr (!std::is_same_v<S, A>) require_in_range(from[i]);
          to[i] = change_type<S>(from[i]);
        }
      });
    });
  }

 private:
  // Floats stored as floats are stored in full: one instance of the kernels less.
  static Precision normal(Precision precision) {
    return sizeof(RealOf<T>) == 4 && precision == Precision::single ? Precision::full : precision;
  }
  static void require_in_range(const A& value) {
    double largest = 0;
    if constexpr (is_complex<A>)
      largest = std::max(std::abs(static_cast<double>(value.re)), std::abs(static_cast<double>(value.im)));
    else
      largest = std::abs(static_cast<double>(value));
    require(!(largest > std::numeric_limits<float>::max()) || std::isinf(largest),
            "preconditioner in narrow numbers: ", largest, " is beyond the range of a float; ask for full precision");
  }

  using Arrays = std::conditional_t<std::is_same_v<Single, A>, std::variant<Array<A>, Array<Half>>,
                                    std::variant<Array<A>, Array<Single>, Array<Half>>>;
  Arrays array_;
  std::int64_t size_ = 0;
  Precision precision_ = Precision::full;
};

}  // namespace millrace
