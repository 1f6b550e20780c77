// Tiles of a CSR matrix for a GPU: stretches of about equal work, whole rows as far as they are short. A long row is
// cut at the borders of tiles, and its partial sums are added up afterwards.
#pragma once

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"
#include "millrace/base/search.hpp"

namespace millrace {

/// Where a tile begins: at an entry, which is the first one of `row`, or lies inside row - 1 when that row was cut.
struct CsrTile {
  Offset begin;
  Index row;
  Index cut;  // 1: inside row - 1
};

/// Work is counted in entries, and a row costs as much as an eighth of one. Tile t begins at work t * work, or at most
/// `slack` later, at the end of the row that reaches into it.
struct CsrTiling {
  static constexpr int threads = 256;  // of the thread block that takes a tile
  Index work = 0, slack = 0;

  /// Entries per thread in flight. Small matrices get small tiles, so that there are some for every multiprocessor: 2
  /// below a million entries, 6 beyond (swept on an H200: 4 and 8 are 5 % slower on stencils and on power laws).
  static constexpr int items_per_thread(Offset num_entries) { return num_entries < 1000000 ? 2 : 6; }
  static constexpr CsrTiling make(Offset num_entries) { return {threads * items_per_thread(num_entries) - 128, 128}; }

  constexpr Offset num_tiles(Index num_rows, Offset num_entries) const {
    const Offset num = (num_entries + num_rows / 8 + work - 1) / work;
    return num > 1 ? num : 1;
  }
  MILLRACE_HD Offset capacity() const { return Offset{work} + slack; }  // entries of a tile, at most

  /// Work before a row. `begin_of` says where a row begins, here and below.
  template <class Begin>
  MILLRACE_HD static Offset before(const Begin& begin_of, Index row) {
    return static_cast<Offset>(begin_of(row)) + row / 8;
  }
  /// The first and the last tile that have a part of a row, if it is cut at all.
  template <class Begin>
  MILLRACE_HD Offset first_tile(const Begin& begin_of, Index row) const {
    return before(begin_of, row) / work;
  }
  template <class Begin>
  MILLRACE_HD Offset last_tile(const Begin& begin_of, Index row) const {
    return (before(begin_of, row + 1) - slack - 1) / work;
  }
  /// Tile t of num_tiles; t = num_tiles is the end of the last one.
  template <class Begin>
  MILLRACE_HD CsrTile tile(const Begin& begin_of, Index num_rows, Offset num_tiles, Offset t) const {
    if (t == num_tiles) return {static_cast<Offset>(begin_of(num_rows)), num_rows, 0};
    const Offset border = t * work;  // then the first row there or after it
    const Index row = first_where(Index{0}, num_rows, [&](Index r) { return before(begin_of, r) >= border; });
    if (before(begin_of, row) - border <= slack) return {static_cast<Offset>(begin_of(row)), row, 0};
    return {border - (row - 1) / 8, row, 1};
  }
};

struct CsrTilesView {
  CsrTiling tiling;
  const CsrTile* tiles;  // [num_tiles + 1]
  Offset num_tiles;
};

struct CsrTiles {
  CsrTiling tiling{};
  Array<CsrTile> tiles;  // [num_tiles + 1], or empty: none were made
  bool cuts_rows = false;

  bool empty() const { return tiles.empty(); }
  Offset num_tiles() const { return tiles.size() - 1; }
  CsrTilesView view() const { return {tiling, tiles.data(), num_tiles()}; }
};

}  // namespace millrace
