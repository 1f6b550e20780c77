// CSR into sorted tiles, in parallel steps: one stable sort of the entries by tile and column.
#pragma once

#include <limits>

#include "millrace/sparse/convert_narrow.hpp"
#include "millrace/sparse/scsr.hpp"

namespace millrace::convert {

template <Stage S>
void find_tiles(S& stage, const Rows& a, const CsrTiling& tiling, Array<CsrTile>& tiles) {
  const Offset count = tiles.size() - 1;
  CsrTile* to = tiles.data();
  stage.for_each(count + 1, [=] MILLRACE_HD(Offset t) {
    to[t] = a.narrow ? tiling.tile(a.narrow, a.num_rows, count, t) : tiling.tile(a.wide, a.num_rows, count, t);
  });
}

/// The columns that most entries have, those first; the smaller one of two with as many.
template <Stage S>
Array<Index> find_hot(S& stage, const Rows& a, Index most) {
  if (most == 0 || a.num_entries == 0) return stage.template make<Index>(0);
  const Offset n = a.num_entries;
  const auto num_cols = static_cast<Key>(a.num_cols);
  Array<Key> sorted = stage.template scratch<Key>(n), by_count = stage.template scratch<Key>(a.num_cols);
  Key *column = sorted.data(), *key = by_count.data();
  const Index* cols = a.cols;
  stage.for_each(n, [=] MILLRACE_HD(Offset s) { column[s] = static_cast<Key>(cols[s]); });
  stage.sort(sorted, num_cols - 1);
  column = sorted.data();
  stage.for_each(a.num_cols, [=] MILLRACE_HD(Offset c) {
    const Offset count = lower_bound(column, 0, n, c + 1) - lower_bound(column, 0, n, c);
    key[c] = static_cast<Key>(n - count) * num_cols + static_cast<Key>(c);
  });
  stage.sort(by_count, (static_cast<Key>(n) + 1) * num_cols - 1);
  key = by_count.data();
  const Offset used =
      stage.first(a.num_cols, [=] MILLRACE_HD(Offset i) { return key[i] >= static_cast<Key>(n) * num_cols; });
  Array<Index> hot = stage.template make<Index>(std::min<Offset>(most, used));
  Index* to = hot.data();
  stage.for_each(hot.size(), [=] MILLRACE_HD(Offset i) { to[i] = static_cast<Index>(key[i] % num_cols); });
  return hot;
}

/// All columns of the entries as they are stored.
template <Stage S>
Array<Index> stored_columns(S& stage, const Rows& a, const Array<Index>& hot) {
  const auto num_hot = static_cast<Index>(hot.size());
  Array<Index> stored = stage.template scratch<Index>(num_hot == 0 ? 0 : a.num_cols);
  Array<Index> columns = stage.template scratch<Index>(a.num_entries);
  Index *place = stored.data(), *to = columns.data();
  const Index *hottest = hot.data(), *cols = a.cols;
  stage.for_each(stored.size(), [=] MILLRACE_HD(Offset c) { place[c] = num_hot + static_cast<Index>(c); });
  stage.for_each(num_hot, [=] MILLRACE_HD(Offset i) { place[hottest[i]] = static_cast<Index>(i); });
  stage.for_each(a.num_entries, [=] MILLRACE_HD(Offset s) { to[s] = num_hot == 0 ? cols[s] : place[cols[s]]; });
  return columns;
}

/// The entries of every tile by stored column: where each stood in CSR.
template <Stage S>
Array<Place> sort_tiles(S& stage, const Array<Index>& columns, Offset num_different, const Array<CsrTile>& tiles) {
  const Offset n = columns.size(), num_tiles = tiles.size() - 1;
  require<Unsupported>(n <= std::numeric_limits<Place>::max(), "scsr: ", n, " entries on ", to_string(stage.device()),
                       "; up to ", std::numeric_limits<Place>::max(), " are sorted there");
  Array<Key> keys = stage.template scratch<Key>(n);
  Array<Place> places = stage.template scratch<Place>(n);
  Key* key = keys.data();
  Place* place = places.data();
  const ScsrPlaces in_tiles{tiles.data(), num_tiles, nullptr};
  const Key stride = static_cast<Key>(num_different);
  const Index* cols = columns.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset s) {
    key[s] = static_cast<Key>(in_tiles.tile_of(s)) * stride + static_cast<Key>(cols[s]);
    place[s] = static_cast<Place>(s);
  });
  if (n > 0) stage.sort(keys, places, static_cast<Key>(num_tiles) * stride - 1);
  return places;
}

template <Stage S, class T>
void make(S& stage, const Csr<T>& a, const FormatSpec& spec, Scsr<T>& b) {
  b.layout = ScsrShape::of(spec, a.num_entries());
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  const CsrTiling tiling = b.layout.tiling();
  const Offset n = a.num_entries(), num_tiles = tiling.num_tiles(a.num_rows, n);
  std::visit([&](const auto& offsets) { b.row_ptr = offsets.clone(); }, a.row_ptr);
  b.tiles = stage.template make<CsrTile>(num_tiles + 1);
  find_tiles(stage, rows_of(a), tiling, b.tiles);
  const CsrTile* tiles = b.tiles.data();
  b.cuts_rows = stage.first(num_tiles, [=] MILLRACE_HD(Offset t) { return tiles[t].cut != 0; }) < num_tiles;
  b.slots = stage.template make<std::uint16_t>(n);
  b.vals = stage.template make<T>(n);
  Array<Index> columns = stage.template make<Index>(n);
  b.hot = find_hot(stage, rows_of(a), b.layout.hot_columns(a.num_cols));
  const Array<Index> stored = stored_columns(stage, rows_of(a), b.hot);
  const Array<Place> places = sort_tiles(stage, stored, a.num_cols + b.hot.size(), b.tiles);
  const ScsrPlaces in_tiles{tiles, num_tiles, nullptr};
  const Place* place = places.data();
  const Index* from_cols = stored.data();
  const Arith<T>* from_vals = arith(a.vals.data());
  Index* cols = columns.data();
  std::uint16_t* slots = b.slots.data();
  Arith<T>* vals = arith(b.vals.data());
  stage.for_each(n, [=] MILLRACE_HD(Offset s) {
    const auto from = static_cast<Offset>(place[s]);
    slots[s] = static_cast<std::uint16_t>(from - tiles[in_tiles.tile_of(s)].begin);
    cols[s] = from_cols[from];
    vals[s] = from_vals[from];
  });
  b.cols = compress_columns(stage, std::move(columns), ScsrShape::log2_group, 2);
}

}  // namespace millrace::convert
