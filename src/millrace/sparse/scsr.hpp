// Sorted tiles of CSR: stretches of T entries, sorted by column inside the tile, so that neighbouring lanes of a GPU
// ask for neighbouring x. Every entry has the place of its product in row order, in 2 bytes; rows are summed from
// there.
#pragma once

#include "millrace/sparse/columns.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// Where every entry stands in the CSR matrix.
struct ScsrPlaces {
  const CsrTile* tiles;  // [num_tiles + 1]
  Offset num_tiles;
  const std::uint16_t* slots;  // [num_entries], places in the tile

  /// The last tile that begins at or before entry s.
  MILLRACE_HD Offset tile_of(Offset s) const {
    Offset low = 0, high = num_tiles;
    while (high - low > 1) {
      const Offset middle = low + (high - low) / 2;
      if (tiles[middle].begin <= s)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  MILLRACE_HD Offset operator[](Offset s) const { return tiles[tile_of(s)].begin + slots[s]; }
};

/// I is how columns are stored: std::uint16_t, or Index.
template <class T, class RowOffset, class I>
struct ScsrView {
  using value_type = T;
  Index num_rows, num_cols;
  Offset num_entries, num_tiles;
  CsrTiling tiling;
  int threads;                 // of a thread block on a GPU
  bool cuts_rows;              // is a row cut between tiles?
  const CsrTile* tiles;        // [num_tiles + 1]
  const RowOffset* row_ptr;    // [num_rows + 1], as in CSR
  const std::uint16_t* slots;  // [num_entries], places in row order, counted from the first of the tile
  ColumnsView<I> cols;         // [num_entries], ascending in every tile
  const T* vals;               // [num_entries]

  MILLRACE_HD Index row(Offset s) const {
    const Offset place = ScsrPlaces{tiles, num_tiles, slots}[s];
    Index low = 0, high = num_rows;  // the last row that begins at or before it
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      if (static_cast<Offset>(row_ptr[middle]) <= place)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  MILLRACE_HD Index column(Offset s) const { return cols(s); }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
};

/// How a matrix is cut, from its text.
struct ScsrShape {
  /// Entries that have a base of their columns in common: those of a warp.
  static constexpr int log2_group = 5;
  static constexpr Index least = 256, most = 12288;  // T; shared memory holds so many complex products
  Index tile = 0;                                    // T
  int threads = 0;                                   // N

  /// A warp reads whole groups, also at the borders of tiles: a tile has 32 entries less than T.
  CsrTiling tiling() const {
    const Index slack = tile < 1024 ? tile / 8 : 128;
    return {tile - 32 - slack, slack};
  }
  /// Small matrices get small tiles, so that there are some for every multiprocessor (not swept).
  static ScsrShape of(const FormatSpec& spec, Offset num_entries);
};

template <class T>
struct Scsr {
  using value_type = T;
  static constexpr const char *name = "scsr", *parameters = "-T-N";  // "scsr-8192", "scsr-8192-512"
  static constexpr bool is_row_format = false;
  static constexpr bool converts_on_gpu = true;

  Index num_rows = 0, num_cols = 0;
  ScsrShape layout{8192, 512};
  bool cuts_rows = false;
  Array<CsrTile> tiles{CsrTile{0, 0, 0}, CsrTile{0, 0, 0}};  // [num_tiles + 1]
  RowOffsets row_ptr = Array<std::int32_t>{0};               // [num_rows + 1]
  Array<std::uint16_t> slots;                                // [num_entries]
  Columns cols;                                              // [num_entries]
  Array<T> vals;                                             // [num_entries]

  static Scsr from_csr(const Csr<T>& a, const FormatSpec& spec);
  Scsr to(Device device) const;

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return vals.size(); }
  Offset num_tiles() const { return tiles.size() - 1; }
  Footprint footprint() const;
  std::string details() const;
  ScsrPlaces places() const { return {tiles.data(), num_tiles(), slots.data()}; }

  template <class F>
  decltype(auto) visit_view(F&& f) const {
    return std::visit(
        [&]<class RowOffset>(const Array<RowOffset>& offsets) -> decltype(auto) {
          const auto with = [&]<class I>(const ColumnsView<I>& columns) -> decltype(auto) {
            return f(ScsrView<Arith<T>, RowOffset, I>{num_rows, num_cols, num_entries(), num_tiles(), layout.tiling(),
                                                      layout.threads, cuts_rows, tiles.data(), offsets.data(),
                                                      slots.data(), columns, arith(vals.data())});
          };
          return cols.visit_wide_view(with);
        },
        row_ptr);
  }
};

namespace host {

/// Tile by tile, as on a GPU; the bits do not depend on the number of threads.
template <class A, class RowOffset, class I>
void multiply(int num_threads, const ScsrView<A, RowOffset, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

}  // namespace host
}  // namespace millrace
