// Coordinates into CSR and back, in parallel steps: one stable sort of the entries by their position.
#pragma once

#include <limits>

#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace::convert {

/// Row offsets from the sorted keys of the entries: a row's keys begin with row * stride. `rank`: entries up to and
/// with each that are kept; null: all are.
template <class RowOffset, Stage S>
Array<RowOffset> row_offsets(S& stage, Index num_rows, const Array<Key>& keys, Key stride, const Offset* rank) {
  Array<RowOffset> offsets = stage.template make<RowOffset>(Offset{num_rows} + 1);
  RowOffset* to = offsets.data();
  const Key* key = keys.data();
  const Offset n = keys.size();
  stage.for_each(Offset{num_rows} + 1, [=] MILLRACE_HD(Offset r) {
    const Offset at = r == num_rows ? n : lower_bound(key, 0, n, static_cast<Key>(r) * stride);
    to[r] = static_cast<RowOffset>(rank == nullptr ? at : at == 0 ? 0 : rank[at - 1]);
  });
  return offsets;
}

template <Stage S, class T>
void check_entries(S& stage, const Coo<T>& a) {
  const Index *rows = a.rows.data(), *cols = a.cols.data(), num_rows = a.num_rows, num_cols = a.num_cols;
  const Offset bad = stage.first(a.num_entries(), [=] MILLRACE_HD(Offset i) {
    return rows[i] < 0 || rows[i] >= num_rows || cols[i] < 0 || cols[i] >= num_cols;
  });
  if (bad < a.num_entries()) refuse_entry(bad, stage.read(rows + bad), stage.read(cols + bad), num_rows, num_cols);
}

/// Entries by key, as given among equal ones.
struct SortedEntries {
  Array<Key> keys;
  Array<Place> places;
  Key stride;  // key = row * stride, + column if that counts
};

template <Stage S, class T>
SortedEntries sort_entries(S& stage, const Coo<T>& a, bool by_column) {
  const Offset n = a.num_entries();
  require<Unsupported>(n <= std::numeric_limits<Place>::max(), "to_csr: ", n, " entries on ", to_string(a.device()),
                       "; up to ", std::numeric_limits<Place>::max(), " are sorted there");
  SortedEntries sorted{stage.template scratch<Key>(n), stage.template scratch<Place>(n),
                       by_column ? static_cast<Key>(a.num_cols) : Key{1}};
  const Index *rows = a.rows.data(), *cols = by_column ? a.cols.data() : nullptr;
  const Key stride = sorted.stride;
  Key* key = sorted.keys.data();
  Place* place = sorted.places.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset i) {
    key[i] = static_cast<Key>(rows[i]) * stride + (cols ? static_cast<Key>(cols[i]) : Key{0});
    place[i] = static_cast<Place>(i);
  });
  if (n > 1 && stage.first(n - 1, [=] MILLRACE_HD(Offset i) { return key[i] > key[i + 1]; }) < n - 1)
    stage.sort(sorted.keys, sorted.places, static_cast<Key>(a.num_rows) * stride - 1);
  return sorted;
}

/// The matrix of the sorted entries, with its row offsets and with room for columns and values. `rank` as above.
template <Stage S, class T>
Csr<T> make_csr(S& stage, const Coo<T>& a, const SortedEntries& sorted, Offset num_entries, const Offset* rank) {
  Csr<T> b;
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.cols = stage.template make<Index>(num_entries);
  b.vals = stage.template make<T>(num_entries);
  if (num_entries <= std::numeric_limits<std::int32_t>::max())
    b.row_ptr = row_offsets<std::int32_t>(stage, b.num_rows, sorted.keys, sorted.stride, rank);
  else
    b.row_ptr = row_offsets<std::int64_t>(stage, b.num_rows, sorted.keys, sorted.stride, rank);
  return b;
}

