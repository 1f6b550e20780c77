// The padded formats, one family: rows padded to a common length so that entry k of neighbouring rows lies side by
// side. Slices (ELLPACK is one slice of all rows) or whole jagged columns; the papers' names are its members.
#pragma once

#include <bit>

#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/columns.hpp"
#include "millrace/sparse/format/values.hpp"

namespace millrace {

/// Slices of C = 2^log2_slice rows; the last may hold fewer and has a stride of its own.
/// S is how values are stored, I how columns are.
template <class T, class S, class I>
struct SlicedView {
  using value_type = T;
  static constexpr bool interleaved = true;
  Index num_rows, num_cols;
  Offset num_entries;
  int log2_slice;
  Index stride, last_slice, last_stride;
  const Offset* slice_ptr;  // [num_slices + 1], first slot of every slice
  const Index* shortest;    // [num_slices], its shortest row; ~ of it where all columns run with the rows
  const Index* row_len;     // [num_rows], real entries; null: the first negative column ends a row
  ColumnsView<I> cols;      // [slots]
  const S* vals;            // [slots]
  const T* table;           // of the codes, where values are stored as such
  const Index* row_of;      // [num_rows], the matrix row of every stored row; null: its own
  const Index* col_of;      // [num_cols], the matrix column of every stored one; null: its own

  MILLRACE_HD Index slice_of(Index r) const { return r >> log2_slice; }
  MILLRACE_HD Index stride_of(Index slice) const { return slice == last_slice ? last_stride : stride; }
  MILLRACE_HD Index in_slice(Index r) const {
    return static_cast<Index>(static_cast<std::uint32_t>(r) & ((std::uint32_t{1} << log2_slice) - 1));
  }
  MILLRACE_HD Index width(Index slice) const {  // the longest row of a slice
    const Offset slots = slice_ptr[slice + 1] - slice_ptr[slice];
    return static_cast<Index>(slice == last_slice ? slots / last_stride : slots >> log2_slice);
  }
  MILLRACE_HD Offset slot(Index r, Index k) const {
    const Index slice = slice_of(r);
    return slice_ptr[slice] + static_cast<Offset>(k) * stride_of(slice) + in_slice(r);
  }
  MILLRACE_HD Index length(Index r) const {
    if (row_len) return row_len[r];
    Index low = 0, high = width(slice_of(r));
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (cols(slot(r, middle)) < 0)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  MILLRACE_HD Index column(Offset s) const { return col_of ? col_of[cols(s)] : cols(s); }
  MILLRACE_HD T value(Offset s) const { return decode(vals[s], table); }
  MILLRACE_HD Index output_row(Index r) const { return row_of ? row_of[r] : r; }
  MILLRACE_HD Offset slots_before(Index r) const {
    if (r == num_rows) return slice_ptr[last_slice + 1];
    return slice_ptr[slice_of(r)] + static_cast<Offset>(in_slice(r)) * width(slice_of(r));
  }
};

/// Rows sorted by falling length, column k of all of them one after another from col_start[k].
template <class T, class S, class I>
struct JaggedView {
  using value_type = T;
  static constexpr bool interleaved = true;
  static constexpr int log2_share = 6;
  Index num_rows, num_cols;
  Offset num_entries;
  const Offset* col_start;  // [longest + 1]
  const Offset* share;      // [num_rows / 64 + 2], entries before every 64th row
  const Index* row_len;     // [num_rows]
  ColumnsView<I> cols;      // [slots]
  const S* vals;            // [slots]
  const T* table;           // of the codes, where values are stored as such
  const Index* row_of;      // [num_rows]; null: its own

  MILLRACE_HD Offset slot(Index r, Index k) const { return col_start[k] + r; }
  MILLRACE_HD Index length(Index r) const { return row_len[r]; }
  MILLRACE_HD Index column(Offset s) const { return cols(s); }
  MILLRACE_HD T value(Offset s) const { return decode(vals[s], table); }
  MILLRACE_HD Index output_row(Index r) const { return row_of ? row_of[r] : r; }
  MILLRACE_HD Offset slots_before(Index r) const { return r == num_rows ? num_entries : share[r >> log2_share]; }
};

/// What makes a member of the family.
struct PaddedShape {
  Index slice = 0;          // rows of a slice, a power of two; 0: one slice of all rows
  Index window = 1;         // rows are sorted by length inside windows of this many
  Index block = 0;          // jagged columns, padded in blocks of this many rows; 0: slices
  bool row_lengths = true;  // false: padding is marked in the columns
  Index most =
      std::numeric_limits<Index>::max();  // entries taken of a row (the hybrid format keeps the rest elsewhere)
  Storage storage = Storage::automatic;
  bool rcm = false;  // rows and columns in reverse Cuthill-McKee order; x is brought into it before every product

  /// May columns be narrow? Kernels count the slots of a slice of narrow ones in 32 bits.
  bool narrows(Index num_rows, Index longest) const {
    const Offset slots = static_cast<Offset>(slice ? slice : num_rows) * longest;
    return storage != Storage::full && row_lengths && (block || slots <= std::numeric_limits<Index>::max() - 32);
  }
  int log2_group() const {  // slots of a group of narrow columns
    return std::clamp(std::countr_zero(static_cast<unsigned>(std::max(slice, block))), 3, 5);
  }
};

template <class T, class Member>
struct Padded {
  using value_type = T;
  static constexpr const char* name = Member::name;
  static constexpr const char* parameters = Member::parameters;
  static constexpr bool is_row_format = true;
  static constexpr bool converts_on_gpu = true;

