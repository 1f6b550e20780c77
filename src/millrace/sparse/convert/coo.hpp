// Coordinates into CSR and back, in parallel steps: one stable sort of the entries by their position.
#pragma once

#include <limits>

#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace::convert {

/// Row offsets from the sorted keys of the entries: a row's keys begin with row * stride. `rank`: entries up to and
/// with each that are kept; null: all are.
template <class RowOffset, Steps S>
Array<RowOffset> row_offsets(S& steps, Index num_rows, const Array<Key>& keys, Key stride, const Offset* rank) {
  Array<RowOffset> offsets = steps.template make<RowOffset>(Offset{num_rows} + 1);
  RowOffset* to = offsets.data();
  const Key* key = keys.data();
  const Offset n = keys.size();
  steps.for_each(Offset{num_rows} + 1, [=] MILLRACE_HD(Offset r) {
    const Offset at = r == num_rows ? n : first_at_least(key, Offset{0}, n, static_cast<Key>(r) * stride);
    to[r] = static_cast<RowOffset>(rank == nullptr ? at : at == 0 ? 0 : rank[at - 1]);
  });
  return offsets;
}

template <Steps S, class T>
void check_entries(S& steps, const Coo<T>& a) {
  const Index *rows = a.rows.data(), *cols = a.cols.data(), num_rows = a.num_rows, num_cols = a.num_cols;
  const Offset bad = steps.first(a.num_entries(), [=] MILLRACE_HD(Offset i) {
    return rows[i] < 0 || rows[i] >= num_rows || cols[i] < 0 || cols[i] >= num_cols;
  });
  if (bad < a.num_entries()) refuse_entry(bad, steps.read(rows + bad), steps.read(cols + bad), num_rows, num_cols);
}

/// Entries by key, as given among equal ones.
struct SortedEntries {
  Array<Key> keys;
  Array<Place> places;
  Key stride;  // key = row * stride, + column if that counts
};

template <Steps S, class T>
SortedEntries sort_entries(S& steps, const Coo<T>& a, bool by_column) {
  const Offset n = a.num_entries();
  require<Unsupported>(n <= std::numeric_limits<Place>::max(), "to_csr: ", n, " entries on ", to_string(a.device()),
                       "; up to ", std::numeric_limits<Place>::max(), " are sorted there");
  SortedEntries sorted{steps.template scratch<Key>(n), steps.template scratch<Place>(n),
                       by_column ? static_cast<Key>(a.num_cols) : Key{1}};
  const Index *rows = a.rows.data(), *cols = by_column ? a.cols.data() : nullptr;
  const Key stride = sorted.stride;
  Key* key = sorted.keys.data();
  Place* place = sorted.places.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset i) {
    key[i] = static_cast<Key>(rows[i]) * stride + (cols ? static_cast<Key>(cols[i]) : Key{0});
    place[i] = static_cast<Place>(i);
  });
  if (n > 1 && steps.first(n - 1, [=] MILLRACE_HD(Offset i) { return key[i] > key[i + 1]; }) < n - 1)
    steps.sort(sorted.keys, sorted.places, static_cast<Key>(a.num_rows) * stride - 1);
  return sorted;
}

/// The matrix of the sorted entries, with its row offsets and with room for columns and values. `rank` as above.
template <Steps S, class T>
Csr<T> make_csr(S& steps, const Coo<T>& a, const SortedEntries& sorted, Offset num_entries, const Offset* rank) {
  Csr<T> b;
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.cols = steps.template make<Index>(num_entries);
  b.vals = steps.template make<T>(num_entries);
  if (num_entries <= std::numeric_limits<std::int32_t>::max())
    b.row_ptr = row_offsets<std::int32_t>(steps, b.num_rows, sorted.keys, sorted.stride, rank);
  else
    b.row_ptr = row_offsets<std::int64_t>(steps, b.num_rows, sorted.keys, sorted.stride, rank);
  return b;
}

template <Steps S, class T>
Csr<T> to_csr_keeping_duplicates(S& steps, const Coo<T>& a) {
  check_entries(steps, a);
  const SortedEntries sorted = sort_entries(steps, a, false);
  const Offset n = a.num_entries();
  Csr<T> b = make_csr(steps, a, sorted, n, nullptr);
  Index* cols = b.cols.data();
  Arith<T>* vals = arith(b.vals.data());
  const Index* from_cols = a.cols.data();
  const Arith<T>* from_vals = arith(a.vals.data());
  const Place* place = sorted.places.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset i) {
    cols[i] = from_cols[place[i]];
    vals[i] = from_vals[place[i]];
  });
  return b;
}

