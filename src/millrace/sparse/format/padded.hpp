// The padded formats, one family: rows padded to a common length so that entry k of neighbouring rows lies side by
// side. Slices (ELLPACK is one slice of all rows) or whole jagged columns; the papers' names are its members.
#pragma once

#include <bit>

#include "millrace/base/search.hpp"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/columns.hpp"
#include "millrace/sparse/format/members.hpp"
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
    return first_where(Index{0}, width(slice_of(r)), [&](Index k) { return cols(slot(r, k)) < 0; });
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
  Index max_length = std::numeric_limits<Index>::max();  // entries taken of a row (hyb keeps the rest elsewhere)
  Storage storage = Storage::automatic;
  bool rcm = false;  // rows and columns in reverse Cuthill-McKee order; x is brought into it before every product

  /// May columns be narrow? Kernels count the slots of a slice of narrow ones in 32 bits.
  bool narrows(Index num_rows, Index longest) const {
    const Offset slots = static_cast<Offset>(slice ? slice : num_rows) * longest;
    return storage != Storage::full && row_lengths && (block || slots <= std::numeric_limits<Index>::max() - 32);
  }
  bool only_host_makes() const { return rcm || storage == Storage::dictionary; }
  int log2_group() const {  // slots of a group of narrow columns
    return std::clamp(std::countr_zero(static_cast<unsigned>(std::max(slice, block))), 3, 5);
  }
};

/// The arrays of any member of the family.
template <class T>
struct PaddedArrays {
  using value_type = T;

  Index num_rows = 0, num_cols = 0;
  PaddedShape layout{};
  Offset entries = 0;
  bool vectors_reordered = false;  // x and y both in the order of the sorted rows
  Array<Offset> starts{0};         // slices: first slot of each, and the end; jagged: col_start
  Array<Index> shortest;           // slices: the shortest row of each; ~ of it where all columns run with the rows
  Offset run_slots = 0;            // slots of such slices: their offsets of columns are not read
  Index ragged_rows = 0;           // rows in slices of unequal rows: their lengths are read
  Array<Offset> share;             // jagged only: entries before every 64th row
  Array<Index> row_len;            // [num_rows], or empty
  Columns cols;                    // [slots]
  StoredValues<T> vals;            // [slots]
  Array<Index> row_of;             // [num_rows], or empty when no row has moved
  Array<Index> x_order;            // [num_cols], which entry of x stored columns mean; empty: their own
  Array<Index> y_place;            // [num_rows], with x_order: the stored row of every row of y

  template <class F>
  static void for_each_member(F&& f) {
    using P = PaddedArrays;
    f(&P::num_rows), f(&P::num_cols), f(&P::layout), f(&P::entries), f(&P::vectors_reordered), f(&P::starts);
    f(&P::shortest), f(&P::run_slots), f(&P::ragged_rows), f(&P::share), f(&P::row_len), f(&P::cols), f(&P::vals);
    f(&P::row_of), f(&P::x_order), f(&P::y_place);
  }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return entries; }
  Footprint footprint() const;
  std::string details() const;
  bool fuses_dot_on_gpu() const { return x_order.empty(); }
  /// Not null: vectors are in the order of these rows.
  const Array<Index>* permutation() const { return vectors_reordered && !row_of.empty() ? &row_of : nullptr; }

  /// Calls f with a view of addresses alone, the same type for all scalars and storages: it has no values, and its
  /// columns are these, decoded before.
  template <class F>
  decltype(auto) visit_pattern(const Index* columns, F&& f) const {
    const ColumnsView<Index> plain{columns, nullptr, nullptr, 0};
    const Index* moved = moved_rows();
    return layout.block ? f(jagged_view<float>(plain, static_cast<const float*>(nullptr), nullptr, moved))
                        : f(sliced_view<float>(plain, static_cast<const float*>(nullptr), nullptr, moved, x_columns()));
  }

 protected:
  const Index* moved_rows() const { return row_of.empty() || vectors_reordered ? nullptr : row_of.data(); }
  const Index* x_columns() const { return x_order.empty() ? nullptr : x_order.data(); }

  template <class A, class S, class I>
  JaggedView<A, S, I> jagged_view(const ColumnsView<I>& columns, const S* values, const A* table,
                                  const Index* moved) const {
    return {num_rows, num_cols, entries, starts.data(), share.data(), row_len.data(), columns, values, table, moved};
  }
  template <class A, class S, class I>
  SlicedView<A, S, I> sliced_view(const ColumnsView<I>& columns, const S* values, const A* table, const Index* moved,
                                  const Index* col_of) const {
    const auto last = static_cast<Index>(starts.size() - 2);
    const Index slice = layout.slice ? layout.slice : num_rows;
    return {num_rows,
            num_cols,
            entries,
            layout.slice ? std::countr_zero(static_cast<unsigned>(layout.slice)) : 31,
            slice,
            last,
            last < 0 ? 1 : num_rows - last * slice,
            starts.data(),
            shortest.data(),
            row_len.empty() ? nullptr : row_len.data(),
            columns,
            values,
            table,
            moved,
            col_of};
  }
};

template <class T, class Member>
struct Padded : PaddedArrays<T> {
  static constexpr const char* name = Member::name;
  static constexpr const char* parameters = Member::parameters;
  static constexpr bool is_row_format = true;
  static constexpr bool converts_on_gpu = true;

  Padded() = default;
  explicit Padded(PaddedArrays<T> arrays) : PaddedArrays<T>(std::move(arrays)) {}

  static Padded from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted = {});
  static Padded from_csr(const Csr<T>& a, const FormatSpec& spec) { return from_csr_and_wait<Padded>(a, spec); }
  /// Product and vectors in the order of the sorted rows: permute once before and once after a solver. Host only.
  static Padded make_reordered(const Csr<T>& a, std::string_view text = Member::name);
  /// Does the host make this, wherever the matrix lives? Orders of rows and columns, and dictionaries.
  static bool only_host_makes(const FormatSpec& spec) { return Member::shape(spec).only_host_makes(); }
  Padded to(Device device) const { return Padded(copy_to<PaddedArrays<T>>(*this, device)); }

  template <class F>
  decltype(auto) visit_view(F&& f) const {
    return visit_view_of(this->moved_rows(), this->x_columns(), f);
  }
  /// The view whose columns are entries of x in the order of x_order, and whose rows are those of y as they are stored.
  template <class F>
  decltype(auto) visit_ordered_view(F&& f) const {
    return visit_view_of(nullptr, nullptr, f);
  }

 private:
  template <class F>
  decltype(auto) visit_view_of(const Index* moved, [[maybe_unused]] const Index* col_of, F&& f) const {
    return this->cols.visit_view([&](const auto& columns) -> decltype(auto) {
      return this->vals.visit([&](const auto* values, const Arith<T>* table) -> decltype(auto) {
        if constexpr (Member::jagged)
          return f(this->jagged_view(columns, values, table, moved));
        else
          return f(this->sliced_view(columns, values, table, moved, col_of));
      });
    });
  }
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