template <Stage S, class T>
Csr<T> to_csr_keeping_duplicates(S& stage, const Coo<T>& a) {
  check_entries(stage, a);
  const SortedEntries sorted = sort_entries(stage, a, false);
  const Offset n = a.num_entries();
  Csr<T> b = make_csr(stage, a, sorted, n, nullptr);
  Index* cols = b.cols.data();
  Arith<T>* vals = arith(b.vals.data());
  const Index* from_cols = a.cols.data();
  const Arith<T>* from_vals = arith(a.vals.data());
  const Place* place = sorted.places.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset i) {
    cols[i] = from_cols[place[i]];
    vals[i] = from_vals[place[i]];
  });
  return b;
}

/// Sorted by column too, and repeated positions added up in the order given.
template <Stage S, class T>
Csr<T> to_csr(S& stage, const Coo<T>& a) {
  check_entries(stage, a);
  const SortedEntries sorted = sort_entries(stage, a, true);
  const Offset n = a.num_entries();
  const Key* key = sorted.keys.data();
  Array<Offset> ranks = stage.template scratch<Offset>(n);
  Offset* rank = ranks.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset i) { rank[i] = i == 0 || key[i] != key[i - 1] ? 1 : 0; });
  stage.scan(rank, n);
  const Offset left = n == 0 ? 0 : stage.read(static_cast<const Offset*>(rank) + n - 1);
  Csr<T> b = make_csr(stage, a, sorted, left, rank);
  Index* cols = b.cols.data();
  Arith<T>* vals = arith(b.vals.data());
  const Index* from_cols = a.cols.data();
  const Arith<T>* from_vals = arith(a.vals.data());
  const Place* place = sorted.places.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset i) {  // the first of a run of equal positions adds all of them up
    if (i > 0 && key[i] == key[i - 1]) return;
    Arith<T> sum = from_vals[place[i]];
    for (Offset j = i + 1; j < n && key[j] == key[i]; ++j) sum += from_vals[place[j]];
    cols[rank[i] - 1] = from_cols[place[i]];
    vals[rank[i] - 1] = sum;
  });
  return b;
}

template <Stage S, class T>
Csr<T> to_csr(S& stage, const Coo<T>& a, bool add_up) {
  return add_up ? to_csr(stage, a) : to_csr_keeping_duplicates(stage, a);
}

template <Stage S, class T>
Csr<T> sort_rows(S& stage, const Csr<T>& a) {
  Coo<T> entries;
  entries.num_rows = a.num_rows;
  entries.num_cols = a.num_cols;
  entries.rows = stage.template scratch<Index>(a.num_entries());
  expand_rows(stage, rows_of(a), entries.rows.data());
  entries.cols = Array<Index>::borrow({a.device(), const_cast<Index*>(a.cols.data()), a.num_entries()});  // only read
  entries.vals = Array<T>::borrow({a.device(), const_cast<T*>(a.vals.data()), a.num_entries()});
  return to_csr(stage, entries);
}

template <Stage S, class T>
bool is_sorted_by_row(S& stage, const Coo<T>& a) {
  const Index* rows = a.rows.data();
  const Offset pairs = a.rows.size() - 1;
  return pairs < 1 || stage.first(pairs, [=] MILLRACE_HD(Offset i) { return rows[i] > rows[i + 1]; }) == pairs;
}

template <Stage S, class T>
void make(S& stage, const Csr<T>& a, const FormatSpec& spec, Coo<T>& b) {
  Coo<T>::from_csr(Csr<T>{}, spec);  // checks the text
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.rows = stage.template make<Index>(a.num_entries());
  expand_rows(stage, rows_of(a), b.rows.data());
  b.cols = a.cols.clone();
  b.vals = a.vals.clone();
}

template <Stage S, class T>
void make(S&, const Csr<T>& a, const FormatSpec& spec, Csr<T>& b) {
  b = Csr<T>::from_csr(a, spec);  // copies, wherever it is
}

}  // namespace millrace::convert
