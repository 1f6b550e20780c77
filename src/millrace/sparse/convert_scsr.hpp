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

/// The entries of every tile by column: where each stood in CSR.
template <Stage S>
Array<Place> sort_tiles(S& stage, const Rows& a, const Array<CsrTile>& tiles) {
  const Offset n = a.num_entries, num_tiles = tiles.size() - 1;
  require<Unsupported>(n <= std::numeric_limits<Place>::max(), "scsr: ", n, " entries on ", to_string(stage.device()),
                       "; up to ", std::numeric_limits<Place>::max(), " are sorted there");
  Array<Key> keys = stage.template scratch<Key>(n);
  Array<Place> places = stage.template scratch<Place>(n);
  Key* key = keys.data();
  Place* place = places.data();
  const ScsrPlaces in_tiles{tiles.data(), num_tiles, nullptr};
  const Key stride = static_cast<Key>(a.num_cols);
  const Index* cols = a.cols;
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
  const Array<Place> places = sort_tiles(stage, rows_of(a), b.tiles);
  const ScsrPlaces in_tiles{tiles, num_tiles, nullptr};
  const Place* place = places.data();
  const Index* from_cols = a.cols.data();
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
