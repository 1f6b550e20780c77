// The values of a format: of type T, or doubles stored as floats, when that is exact or was asked for.
#pragma once

#include <cmath>

#include "millrace/base/array.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

enum class Storage {
  automatic,  // narrow what is exactly representable
  full,       // 4-byte columns and values of T
  single,     // values as floats, rounded if need be
};

template <class T>
class Values {
 public:
  static constexpr bool can_narrow = std::is_same_v<T, double>;

  Values() = default;
  explicit Values(Array<T> values, Storage storage = Storage::full) : full_(std::move(values)), storage_(storage) {
    narrow();
  }

  /// Stored as they are, without looking at them: T, or floats where `narrow` has them (made elsewhere).
  static Values stored(Array<T> full, Array<float> narrow, Storage storage) {
    Values values;
    values.full_ = std::move(full);
    values.narrow_ = std::move(narrow);
    values.storage_ = storage;
    return values;
  }
  [[noreturn]] static void refuse_range(double value) {
    throw Error(join("values as floats: ", value, " is beyond the range of a float"));
  }

  std::int64_t size() const { return std::max(full_.size(), narrow_.size()); }
  Device device() const { return is_narrow() ? narrow_.device() : full_.device(); }
  bool is_narrow() const { return !narrow_.empty(); }
  bool is_rounded() const { return is_narrow() && storage_ == Storage::single; }
  std::int64_t width() const { return static_cast<std::int64_t>(is_narrow() ? sizeof(float) : sizeof(T)); }
  std::int64_t bytes() const { return full_.bytes() + narrow_.bytes(); }
  bool borrowed() const { return full_.borrowed(); }

  Values to(Device target) const {
    Values copy;
    copy.full_ = full_.to(target);
    copy.narrow_ = narrow_.to(target);
    copy.storage_ = storage_;
    return copy;
  }

  /// Calls f with the pointer to what is stored: T as kernels see it, or float.
  template <class F>
  decltype(auto) visit(F&& f) const {
    if constexpr (can_narrow)
      if (is_narrow()) return f(narrow_.data());
    return f(arith(full_.data()));
  }

  /// Hands all values to f as a T* to overwrite, and narrows them again if they allow it. On a GPU they stay as T.
  template <class F>
  void rewrite(F&& f) {
    if (is_narrow()) {
      full_ = Array<T>(device(), size());
      if (device().on_host()) std::copy(narrow_.data(), narrow_.data() + narrow_.size(), full_.data());
      narrow_ = {};
    }
    f(full_.data());
    if (full_.device().on_host()) narrow();
  }

 private:
  void narrow() {
    if constexpr (can_narrow) {
      if (storage_ == Storage::full || full_.empty()) return;
      const T* from = full_.data();
      const auto exact = [&](T v) { return static_cast<T>(static_cast<float>(v)) == v; };
      if (storage_ == Storage::automatic && !std::all_of(from, from + full_.size(), exact)) return;
      for (std::int64_t i = 0; i < full_.size(); ++i)
        if (!std::isinf(from[i]) && std::isinf(static_cast<float>(from[i]))) refuse_range(from[i]);
      Array<float> floats(full_.size());
      parallel_for(default_num_threads(), full_.size(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) floats.data()[i] = static_cast<float>(from[i]);
      });
      narrow_ = std::move(floats);
      full_ = {};
    }
  }

  Array<T> full_;  // exactly one of the two holds the values
  Array<float> narrow_;
  Storage storage_ = Storage::full;
};

}  // namespace millrace
