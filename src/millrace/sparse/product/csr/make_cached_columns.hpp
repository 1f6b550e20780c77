// Which columns of a matrix are hot: in the parallel steps of conversions, so that the host can run and test them.
#pragma once

#include "millrace/sparse/product/csr/make_row_ends.hpp"

namespace millrace::convert {

/// What makes columns hot; the bounds are set by hand, not swept.
struct HotRule {
  HotPlaces places{};
  Offset min_entries = 4000000;
  double min_share = 0.15;  // of all entries in the hot columns,
  double min_excess = 2;    // which is more than so many times their share of the columns
  Index min_columns() const { return 2 * places.num_hot(); }
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
  const Offset *use = uses.data(), num = rule.places.num_hot();
  const Offset most = stage.largest(a.num_cols, [=] MILLRACE_HD(Offset c) { return use[c]; });
  const double all = static_cast<double>(a.num_entries), fair = static_cast<double>(num) / a.num_cols;
  const auto stands_out = [&](double covered) {
    return covered >= rule.min_share * all && covered > rule.min_excess * fair * all;
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

/// Columns in code, up to a whole tile: c, or ~place of a hot column.
template <Stage S>
Array<Index> encode_columns(S& stage, const Rows& a, const Array<Index>& columns, const HotPlaces& places) {
  Array<Index> codes = stage.template scratch<Index>(a.num_cols);
  Index* code = codes.data();
  const Index* column = columns.data();
  stage.for_each(a.num_cols, [=] MILLRACE_HD(Offset c) { code[c] = static_cast<Index>(c); });
  stage.for_each(columns.size(),
                 [=] MILLRACE_HD(Offset i) { code[column[i]] = ~places.place_of(static_cast<Index>(i)); });
  const Offset num_tiles = (a.num_entries + HotColumns::tile - 1) / HotColumns::tile;
  Array<Index> coded = stage.template make<Index>(num_tiles * HotColumns::tile);
  Index* to = coded.data();
  const Index behind = ~places.place_of(0);
  stage.for_each(coded.size(), [=] MILLRACE_HD(Offset s) { to[s] = s < a.num_entries ? code[a.cols[s]] : behind; });
  return coded;
}

/// Chunks of whole tiles for at most so many warps.
template <Stage S>
HotColumns make_hot(S& stage, const Rows& a, const HotRule& rule, Index num_warps) {
  HotColumns hot;
  if (a.num_entries < rule.min_entries || a.num_cols < rule.min_columns()) return hot;
  hot.columns = find_hot(stage, a, rule);
  if (hot.empty()) return hot;
  hot.places = rule.places;
  hot.coded = encode_columns(stage, a, hot.columns, rule.places);
  const Offset num_tiles = hot.coded.size() / HotColumns::tile;
  hot.marks = make_marks(stage, a, static_cast<Index>((num_tiles + num_warps - 1) / num_warps * HotColumns::tile));
  return hot;
}

}  // namespace millrace::convert
