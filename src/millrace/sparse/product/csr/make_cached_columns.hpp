// Finds the columns of a matrix that are used most and encodes its entries for them: in the parallel steps of
// conversions, so that the host can run and test them.
#pragma once

#include <algorithm>

#include "millrace/sparse/product/csr/make_nnz_split.hpp"
#include "millrace/sparse/product/csr/plan.hpp"

namespace millrace::convert {

MILLRACE_HD inline void count_one(Offset* count) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ull);
#else
  ++*count;
#endif
}

/// How many entries every column has.
template <Steps S>
Array<Offset> column_uses(S& steps, const Rows& a) {
  Array<Offset> uses = steps.template scratch<Offset>(a.num_cols);
  fill(steps, uses, Offset{0});
  Offset* use = uses.data();
  steps.for_each(a.num_entries, [=] MILLRACE_HD(Offset s) { count_one(use + a.cols[s]); });
  return uses;
}

/// The columns used most, and how many entries they hold.
struct UsedMost {
  Array<Index> columns;  // [num_cached], by falling use and equal ones by number; empty: not worth the sort
  Offset num_entries = 0;
};

/// `bounded`: stops where even num_cached() columns like the most used one would not stand out.
template <Steps S>
UsedMost find_most_used(S& steps, const Rows& a, const CacheRule& rule, bool bounded) {
  const Array<Offset> uses = column_uses(steps, a);
  const Offset *use = uses.data(), num = rule.placement.num_cached(), num_found = std::min<Offset>(num, a.num_cols);
  const Offset max_use = steps.max(a.num_cols, [=] MILLRACE_HD(Offset c) { return use[c]; });
  if (bounded && !rule.stands_out(static_cast<double>(max_use) * static_cast<double>(num), a.num_entries, a.num_cols))
    return {};
  Array<Key> keys = steps.template scratch<Key>(a.num_cols);
  Array<Place> places = steps.template scratch<Place>(a.num_cols);
  Key* key = keys.data();
  Place* place = places.data();
  steps.for_each(a.num_cols, [=] MILLRACE_HD(Offset c) {
    key[c] = static_cast<Key>(max_use - use[c]);
    place[c] = static_cast<Place>(c);
  });
  steps.sort(keys, places, static_cast<Key>(max_use));
  const Place* by_use = places.data();
  UsedMost found;
  found.num_entries = steps.sum(num_found, [=] MILLRACE_HD(Offset i) { return use[by_use[i]]; });
  found.columns = steps.template make<Index>(num);
  Index* column = found.columns.data();
  steps.for_each(num, [=] MILLRACE_HD(Offset i) { column[i] = static_cast<Index>(by_use[i % num_found]); });
  return found;
}

/// Columns in code, up to a whole tile: c, or ~place of a cached column.
template <Steps S>
Array<Index> encode_columns(S& steps, const Rows& a, const Array<Index>& columns, const CachePlacement& placement) {
  Array<Index> codes = steps.template scratch<Index>(a.num_cols);
  Index* code = codes.data();
  const Index* column = columns.data();
  steps.for_each(a.num_cols, [=] MILLRACE_HD(Offset c) { code[c] = static_cast<Index>(c); });
  steps.for_each(std::min<Offset>(columns.size(), a.num_cols),
                 [=] MILLRACE_HD(Offset i) { code[column[i]] = ~placement.place_of(static_cast<Index>(i)); });
  const Offset num_tiles = (a.num_entries + CachedColumns::tile - 1) / CachedColumns::tile;
  Array<Index> encoded = steps.template make<Index>(num_tiles * CachedColumns::tile);
  Index* to = encoded.data();
  const Index filler = ~placement.place_of(0);
  steps.for_each(encoded.size(), [=] MILLRACE_HD(Offset s) { to[s] = s < a.num_entries ? code[a.cols[s]] : filler; });
  return encoded;
}

/// Chunks of whole tiles for at most num_warps warps.
template <Steps S>
CachedColumns make_cached_columns(S& steps, const Rows& a, Array<Index> columns, const CachePlacement& placement,
                                  Index num_warps) {
  CachedColumns cached{.placement = placement, .columns = std::move(columns), .encoded_columns = {}, .split = {}};
  cached.encoded_columns = encode_columns(steps, a, cached.columns, placement);
  const Offset num_tiles = cached.encoded_columns.size() / CachedColumns::tile;
  const Offset tiles_per_warp = (num_tiles + num_warps - 1) / num_warps;
  cached.split = make_nnz_split(steps, a, static_cast<Index>(tiles_per_warp * CachedColumns::tile));
  return cached;
}

}  // namespace millrace::convert
