// Tiles of a CSR matrix for a GPU: stretches of about equal work, whole rows as far as they are short. A long row is
// cut at the borders of tiles, and its pieces are added up afterwards.
#pragma once

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"

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
  Index work, slack;
  MILLRACE_HD Offset capacity() const { return Offset{work} + slack; }  // entries of a tile, at most
  template <class RowOffset>
  MILLRACE_HD static Offset before(const RowOffset* row_ptr, Index row) {  // work before a row
    return static_cast<Offset>(row_ptr[row]) + row / 8;
  }
  /// The first and the last tile that have a piece of a row, if it is cut at all.
  template <class RowOffset>
  MILLRACE_HD Offset first_tile(const RowOffset* row_ptr, Index row) const {
    return before(row_ptr, row) / work;
  }
  template <class RowOffset>
  MILLRACE_HD Offset last_tile(const RowOffset* row_ptr, Index row) const {
    return (before(row_ptr, row + 1) - slack - 1) / work;
  }
  /// Tile t of num_tiles; t = num_tiles is the end of the last one.
  template <class RowOffset>
  MILLRACE_HD CsrTile tile(const RowOffset* row_ptr, Index num_rows, Offset num_tiles, Offset t) const {
    if (t == num_tiles) return {static_cast<Offset>(row_ptr[num_rows]), num_rows, 0};
    const Offset border = t * work;
    Index low = 0, high = num_rows;  // the first row at the border or behind it
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (before(row_ptr, middle) < border)
        low = middle + 1;
      else
        high = middle;
    }
    if (before(row_ptr, low) - border <= slack) return {static_cast<Offset>(row_ptr[low]), low, 0};
    return {border - (low - 1) / 8, low, 1};
  }
};

}  // namespace millrace
