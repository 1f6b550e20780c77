// What conversions are made of. They are written once against `Steps`: a few parallel loops over plain pointers, which
// host threads (host_steps.hpp) and a GPU (device_steps.cuh) both run.
#pragma once

#include <atomic>
#include <concepts>

#include "millrace/base/search.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::convert {

using Key = std::uint64_t;    // what entries or rows are sorted by
using Place = std::uint32_t;  // where they stood before; up to 2^32 of them

/// Consecutive items in groups, as entries in rows: group g holds items begin(g) .. begin(g + 1) - 1.
template <class G>
concept Groups = requires(const G groups, Offset g) {
  { groups.num_groups() } -> std::same_as<Offset>;
  { groups.num_items() } -> std::same_as<Offset>;
  { groups.begin(g) } -> std::same_as<Offset>;
};

/// The last group that begins at that item or before: the one that holds it.
template <Groups G>
MILLRACE_HD Offset group_of(const G& groups, Offset item) {
  return first_where(Offset{1}, groups.num_groups(), [&](Offset g) { return item < groups.begin(g); }) - 1;
}

/// The same where it lies between two groups, or is one of them.
template <Groups G>
MILLRACE_HD Offset group_between(const G& groups, Offset first, Offset last, Offset item) {
  return first_where(first + 1, last + 1, [&](Offset g) { return item < groups.begin(g); }) - 1;
}

/// Groups by their starts.
struct Ranges {
  const Offset* starts;  // [num + 1]
  Offset num, items;
  MILLRACE_HD Offset num_groups() const { return num; }
  MILLRACE_HD Offset num_items() const { return items; }
  MILLRACE_HD Offset begin(Offset g) const { return starts[g]; }
};

/// The pattern of a CSR matrix, with offsets of either width; its rows are groups of entries.
struct Rows {
  Index num_rows, num_cols;
  Offset num_entries;
  const std::int32_t* narrow;  // [num_rows + 1], or null
  const std::int64_t* wide;    // [num_rows + 1], or null
  const Index* cols;           // [num_entries]

  MILLRACE_HD Offset begin(Offset r) const { return narrow ? Offset{narrow[r]} : wide[r]; }
  MILLRACE_HD Index length(Offset r) const { return static_cast<Index>(begin(r + 1) - begin(r)); }
  MILLRACE_HD Offset num_groups() const { return num_rows; }
  MILLRACE_HD Offset num_items() const { return num_entries; }
};

template <class T>
Rows rows_of(const Csr<T>& a) {
  const auto* narrow = std::get_if<Array<std::int32_t>>(&a.row_ptr);
  const auto* wide = std::get_if<Array<std::int64_t>>(&a.row_ptr);
  return {a.num_rows,   a.num_cols, a.num_entries(), narrow ? narrow->data() : nullptr, wide ? wide->data() : nullptr,
          a.cols.data()};
}

struct AnyStep {
  MILLRACE_HD Offset operator()(Offset i) const { return i; }
  MILLRACE_HD Offset operator()(Offset, Offset i) const { return i; }
};

/// What a conversion may ask of where it runs. All steps are done in the order given.
template <class S>
concept Steps =
    requires(S steps, Offset n, Offset* values, Array<Key> keys, Array<Place> places, AnyStep f, Rows rows) {
      { S::few_threads } -> std::convertible_to<bool>;  // is one item after another, in long inner loops, the fast way?
      { steps.device() } -> std::convertible_to<Device>;
      { steps.template make<Index>(n) } -> std::same_as<Array<Index>>;             // memory of the result
      { steps.template scratch<Index>(n) } -> std::same_as<Array<Index>>;          // and for a while
      steps.for_each(n, f);                                                        // for i = 0 .. n - 1, in any order
      steps.for_each_in(rows, f);                                                  // f(group, item) for all items
      { steps.sum(n, f) } -> std::same_as<Offset>;                                 // of f(i)
      { steps.max(n, f) } -> std::same_as<Offset>;                                 // or 0
      { steps.first(n, f) } -> std::same_as<Offset>;                               // i for which f(i) holds, or n
      { steps.first_in(rows, f) } -> std::same_as<Offset>;                         // item, or how many there are
      { steps.read(static_cast<const Offset*>(values)) } -> std::same_as<Offset>;  // one value onto the host
      steps.scan(values, n);                                                       // running sums, in place
      steps.sort(keys, Key{});                                                     // ascending, up to that key
      steps.sort(keys, places, Key{});                                             // with their places, stable
    };

