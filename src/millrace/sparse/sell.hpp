// Sliced ELLPACK, SELL-C-sigma (Kreutzer, Hager, Wellein et al. 2014): slices of C rows padded to their
// longest and stored column by column, rows sorted by length inside windows of sigma rows.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace {

template <class T>
struct SellView {
  using value_type = T;
  static constexpr bool interleaved = true;
  Index num_rows, num_cols;
  Offset num_entries;
  int log2_slice;           // slices of C = 2^log2_slice rows
  const Offset* slice_ptr;  // [num_slices + 1], first slot of every slice
  const Index* row_len;     // [num_rows], real entries of every stored row
  const Index* cols;        // [slots]
  const T* vals;            // [slots]
  const Index* row_of;      // [num_rows], the matrix row of every stored row; null: its own

  MILLRACE_HD Index length(Index r) const { return row_len[r]; }
  MILLRACE_HD Offset slot(Index r, Index k) const {
    const Index in_slice = r & ((Index{1} << log2_slice) - 1);
    return slice_ptr[r >> log2_slice] + (static_cast<Offset>(k) << log2_slice) + in_slice;
  }
  MILLRACE_HD Index column(Offset s) const { return cols[s]; }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
  MILLRACE_HD Index output_row(Index r) const { return row_of ? row_of[r] : r; }
  MILLRACE_HD Offset slots_before(Index r) const { return slice_ptr[r >> log2_slice]; }
};

template <class T>
struct Sell {
  using value_type = T;
  static constexpr const char* name = "sell";
  static constexpr const char* parameters = "-C-sigma";  // "sell-32-1024"; C a power of two, sigma >= 1
  static constexpr bool is_row_format = true;

  Index num_rows = 0, num_cols = 0;
  Index slice = 32;  // C
  Index window = 1;  // sigma
  Offset entries = 0;
  bool permuted_basis = false;  // rows and columns both in the order of the sorted rows
  Array<Offset> slice_ptr{0};   // [num_slices + 1]
  Array<Index> row_len;         // [num_rows]
  Array<Index> cols;            // [slots]
  Array<T> vals;                // [slots]
  Array<Index> row_of;          // [num_rows], or empty when no row has moved

  static Sell from_csr(const Csr<T>& a, const FormatSpec& spec);
  /// Product and vectors in the order of the sorted rows: permute once before and once after a solver.
  static Sell in_permuted_basis(const Csr<T>& a, Index slice, Index window);
  Sell to(Device device) const;

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return entries; }
  Footprint footprint() const;
  /// Not null: vectors are in the order of these rows.
  const Array<Index>* basis() const { return permuted_basis && !row_of.empty() ? &row_of : nullptr; }

  template <class F>
  decltype(auto) visit_view(F&& f) const {
    const bool moved = !row_of.empty() && !permuted_basis;
    return f(SellView<Arith<T>>{num_rows, num_cols, entries, log2_slice(), slice_ptr.data(), row_len.data(),
                                cols.data(), arith(vals.data()), moved ? row_of.data() : nullptr});
  }

 private:
  int log2_slice() const;
};

}  // namespace millrace
