// The one idea of the sparse formats: a format is an address function, a kernel is a schedule.
// A row format's view says where entry k of row r lies; every schedule serves every view.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "millrace/base/scalar.hpp"
#include "millrace/sparse/format_spec.hpp"

namespace millrace {

/// What a schedule may ask of a view. r is a stored row (formats may store rows in another order).
template <class V>
concept RowFormat = std::is_trivially_copyable_v<V> && requires(const V v, Index r, Index k, Offset s) {
  typename V::value_type;
  { V::interleaved } -> std::convertible_to<bool>;  // do neighbouring rows sit side by side in memory?
  { v.num_rows } -> std::convertible_to<Index>;
  { v.num_cols } -> std::convertible_to<Index>;
  { v.num_entries } -> std::convertible_to<Offset>;  // real ones, without padding
  { v.length(r) } -> std::convertible_to<Index>;     // real entries of stored row r
  { v.slot(r, k) } -> std::convertible_to<Offset>;   // where its entry k is stored
  { v.column(s) } -> std::convertible_to<Index>;
  { v.value(s) } -> std::convertible_to<typename V::value_type>;
  { v.output_row(r) } -> std::convertible_to<Index>;     // the row of y that stored row r belongs to
  { v.slots_before(r) } -> std::convertible_to<Offset>;  // never falls with r; balances the threads
};

/// What a format holds, in bytes and entries.
struct Footprint {
  Offset num_entries = 0;        // real entries
  Offset artificial_zeros = 0;   // padding
  std::int64_t bytes = 0;        // of all its arrays
  std::int64_t moved_bytes = 0;  // of them, what a product must read: no padding
};

}  // namespace millrace