/// Refuses finite entries of one position whose sum is not finite.
template <Steps S, class T>
void check_sums(S& steps, const Coo<T>& a, const SortedEntries& sorted) {
  const Offset n = a.num_entries();
  const Key* key = sorted.keys.data();
  const Place* place = sorted.places.data();
  const Arith<T>* vals = arith(a.vals.data());
  const Offset bad = steps.first(n, [=] MILLRACE_HD(Offset i) {
    if ((i > 0 && key[i] == key[i - 1]) || i + 1 == n || key[i] != key[i + 1]) return false;
    Arith<T> sum = vals[place[i]];
    bool finite = is_finite(sum);
    for (Offset j = i + 1; j < n && key[j] == key[i]; ++j) {
      finite = finite && is_finite(vals[place[j]]);
      sum += vals[place[j]];
    }
    return finite && !is_finite(sum);
  });
  if (bad == n) return;
  const Key at = steps.read(key + bad);
  refuse_sum(static_cast<Index>(at / sorted.stride), static_cast<Index>(at % sorted.stride));
}

/// Sorted by column too, and repeated positions added up in the order given.
template <Steps S, class T>
Csr<T> to_csr(S& steps, const Coo<T>& a) {
  check_entries(steps, a);
  const SortedEntries sorted = sort_entries(steps, a, true);
  const Offset n = a.num_entries();
  const Key* key = sorted.keys.data();
  Array<Offset> ranks = steps.template scratch<Offset>(n);
  Offset* rank = ranks.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset i) { rank[i] = i == 0 || key[i] != key[i - 1] ? 1 : 0; });
  steps.scan(rank, n);
  const Offset left = n == 0 ? 0 : steps.read(static_cast<const Offset*>(rank) + n - 1);
  if (left < n) check_sums(steps, a, sorted);
  Csr<T> b = make_csr(steps, a, sorted, left, rank);
  Index* cols = b.cols.data();
  Arith<T>* vals = arith(b.vals.data());
  const Index* from_cols = a.cols.data();
  const Arith<T>* from_vals = arith(a.vals.data());
  const Place* place = sorted.places.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset i) {  // the first of a run of equal positions adds all of them up
    if (i > 0 && key[i] == key[i - 1]) return;
    Arith<T> sum = from_vals[place[i]];
    for (Offset j = i + 1; j < n && key[j] == key[i]; ++j) sum += from_vals[place[j]];
    cols[rank[i] - 1] = from_cols[place[i]];
    vals[rank[i] - 1] = sum;
  });
  return b;
}

template <Steps S, class T>
Csr<T> to_csr(S& steps, const Coo<T>& a, bool add_up) {
  return add_up ? to_csr(steps, a) : to_csr_keeping_duplicates(steps, a);
}

template <Steps S, class T>
Csr<T> sort_rows(S& steps, const Csr<T>& a) {
  Coo<T> entries;
  entries.num_rows = a.num_rows;
  entries.num_cols = a.num_cols;
  entries.rows = steps.template scratch<Index>(a.num_entries());
  expand_rows(steps, rows_of(a), entries.rows.data());
  entries.cols = Array<Index>::borrow({a.device(), const_cast<Index*>(a.cols.data()), a.num_entries()});  // only read
  entries.vals = Array<T>::borrow({a.device(), const_cast<T*>(a.vals.data()), a.num_entries()});
  return to_csr(steps, entries);
}

template <Steps S, class T>
bool is_sorted_by_row(S& steps, const Coo<T>& a) {
  const Index* rows = a.rows.data();
  const Offset pairs = a.rows.size() - 1;
  return pairs < 1 || steps.first(pairs, [=] MILLRACE_HD(Offset i) { return rows[i] > rows[i + 1]; }) == pairs;
}

template <class T>
struct Conversion<Coo<T>> {
  template <Steps S>
  static Coo<T> run(S& steps, const Csr<T>& a, const FormatSpec& spec) {
    check_parameters(spec, 0, {}, "coo takes no parameters");
    Coo<T> b{a.num_rows, a.num_cols, steps.template make<Index>(a.num_entries()), copied(steps, a.cols),
             copied(steps, a.vals)};
    expand_rows(steps, rows_of(a), b.rows.data());
    return b;
  }
};

}  // namespace millrace::convert