/// CSR into a format, in steps; specialised beside the other steps of the format:
/// `static Format run(steps, a, spec)`.
template <class Format>
struct Conversion;

/// Atomic: items run side by side.
MILLRACE_HD inline void fetch_or(std::uint64_t* word, std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  atomicOr(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(bits));
#else
  std::atomic_ref<std::uint64_t>(*word).fetch_or(bits, std::memory_order_relaxed);
#endif
}
MILLRACE_HD inline void fetch_max(Offset* value, Offset other) {
#ifdef __CUDA_ARCH__
  atomicMax(reinterpret_cast<long long*>(value), static_cast<long long>(other));
#else
  const std::atomic_ref<Offset> shared(*value);
  for (Offset now = shared.load(std::memory_order_relaxed);
       now < other && !shared.compare_exchange_weak(now, other, std::memory_order_relaxed);) {
  }
#endif
}
MILLRACE_HD inline void fetch_min(Offset* value, Offset other) {
#ifdef __CUDA_ARCH__
  atomicMin(reinterpret_cast<long long*>(value), static_cast<long long>(other));
#else
  const std::atomic_ref<Offset> shared(*value);
  for (Offset now = shared.load(std::memory_order_relaxed);
       other < now && !shared.compare_exchange_weak(now, other, std::memory_order_relaxed);) {
  }
#endif
}
/// Sets a mark that many may set, all to the same.
MILLRACE_HD inline void set_mark(Offset* mark, Offset value) {
#ifdef __CUDA_ARCH__
  if (*mark != value) *mark = value;
#else
  const std::atomic_ref<Offset> shared(*mark);
  if (shared.load(std::memory_order_relaxed) != value) shared.store(value, std::memory_order_relaxed);
#endif
}

template <Steps S, class U>
void fill(S& steps, Array<U>& array, U value) {
  U* data = array.data();
  steps.for_each(array.size(), [=] MILLRACE_HD(Offset i) { data[i] = value; });
}

template <Steps S, class U>
Array<U> make_filled(S& steps, Offset size, U value) {
  Array<U> array = steps.template make<U>(size);
  fill(steps, array, value);
  return array;
}

template <Steps S, class T>
void fill_zero(S& steps, Array<T>& values) {
  Arith<T>* data = arith(values.data());
  steps.for_each(values.size(), [=] MILLRACE_HD(Offset i) { data[i] = Arith<T>{}; });
}

template <Steps S, class T>
Array<T> copied(S& steps, const Array<T>& values) {
  Array<T> copy = steps.template make<T>(values.size());
  Arith<T>* to = arith(copy.data());
  const Arith<T>* from = arith(values.data());
  steps.for_each(values.size(), [=] MILLRACE_HD(Offset i) { to[i] = from[i]; });
  return copy;
}

/// The row of every entry.
template <Steps S>
void expand_rows(S& steps, const Rows& a, Index* rows) {
  steps.for_each_in(a, [=] MILLRACE_HD(Offset r, Offset s) { rows[s] = static_cast<Index>(r); });
}

/// The order of rows by falling length inside every window, equal lengths as they were; empty when no row moves.
template <Steps S>
Array<Index> order_by_length(S& steps, const Array<Index>& lengths, Index longest, Index window) {
  const Offset n = lengths.size();
  if (window == 1 || n == 0) return steps.template make<Index>(0);
  const Index* length = lengths.data();
  const Offset moved =
      steps.first(n - 1, [=] MILLRACE_HD(Offset i) { return (i + 1) % window != 0 && length[i] < length[i + 1]; });
  if (moved == n - 1) return steps.template make<Index>(0);
  Array<Key> keys = steps.template scratch<Key>(n);
  Array<Place> places = steps.template scratch<Place>(n);
  Key* key = keys.data();
  Place* place = places.data();
  const Key range = static_cast<Key>(longest) + 1;
  steps.for_each(n, [=] MILLRACE_HD(Offset i) {
    key[i] = static_cast<Key>(i / window) * range + static_cast<Key>(longest - length[i]);
    place[i] = static_cast<Place>(i);
  });
  steps.sort(keys, places, (static_cast<Key>((n - 1) / window) + 1) * range - 1);
  Array<Index> order = steps.template make<Index>(n);
  Index* to = order.data();
  const Place* sorted = places.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset i) { to[i] = static_cast<Index>(sorted[i]); });
  return order;
}

}  // namespace millrace::convert
