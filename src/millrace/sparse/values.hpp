// The values of a format: of type T, doubles stored as floats when that is exact or was asked for, or 1-byte codes into
// a dictionary of at most 256 values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

enum class Storage {
  automatic,   // narrow what is exactly representable
  full,        // 4-byte columns and values of T
  single,      // values as floats, rounded if need be
  dictionary,  // 1-byte codes of the values, if there are at most 256 different ones; 4-byte or narrow columns
};

/// A value from what is stored of it: T or float as it is, a code through the table.
template <class T, class S>
MILLRACE_HD T decode(S stored, [[maybe_unused]] const T* table) {
  if constexpr (std::is_same_v<S, std::uint8_t>)
    return table[stored];
  else
    return static_cast<T>(stored);
}

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

  std::int64_t size() const { return std::max({full_.size(), narrow_.size(), codes_.size()}); }
  Device device() const { return has_dictionary() ? codes_.device() : is_narrow() ? narrow_.device() : full_.device(); }
  bool has_dictionary() const { return !codes_.empty(); }
  std::int64_t num_different() const { return table_.size(); }  // with a dictionary
  bool is_narrow() const { return !narrow_.empty(); }
  bool is_rounded() const { return is_narrow() && storage_ == Storage::single; }
  std::int64_t width() const {
    return static_cast<std::int64_t>(has_dictionary() ? 1 : is_narrow() ? sizeof(float) : sizeof(T));
  }
  std::int64_t bytes() const { return full_.bytes() + narrow_.bytes() + codes_.bytes() + table_.bytes(); }
  bool borrowed() const { return full_.borrowed(); }

  Values to(Device target) const {
    Values copy;
    copy.full_ = full_.to(target);
    copy.narrow_ = narrow_.to(target);
    copy.codes_ = codes_.to(target);
    copy.table_ = table_.to(target);
    copy.storage_ = storage_;
    return copy;
  }

  /// Calls f with the pointer to what is stored, T as kernels see it, float or codes, and with the table of the codes.
  template <class F>
  decltype(auto) visit(F&& f) const {
    const Arith<T>* table = arith(table_.data());
    if (has_dictionary()) return f(codes_.data(), table);
    if constexpr (can_narrow)
      if (is_narrow()) return f(narrow_.data(), table);
    return f(arith(full_.data()), table);
  }

  /// Hands all values to f as a T* to overwrite, and narrows them again if they allow it. On a GPU they stay as T.
  template <class F>
  void rewrite(F&& f) {
    if (is_narrow() || has_dictionary()) {
      full_ = Array<T>(device(), size());
      if (device().on_host() && is_narrow()) std::copy(narrow_.data(), narrow_.data() + narrow_.size(), full_.data());
      for (std::int64_t i = 0; device().on_host() && i < codes_.size(); ++i)
        full_.data()[i] = table_.data()[codes_.data()[i]];
      narrow_ = {}, codes_ = {}, table_ = {};
    }
    f(full_.data());
    if (full_.device().on_host()) narrow();
  }

 private:
  void narrow() {
    if (storage_ == Storage::dictionary) return look_up();
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

  // Gives every different value, by its bits, the next code; with more than 256 of them all stay as they are.
  void look_up() {
    constexpr std::size_t places = 1024;  // of an open hash table
    std::array<int, places> code_at{};    // code + 1
    std::vector<T> found;
    Array<std::uint8_t> codes(full_.size());
    for (std::int64_t i = 0; i < full_.size(); ++i) {
      const T value = full_.data()[i];
      std::uint64_t bits[(sizeof(T) + 7) / 8]{}, hash = 0;
      std::memcpy(bits, &value, sizeof(T));
      for (const std::uint64_t word : bits) hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      std::size_t at = hash >> 54;  // of 1024
      while (code_at[at] != 0 && std::memcmp(&found[static_cast<std::size_t>(code_at[at] - 1)], &value, sizeof(T)) != 0)
        at = (at + 1) % places;
      if (code_at[at] == 0) {
        if (found.size() == 256) return;
        found.push_back(value);
        code_at[at] = static_cast<int>(found.size());
      }
      codes.data()[i] = static_cast<std::uint8_t>(code_at[at] - 1);
    }
    if (full_.empty()) return;
    codes_ = std::move(codes);
    table_ = Array<T>(std::span<const T>(found));
    full_ = {};
  }

  Array<T> full_;  // exactly one of the three holds the values
  Array<float> narrow_;
  Array<std::uint8_t> codes_;  // into the table
  Array<T> table_;             // [at most 256]
  Storage storage_ = Storage::full;
};

}  // namespace millrace
