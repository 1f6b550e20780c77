// What conversions on a GPU are made of. They are written against a `Stage`, which has a few parallel steps over plain
// pointers (one is a GPU, in convert_stage.cuh; the tests have one that is a loop), so the host can run and test them.
#pragma once

#include <concepts>

#include "millrace/sparse/csr.hpp"

namespace millrace::convert {

using Key = std::uint64_t;    // what entries or rows are sorted by
using Place = std::uint32_t;  // where they stood before; up to 2^32 of them

struct AnyStep {
  MILLRACE_HD Offset operator()(Offset i) const { return i; }
};

/// A stage that is one of these finds the `make` of every format, which are in this namespace, by its own type.
struct FindsConversions {};

/// What a conversion may ask of where it runs. All steps are done in the order given.
template <class S>
concept Stage = requires(S stage, Offset n, Offset* values, Array<Key> keys, Array<Place> places, AnyStep f) {
  { stage.device() } -> std::convertible_to<Device>;
  { stage.template make<Index>(n) } -> std::same_as<Array<Index>>;             // memory of the result
  { stage.template scratch<Index>(n) } -> std::same_as<Array<Index>>;          // and for a while
  stage.for_each(n, f);                                                        // for i = 0 .. n - 1, in any order
  { stage.sum(n, f) } -> std::same_as<Offset>;                                 // of f(i)
  { stage.largest(n, f) } -> std::same_as<Offset>;                             // or 0
  { stage.first(n, f) } -> std::same_as<Offset>;                               // i for which f(i) holds, or n
  { stage.read(static_cast<const Offset*>(values)) } -> std::same_as<Offset>;  // one value onto the host
  stage.scan(values, n);                                                       // running sums, in place
  stage.sort(keys, Key{});                                                     // ascending, up to that key
  stage.sort(keys, places, Key{});                                             // with their places, stable
};

/// Atomic where threads run side by side: on a GPU. The host's stage is a loop.
MILLRACE_HD inline std::uint64_t fetch_or(std::uint64_t* word, std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return atomicOr(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(bits));
#else
  const std::uint64_t before = *word;
  *word |= bits;
  return before;
#endif
}
MILLRACE_HD inline void fetch_max(Offset* value, Offset other) {
#ifdef __CUDA_ARCH__
  atomicMax(reinterpret_cast<long long*>(value), static_cast<long long>(other));
#else
  if (*value < other) *value = other;
#endif
}
MILLRACE_HD inline void fetch_min(Offset* value, Offset other) {
#ifdef __CUDA_ARCH__
  atomicMin(reinterpret_cast<long long*>(value), static_cast<long long>(other));
#else
  if (other < *value) *value = other;
#endif
}

/// The first place in [low, high) whose value is at least `bound`; values ascend.
template <class U, class V>
MILLRACE_HD Offset lower_bound(const U* values, Offset low, Offset high, V bound) {
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (values[middle] < static_cast<U>(bound))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
/// The last place in [low, high) whose value is at most `bound`; the first one is.
template <class U, class V>
MILLRACE_HD Offset last_at_most(const U* values, Offset low, Offset high, V bound) {
  while (high - low > 1) {
    const Offset middle = low + (high - low) / 2;
    if (values[middle] <= static_cast<U>(bound))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// The pattern of a CSR matrix, with offsets of either width.
struct Rows {
  Index num_rows, num_cols;
  Offset num_entries;
  const std::int32_t* narrow;  // [num_rows + 1], or null
  const std::int64_t* wide;    // [num_rows + 1], or null
  const Index* cols;           // [num_entries]

  MILLRACE_HD Offset begin(Index r) const { return narrow ? Offset{narrow[r]} : wide[r]; }
  MILLRACE_HD Index length(Index r) const { return static_cast<Index>(begin(r + 1) - begin(r)); }
  MILLRACE_HD Index row_of(Offset s) const {
    return static_cast<Index>(narrow ? last_at_most(narrow, 0, num_rows, s) : last_at_most(wide, 0, num_rows, s));
  }
};

template <class T>
Rows rows_of(const Csr<T>& a) {
  const auto* narrow = std::get_if<Array<std::int32_t>>(&a.row_ptr);
  const auto* wide = std::get_if<Array<std::int64_t>>(&a.row_ptr);
  return {a.num_rows,   a.num_cols, a.num_entries(), narrow ? narrow->data() : nullptr, wide ? wide->data() : nullptr,
          a.cols.data()};
}

template <Stage S, class U>
void fill(S& stage, Array<U>& array, U value) {
  U* data = array.data();
  stage.for_each(array.size(), [=] MILLRACE_HD(Offset i) { data[i] = value; });
}

template <Stage S, class U>
Array<U> make_filled(S& stage, Offset size, U value) {
  Array<U> array = stage.template make<U>(size);
  fill(stage, array, value);
  return array;
}

template <Stage S, class T>
void fill_zero(S& stage, Array<T>& values) {
  Arith<T>* data = arith(values.data());
  stage.for_each(values.size(), [=] MILLRACE_HD(Offset i) { data[i] = Arith<T>{}; });
}

/// The row of every entry.
template <Stage S>
void expand_rows(S& stage, const Rows& a, Index* rows) {
  stage.for_each(a.num_entries, [=] MILLRACE_HD(Offset s) { rows[s] = a.row_of(s); });
}

/// The order of rows by falling length inside every window, equal lengths as they were; empty when no row moves.
template <Stage S>
Array<Index> order_by_length(S& stage, const Array<Index>& lengths, Index longest, Index window) {
  const Offset n = lengths.size();
  if (window == 1 || n == 0) return stage.template make<Index>(0);
  const Index* length = lengths.data();
  const Offset moved =
      stage.first(n - 1, [=] MILLRACE_HD(Offset i) { return (i + 1) % window != 0 && length[i] < length[i + 1]; });
  if (moved == n - 1) return stage.template make<Index>(0);
  Array<Key> keys = stage.template scratch<Key>(n);
  Array<Place> places = stage.template scratch<Place>(n);
  Key* key = keys.data();
  Place* place = places.data();
  const Key range = static_cast<Key>(longest) + 1;
  stage.for_each(n, [=] MILLRACE_HD(Offset i) {
    key[i] = static_cast<Key>(i / window) * range + static_cast<Key>(longest - length[i]);
    place[i] = static_cast<Place>(i);
  });
  stage.sort(keys, places, (static_cast<Key>((n - 1) / window) + 1) * range - 1);
  Array<Index> order = stage.template make<Index>(n);
  Index* to = order.data();
  const Place* sorted = places.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset i) { to[i] = static_cast<Index>(sorted[i]); });
  return order;
}

}  // namespace millrace::convert
