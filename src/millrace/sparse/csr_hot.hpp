// Which columns of a matrix are hot, and how a GPU's warps share the entries out: in the parallel steps of conversions,
// so that the host can run and test them.
#pragma once

#include "millrace/sparse/convert_steps.hpp"

namespace millrace::convert {

/// What makes columns hot. Their number fills the shared memory of an H200; the bounds are set by hand, not swept.
struct HotRule {
  Index num_hot = 24576;  // 192 KB of double
  Offset least_entries = 4000000;
  double least_share = 0.15;  // of all entries in the hot columns,
  double least_excess = 4;    // which is more than so many times their share of the columns
  Index least_columns() const { return 8 * num_hot; }
};

MILLRACE_HD inline void count_one(Offset* count) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ull);
#else
  ++*count;
#endif
}

/// How many entries every column has.
template <Stage S>
Array<Offset> column_uses(S& stage, const Rows& a) {
  Array<Offset> uses = stage.template scratch<Offset>(a.num_cols);
  fill(stage, uses, Offset{0});
  Offset* use = uses.data();
  stage.for_each(a.num_entries, [=] MILLRACE_HD(Offset s) { count_one(use + a.cols[s]); });
  return uses;
}

/// The columns used most, by falling use and equal ones by number; empty where they do not stand out.
template <Stage S>
Array<Index> find_hot(S& stage, const Rows& a, const HotRule& rule) {
  const Array<Offset> uses = column_uses(stage, a);
  const Offset *use = uses.data(), num = rule.num_hot;
  const Offset most = stage.largest(a.num_cols, [=] MILLRACE_HD(Offset c) { return use[c]; });
  const double all = static_cast<double>(a.num_entries), fair = static_cast<double>(num) / a.num_cols;
  const auto stands_out = [&](double covered) {
    return covered >= rule.least_share * all && covered > rule.least_excess * fair * all;
  };
  if (!stands_out(static_cast<double>(most) * static_cast<double>(num))) return {};  // flat: nothing to sort
  Array<Key> keys = stage.template scratch<Key>(a.num_cols);
  Array<Place> places = stage.template scratch<Place>(a.num_cols);
  Key* key = keys.data();
  Place* place = places.data();
  stage.for_each(a.num_cols, [=] MILLRACE_HD(Offset c) {
    key[c] = static_cast<Key>(most - use[c]);
    place[c] = static_cast<Place>(c);
  });
  stage.sort(keys, places, static_cast<Key>(most));
  const Place* by_use = places.data();
  const Offset covered = stage.sum(num, [=] MILLRACE_HD(Offset i) { return use[by_use[i]]; });
  if (!stands_out(static_cast<double>(covered))) return {};
  Array<Index> columns = stage.template make<Index>(num);
  Index* column = columns.data();
  stage.for_each(num, [=] MILLRACE_HD(Offset i) { column[i] = static_cast<Index>(by_use[i]); });
  return columns;
}

/// Columns in code: c, or ~i for the hot column i.
template <Stage S>
Array<Index> encode_columns(S& stage, const Rows& a, const Array<Index>& columns) {
  Array<Index> ranks = stage.template scratch<Index>(a.num_cols);
  fill(stage, ranks, Index{-1});
  Index* rank = ranks.data();
  const Index* column = columns.data();
  stage.for_each(columns.size(), [=] MILLRACE_HD(Offset i) { rank[column[i]] = static_cast<Index>(i); });
  Array<Index> coded = stage.template make<Index>(a.num_entries);
  Index* code = coded.data();
  stage.for_each(a.num_entries, [=] MILLRACE_HD(Offset s) {
    const Index c = a.cols[s];
    code[s] = rank[c] < 0 ? c : ~rank[c];
  });
  return coded;
}

/// The first row that ends behind entry `at`; of the first entry: row 0, so that rows without entries belong to a
/// chunk.
MILLRACE_HD inline Index first_row_behind(const Rows& a, Offset at) {
  if (at == 0) return 0;
  Index low = 0, high = a.num_rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (a.begin(middle + 1) <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Chunks of whole groups of 32 entries for at most so many warps. Nothing is made where a chunk would have more rows
/// than entries: a warp would walk through them alone.
template <Stage S>
HotColumns make_hot(S& stage, const Rows& a, const HotRule& rule, Index num_warps) {
  HotColumns hot;
  if (a.num_entries < rule.least_entries || a.num_cols < rule.least_columns()) return hot;
  const Offset groups = (a.num_entries + 31) / 32, chunk = (groups + num_warps - 1) / num_warps * 32;
  const Offset num_chunks = (a.num_entries + chunk - 1) / chunk;
  Array<Index> rows = stage.template make<Index>(num_chunks);
  Index* row = rows.data();
  stage.for_each(num_chunks, [=] MILLRACE_HD(Offset k) { row[k] = first_row_behind(a, k * chunk); });
  const Index num_rows = a.num_rows;
  const Offset most = stage.largest(
      num_chunks, [=] MILLRACE_HD(Offset k) { return Offset{k + 1 < num_chunks ? row[k + 1] : num_rows} - row[k]; });
  if (most > chunk) return hot;
  Array<Index> columns = find_hot(stage, a, rule);
  if (columns.empty()) return hot;
  hot.coded = encode_columns(stage, a, columns);
  hot.columns = std::move(columns);
  hot.rows = std::move(rows);
  hot.chunk = static_cast<Index>(chunk);
  return hot;
}

}  // namespace millrace::convert