  Index num_rows = 0, num_cols = 0;
  PaddedShape layout{};
  Offset entries = 0;
  bool permuted_basis = false;  // rows and columns both in the order of the sorted rows
  Array<Offset> starts{0};      // slices: first slot of each, and the end; jagged: col_start
  Array<Index> shortest;        // slices: the shortest row of each; ~ of it where all columns run with the rows
  Offset run_slots = 0;         // slots of such slices: their offsets of columns are not read
  Index ragged_rows = 0;        // rows in slices of unequal rows: their lengths are read
  Array<Offset> share;          // jagged only: entries before every 64th row
  Array<Index> row_len;         // [num_rows], or empty
  Columns cols;                 // [slots]
  Values<T> vals;               // [slots]
  Array<Index> row_of;          // [num_rows], or empty when no row has moved
  Array<Index> x_order;         // [num_cols], which entry of x stored columns mean; empty: their own
  Array<Index> y_place;         // [num_rows], with x_order: the stored row of every row of y

  static Padded from_csr(const Csr<T>& a, const FormatSpec& spec) {
    const PaddedShape shape = Member::shape(spec);
    return shape.rcm ? build_ordered(a, shape) : build(a, shape, false);
  }
  /// Product and vectors in the order of the sorted rows: permute once before and once after a solver.
  static Padded in_permuted_basis(const Csr<T>& a, std::string_view text = Member::name) {
    return build(a, Member::shape(parse_format_spec(text)), true);
  }
  static Padded build(const Csr<T>& a, const PaddedShape& shape, bool permuted_basis);
  static Padded build_ordered(const Csr<T>& a, const PaddedShape& shape);  // by reverse Cuthill-McKee
  Padded to(Device device) const;

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return entries; }
  Footprint footprint() const;
  std::string details() const;
  bool fuses_dot_on_gpu() const { return x_order.empty(); }
  /// Not null: vectors are in the order of these rows.
  const Array<Index>* basis() const { return permuted_basis && !row_of.empty() ? &row_of : nullptr; }

  template <class F>
  decltype(auto) visit_view(F&& f) const {
    return visit_view_of(row_of.empty() || permuted_basis ? nullptr : row_of.data(),
                         x_order.empty() ? nullptr : x_order.data(), f);
  }
  /// The view whose columns are entries of x in the order of x_order, and whose rows are those of y as they are stored.
  template <class F>
  decltype(auto) visit_ordered_view(F&& f) const {
    return visit_view_of(nullptr, nullptr, f);
  }

 private:
  template <class F>
  decltype(auto) visit_view_of(const Index* moved, [[maybe_unused]] const Index* col_of, F&& f) const {
    return cols.visit_view([&]<class I>(const ColumnsView<I>& columns) -> decltype(auto) {
      return vals.visit([&]<class S>(const S* values, const Arith<T>* table) -> decltype(auto) {
        if constexpr (Member::jagged) {
          return f(JaggedView<Arith<T>, S, I>{num_rows, num_cols, entries, starts.data(), share.data(), row_len.data(),
                                              columns, values, table, moved});
        } else {
          const auto last = static_cast<Index>(starts.size() - 2);
          const Index slice = slice_rows();
          return f(SlicedView<Arith<T>, S, I>{num_rows, num_cols, entries, log2_slice(), slice, last,
                                              last < 0 ? 1 : num_rows - last * slice, starts.data(), shortest.data(),
                                              row_len.empty() ? nullptr : row_len.data(), columns, values, table, moved,
                                              col_of});
        }
      });
    });
  }

  Index slice_rows() const { return layout.slice ? layout.slice : num_rows; }
  int log2_slice() const { return layout.slice ? std::countr_zero(static_cast<unsigned>(layout.slice)) : 31; }
};

/// ELLPACK: every row padded to the longest; the end of a row is where its columns become negative.
struct EllMember {
  static constexpr const char *name = "ell", *parameters = "";
  static constexpr bool jagged = false;
  static PaddedShape shape(const FormatSpec& spec);
};
/// ELLPACK-R (Vazquez et al. 2010): ELLPACK that keeps the lengths of the rows.
struct EllrMember {
  static constexpr const char *name = "ellr", *parameters = "";
  static constexpr bool jagged = false;
  static PaddedShape shape(const FormatSpec& spec);
};
/// SELL-C-sigma (Kreutzer, Hager, Wellein et al. 2014): slices of C rows, sorted inside windows of sigma rows;
/// "rcm" orders rows and columns before.
struct SellMember {
  static constexpr const char *name = "sell", *parameters = "-C-sigma";
  static constexpr bool jagged = false;
  static PaddedShape shape(const FormatSpec& spec);
};
/// Row-grouped CSR (Oberhuber, Suzuki, Vacata 2010): groups of G rows in their own order.
struct RgcsrMember {
  static constexpr const char *name = "rgcsr", *parameters = "-G";
  static constexpr bool jagged = false;
  static PaddedShape shape(const FormatSpec& spec);
};
/// Jagged diagonals (Saad 1989): all rows sorted by length, no padding.
struct JdsMember {
  static constexpr const char *name = "jds", *parameters = "";
  static constexpr bool jagged = true;
  static PaddedShape shape(const FormatSpec& spec);
};
/// Padded jagged diagonals (Kreutzer et al. 2012): blocks of b_r sorted rows padded to their longest.
struct PjdsMember {
  static constexpr const char *name = "pjds", *parameters = "-B";
  static constexpr bool jagged = true;
  static PaddedShape shape(const FormatSpec& spec);
};

template <class T>
using Ell = Padded<T, EllMember>;
template <class T>
using Ellr = Padded<T, EllrMember>;
template <class T>
using Sell = Padded<T, SellMember>;
template <class T>
using Rgcsr = Padded<T, RgcsrMember>;
template <class T>
using Jds = Padded<T, JdsMember>;
template <class T>
using Pjds = Padded<T, PjdsMember>;

}  // namespace millrace
