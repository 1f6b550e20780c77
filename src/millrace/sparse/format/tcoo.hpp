// Tiled coordinates: entries sorted by tiles of W columns, then by row. A tile reads a part of x that stays in the
// second cache, so irregular matrices no longer wait for the last one at every entry.
#pragma once

#include "millrace/base/search.hpp"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/members.hpp"

namespace millrace {

/// Every tile has two parts: what its rows hold in whole groups of eight entries, then all other entries.
/// A group has one row index; a row of seven entries or less in the tile has one for each of them.
template <class T>
struct TcooView {
  using value_type = T;
  static constexpr Index group = 8;
  Index num_rows, num_cols;
  Offset num_entries;
  Index num_tiles, tile_columns;
  const Offset* part_ptr;     // [2 num_tiles + 1], first entry of every part: groups of tile t are part 2 t
  const Offset* group_ptr;    // [2 num_tiles + 1], where the rows of every part begin
  const Index* rows;          // [num_groups], ascending in every part; an entry of an odd part is a group of one
  const std::uint16_t* cols;  // [num_entries], counted from the first column of the tile
  const T* vals;              // [num_entries]
  Index num_cuts;
  const Index* cuts;  // [num_cuts + 1], rows that divide rows and entries into equal shares, to balance threads

  MILLRACE_HD static constexpr Index group_size(Index part) { return part % 2 == 0 ? group : 1; }
  MILLRACE_HD Index part_of(Offset s) const { return last_at_most(part_ptr, Index{0}, 2 * num_tiles, s); }
  MILLRACE_HD Index row(Offset s) const {
    const Index part = part_of(s);
    return rows[group_ptr[part] + (s - part_ptr[part]) / group_size(part)];
  }
  MILLRACE_HD Index column(Offset s) const { return part_of(s) / 2 * tile_columns + cols[s]; }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
};

template <class T>
struct Tcoo {
  using value_type = T;
  static constexpr const char *name = "tcoo", *parameters = "-W";  // "tcoo-65536"; W from 1 to 65536
  static constexpr bool is_row_format = false;
  static constexpr bool is_host_only = true;        // a GPU has no second cache to keep tiles of x in
  static constexpr Index max_tile_columns = 65536;  // columns of a tile have two bytes

  Index num_rows = 0, num_cols = 0;
  Index tile_columns = 65536;  // W
  Array<Offset> part_ptr{0};   // [2 num_tiles + 1]
  Array<Offset> group_ptr{0};  // [2 num_tiles + 1]
  Array<Index> rows;           // [num_groups]
  Array<std::uint16_t> cols;   // [num_entries]
  Array<T> vals;               // [num_entries]
  Array<Offset> source;        // [num_entries], where each entry stands in the CSR matrix
  Array<Index> cuts{0, 0};     // [num_cuts + 1]

  static Tcoo from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted = {});
  static Tcoo from_csr(const Csr<T>& a, const FormatSpec& spec) { return from_csr_and_wait<Tcoo>(a, spec); }
  /// The columns of a tile that a text asks for.
  static Index asked_tile_columns(const FormatSpec& spec);
  Tcoo to(Device device) const { return copy_to(*this, device); }

  template <class F>
  static void for_each_member(F&& f) {
    f(&Tcoo::num_rows), f(&Tcoo::num_cols), f(&Tcoo::tile_columns), f(&Tcoo::part_ptr), f(&Tcoo::group_ptr);
    f(&Tcoo::rows), f(&Tcoo::cols), f(&Tcoo::vals), f(&Tcoo::source), f(&Tcoo::cuts);
  }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return vals.size(); }
  Index num_tiles() const { return static_cast<Index>(part_ptr.size() / 2); }
  Footprint footprint() const;
  std::string details() const;

  TcooView<Arith<T>> view() const { return view_with(arith(vals.data())); }
  /// The view of addresses alone, the same type for all scalars.
  template <class F>
  decltype(auto) visit_pattern(F&& f) const {
    return f(view_with(static_cast<const float*>(nullptr)));
  }

 private:
  template <class A>
  TcooView<A> view_with(const A* values) const {
    return {num_rows,
            num_cols,
            num_entries(),
            num_tiles(),
            tile_columns,
            part_ptr.data(),
            group_ptr.data(),
            rows.data(),
            cols.data(),
            values,
            static_cast<Index>(cuts.size() - 1),
            cuts.data()};
  }
};

namespace host {

/// Threads own rows, and a row is summed tile after tile whatever their number. A is real or complex.
template <class A>
void multiply(int num_threads, const TcooView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y);

}  // namespace host
}  // namespace millrace
