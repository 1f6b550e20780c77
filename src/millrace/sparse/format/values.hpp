// The values of a format: of type T, doubles stored as floats when that is exact or was asked for, or codes of 1 or 2
// bytes into a dictionary.
#pragma once

#include <algorithm>
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
  dictionary,  // codes of the values, if there are at most 65536 distinct ones; columns as if automatic
};

template <class S>
inline constexpr bool is_code = std::is_same_v<S, std::uint8_t> || std::is_same_v<S, std::uint16_t>;

/// A value from what is stored of it: T or float as it is, a code through the table.
template <class T, class S>
MILLRACE_HD T decode(S stored, [[maybe_unused]] const T* table) {
  if constexpr (is_code<S>)
    return table[stored];
  else
    return static_cast<T>(stored);
}

/// Values that are not stored as T, told apart at run time: for products that are not worth compiling for each storage.
template <class T>
struct AnyStored {
  enum Kind { short_codes, long_codes, floats };
  const void* data;
  const T* table;  // of the codes
  Kind kind;

  MILLRACE_HD T operator[](Offset s) const {
    if (kind == short_codes) return table[static_cast<const std::uint8_t*>(data)[s]];
    if (kind == long_codes) return table[static_cast<const std::uint16_t*>(data)[s]];
    if constexpr (std::is_same_v<T, double>)
      return static_cast<const float*>(data)[s];
    else
      return T{};
  }
};

template <class T>
class StoredValues {
 public:
  static constexpr bool can_narrow = std::is_same_v<T, double>;
  static constexpr bool has_short_codes = !is_complex<T>;  // complex numbers have codes of 2 bytes: less to compile

  StoredValues() = default;
  explicit StoredValues(Array<T> values, Storage storage = Storage::full)
      : full_(std::move(values)), storage_(storage) {
    narrow();
  }

  /// Stored as they are, without looking at them: T, or floats where `narrow` has them (made elsewhere).
  static StoredValues stored(Array<T> full, Array<float> narrow, Storage storage) {
    StoredValues values;
    values.full_ = std::move(full);
    values.narrow_ = std::move(narrow);
    values.storage_ = storage;
    return values;
  }
  [[noreturn]] static void refuse_range(double value) {
    throw Error(join("values as floats: ", value, " is beyond the range of a float"));
  }

  std::int64_t size() const { return std::max({full_.size(), narrow_.size(), codes_.size(), long_codes_.size()}); }
  Device device() const { return has_dictionary() ? codes_.device() : is_narrow() ? narrow_.device() : full_.device(); }
  bool has_dictionary() const { return !table_.empty(); }
  std::int64_t num_distinct() const { return table_.size(); }  // with a dictionary
  bool is_narrow() const { return !narrow_.empty(); }
  bool is_rounded() const { return is_narrow() && storage_ == Storage::single; }
  std::int64_t width() const {
    return static_cast<std::int64_t>(has_dictionary() ? (codes_.empty() ? 2 : 1)
                                     : is_narrow()    ? sizeof(float)
                                                      : sizeof(T));
  }
  std::int64_t bytes() const {
    return full_.bytes() + narrow_.bytes() + codes_.bytes() + long_codes_.bytes() + table_.bytes();
  }
  bool borrowed() const { return full_.borrowed(); }

  StoredValues to(Device target) const {
    StoredValues copy;
    copy.full_ = full_.to(target);
    copy.narrow_ = narrow_.to(target);
    copy.codes_ = codes_.to(target);
    copy.long_codes_ = long_codes_.to(target);
    copy.table_ = table_.to(target);
    copy.storage_ = storage_;
    return copy;
  }

  /// Calls f with the pointer to what is stored, T as kernels see it, float or codes, and with the table of the codes.
  template <class F>
  decltype(auto) visit(F&& f) const {
    const Arith<T>* table = arith(table_.data());
    if constexpr (has_short_codes)
      if (!codes_.empty()) return f(codes_.data(), table);
    if (!long_codes_.empty()) return f(long_codes_.data(), table);
    if constexpr (can_narrow)
      if (is_narrow()) return f(narrow_.data(), table);
    return f(arith(full_.data()), table);
  }

  /// Calls f with what has an operator[]: the pointer to values of type T, or one that decodes any other storage.
  template <class F>
  decltype(auto) visit_any(F&& f) const {
    using A = Arith<T>;
    const A* table = arith(table_.data());
    if (!codes_.empty()) return f(AnyStored<A>{codes_.data(), table, AnyStored<A>::short_codes});
    if (!long_codes_.empty()) return f(AnyStored<A>{long_codes_.data(), table, AnyStored<A>::long_codes});
    if (is_narrow()) return f(AnyStored<A>{narrow_.data(), table, AnyStored<A>::floats});
    return f(arith(full_.data()));
  }

  /// Hands all values to f as a T* to overwrite, and narrows them again if they allow it. On a GPU they stay as T.
  template <class F>
  void rewrite(F&& f) {
    if (is_narrow() || has_dictionary()) {
      Array<T> full(device(), size());
      if (device().on_host())
        visit([&](const auto* stored, const Arith<T>* table) {
          for (std::int64_t i = 0; i < size(); ++i) arith(full.data())[i] = decode(stored[i], table);
        });
      narrow_ = {}, codes_ = {}, long_codes_ = {}, table_ = {};
      full_ = std::move(full);
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

  // Gives every distinct value, by its bits, the next code; with more than 65536 of them all stay as they are.
  void look_up() {
    constexpr int log2_places = 18;  // of an open hash table
    constexpr std::size_t max_codes = 65536;
    if (full_.empty()) return;
    std::vector<std::uint32_t> code_at(std::size_t{1} << log2_places, 0);  // code + 1
    std::vector<T> found;
    Array<std::uint16_t> codes(full_.size());
    for (std::int64_t i = 0; i < full_.size(); ++i) {
      const T value = full_.data()[i];
      std::uint64_t bits[(sizeof(T) + 7) / 8]{}, hash = 0;
      std::memcpy(bits, &value, sizeof(T));
      for (const std::uint64_t word : bits) hash = (hash ^ word ^ (hash >> 29)) * 0x9e3779b97f4a7c15u;
      std::size_t at = hash >> (64 - log2_places);
      while (code_at[at] != 0 && std::memcmp(&found[code_at[at] - 1], &value, sizeof(T)) != 0)
        at = (at + 1) % code_at.size();
      if (code_at[at] == 0) {
        if (found.size() == max_codes) return;
        found.push_back(value);
        code_at[at] = static_cast<std::uint32_t>(found.size());
      }
      codes.data()[i] = static_cast<std::uint16_t>(code_at[at] - 1);
    }
    if (has_short_codes && found.size() <= 256) {
      codes_ = Array<std::uint8_t>(codes.size());
      for (std::int64_t i = 0; i < codes.size(); ++i) codes_.data()[i] = static_cast<std::uint8_t>(codes.data()[i]);
    } else {
      long_codes_ = std::move(codes);
    }
    table_ = Array<T>(std::span<const T>(found));
    full_ = {};
  }

  Array<T> full_;  // exactly one of these four holds the values
  Array<float> narrow_;
  Array<std::uint8_t> codes_;        // into the table
  Array<std::uint16_t> long_codes_;  // the same with 2 bytes
  Array<T> table_;                   // the distinct values
  Storage storage_ = Storage::full;
};

}  // namespace millrace
