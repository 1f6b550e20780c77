// Diagonals: the values of every diagonal that holds an entry, in tiles of C rows, so that a product reads one stream
// of memory and no column at all. What a diagonal lacks inside the matrix is filled with zeros.
#pragma once

#include "millrace/base/search.hpp"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/members.hpp"

namespace millrace {

/// A row holds the diagonals that have a column inside the matrix: neighbours in the list, because offsets ascend.
template <class T>
struct DiaView {
  using value_type = T;
  static constexpr bool interleaved = true;
  Index num_rows, num_cols;
  Offset num_entries;  // without fill
  Index tile;          // C rows; the last tile may hold fewer
  Index num_diags;
  const Index* offsets;  // [num_diags], column - row, ascending
  const T* vals;         // [num_tiles, num_diags, rows of the tile]

  /// The first diagonal whose offset is at least `bound`.
  MILLRACE_HD Index first_from(Index bound) const {
    if (num_diags == 0 || offsets[0] >= bound) return 0;
    return first_at_least(offsets, Index{0}, num_diags, bound);
  }
  MILLRACE_HD Index first_diag(Index r) const { return first_from(-r); }
  MILLRACE_HD Index end_diag(Index r) const {
    const Index bound = num_cols - r;
    return num_diags == 0 || offsets[num_diags - 1] < bound ? num_diags : first_from(bound);
  }
  MILLRACE_HD Index tile_rows(Index first_row) const {  // rows of the tile that begins there
    return num_rows - first_row < tile ? num_rows - first_row : tile;
  }
  MILLRACE_HD Offset slot_of(Index r, Index d) const {
    const Index in_tile = r % tile, first_row = r - in_tile;
    return static_cast<Offset>(first_row) * num_diags + static_cast<Offset>(d) * tile_rows(first_row) + in_tile;
  }
  /// Where (row, column) is stored, or -1.
  MILLRACE_HD Offset find(Index row, Index column) const {
    const Index d = first_from(column - row);
    return d < num_diags && offsets[d] == column - row ? slot_of(row, d) : -1;
  }

  MILLRACE_HD Index length(Index r) const { return end_diag(r) - first_diag(r); }
  MILLRACE_HD Offset slot(Index r, Index k) const { return slot_of(r, first_diag(r) + k); }
  MILLRACE_HD Index column(Offset s) const {
    const Offset tile_slots = static_cast<Offset>(tile) * num_diags;
    const auto first_row = static_cast<Index>(s / tile_slots * tile);
    const Offset in_tile = s % tile_slots;
    const Index stride = tile_rows(first_row);
    return first_row + static_cast<Index>(in_tile % stride) + offsets[in_tile / stride];
  }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
  MILLRACE_HD Index output_row(Index r) const { return r; }
  MILLRACE_HD Offset slots_before(Index r) const { return static_cast<Offset>(r) * num_diags; }
};

template <class T>
struct Dia {
  using value_type = T;
  static constexpr const char *name = "dia", *parameters = "-C";  // "dia-8"; C from 1 to 1024
  static constexpr bool is_row_format = true;
  static constexpr bool converts_on_gpu = true;
  static constexpr bool has_fill = true;
  static constexpr Index max_tile = 1024;

  Index num_rows = 0, num_cols = 0;
  Index tile = 8;  // C
  Offset entries = 0;
  Array<Index> offsets;       // [num_diags], ascending
  Array<T> vals;              // [num_tiles, num_diags, rows of the tile]
  Array<std::uint64_t> real;  // one bit per slot: is it an entry of the matrix? Empty when nothing inside is fill

  static Dia from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted = {});
  static Dia from_csr(const Csr<T>& a, const FormatSpec& spec) { return from_csr_and_wait<Dia>(a, spec); }
  /// The rows of a tile that a text asks for.
  static Index asked_tile(const FormatSpec& spec);
  Dia to(Device device) const { return copy_to(*this, device); }

  template <class F>
  static void for_each_member(F&& f) {
    f(&Dia::num_rows), f(&Dia::num_cols), f(&Dia::tile), f(&Dia::entries), f(&Dia::offsets), f(&Dia::vals);
    f(&Dia::real);
  }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return entries; }
  Index num_diags() const { return static_cast<Index>(offsets.size()); }
  Footprint footprint() const;
  std::string details() const;
  /// Was this slot, which lies inside the matrix, an entry? Host only.
  bool is_real(Offset slot) const { return real.empty() || ((real.data()[slot / 64] >> (slot % 64)) & 1) != 0; }

  bool fuses_dot_on_gpu() const { return true; }
  template <class F>
  decltype(auto) visit_view(F&& f) const {
    return f(view_with(arith(vals.data())));
  }
  /// The view of addresses alone, the same type for all scalars.
  template <class F>
  decltype(auto) visit_pattern(F&& f) const {
    return f(view_with(static_cast<const float*>(nullptr)));
  }

 private:
  template <class A>
  DiaView<A> view_with(const A* values) const {
    return {num_rows, num_cols, entries, tile, num_diags(), offsets.data(), values};
  }
};

namespace host {

/// Strips of 8 rows in vector registers; every row is summed with its diagonals ascending.
void multiply(int num_threads, const DiaView<float>& a, float alpha, const Vectors<const float>& x, float beta,
              const Vectors<float>& y);
void multiply(int num_threads, const DiaView<double>& a, double alpha, const Vectors<const double>& x, double beta,
              const Vectors<double>& y);

}  // namespace host
}  // namespace millrace
