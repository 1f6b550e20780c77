// Compressed sparse rows: the interchange form. Every reader makes it, every format is built from it,
// every test compares with it. Row offsets have 4 bytes while they fit, 8 beyond 2^31 entries.
#pragma once

#include <utility>
#include <variant>

#include "millrace/base/array.hpp"
#include "millrace/base/operator.hpp"
#include "millrace/sparse/row_format.hpp"
#include "millrace/sparse/trust.hpp"

namespace millrace {

/// What a kernel sees of it: an address function.
template <class T, class RowOffset>
struct CsrView {
  using value_type = T;
  static constexpr bool interleaved = false;
  Index num_rows, num_cols;
  Offset num_entries;
  const RowOffset* row_ptr;  // [num_rows + 1]
  const Index* cols;         // [num_entries]
  const T* vals;             // [num_entries]

  MILLRACE_HD Index length(Index r) const { return static_cast<Index>(row_ptr[r + 1] - row_ptr[r]); }
  MILLRACE_HD Offset slot(Index r, Index k) const { return static_cast<Offset>(row_ptr[r]) + k; }
  MILLRACE_HD Index column(Offset s) const { return cols[s]; }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
  MILLRACE_HD Index output_row(Index r) const { return r; }
  MILLRACE_HD Offset slots_before(Index r) const { return row_ptr[r]; }
};

/// Row offsets, with 4 or 8 bytes each.
using RowOffsets = std::variant<Array<std::int32_t>, Array<std::int64_t>>;

/// The owner of the three arrays, or their borrower.
template <class T>
struct Csr {
  using value_type = T;
  static constexpr const char* name = "csr";
  static constexpr const char* parameters = "";  // none, but a word for a schedule on a GPU: "csr-split"
  static constexpr bool is_row_format = true;
  static constexpr bool converts_on_gpu = true;

  Index num_rows = 0, num_cols = 0;
  RowOffsets row_ptr = Array<std::int32_t>{0};  // [num_rows + 1], from 0 to num_entries
  Array<Index> cols;                            // [num_entries]
  Array<T> vals;                                // [num_entries]

  Csr() = default;
  /// Takes host arrays over, in 4-byte offsets if they fit. Entries of a row may come in any order.
  Csr(Index num_rows, Index num_cols, Array<std::int64_t> row_ptr, Array<Index> cols, Array<T> vals);
  Csr(Index num_rows, Index num_cols, Array<std::int32_t> row_ptr, Array<Index> cols, Array<T> vals);

  /// Somebody's arrays, on the host or a GPU, used in place: nothing is copied, nothing freed. Their values may change
  /// between products, their pattern may not. The arrays are checked as by check_csr, unless they are trusted.
  template <class RowOffset>
  static Csr wrap(Index num_rows, Index num_cols, DeviceSpan<const RowOffset> row_ptr, DeviceSpan<const Index> cols,
                  DeviceSpan<const T> vals, Trust trusted = {});

  static Csr from_csr(Queue& queue, const Csr& a, const FormatSpec& spec, Trust trusted = {});
  static Csr from_csr(const Csr& a, const FormatSpec& spec);
  Csr to(Device device) const;
  Csr clone() const { return to(device()); }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return vals.size(); }
  Footprint footprint() const;

  /// Calls f with the view of the offsets' width.
  template <class F>
  decltype(auto) visit_view(F&& f) const {
    return std::visit(
        [&]<class RowOffset>(const Array<RowOffset>& offsets) -> decltype(auto) {
          return f(CsrView<Arith<T>, RowOffset>{num_rows, num_cols, num_entries(), offsets.data(), cols.data(),
                                                arith(vals.data())});
        },
        row_ptr);
  }

  // On the host only:
  Offset row_begin(Index r) const {
    return std::visit([&](const auto& offsets) { return static_cast<Offset>(offsets.data()[r]); }, row_ptr);
  }
  Index row_length(Index r) const { return static_cast<Index>(row_begin(r + 1) - row_begin(r)); }
};

/// Checks what the types cannot: offsets rise from 0 to the number of entries, columns are inside, no pointer is null.
/// Where the matrix lives, after all work that a GPU was given before; throws an Error that names the first row at
/// fault.
template <class T>
void check_csr(const Csr<T>& a);

/// The same matrix with the columns of every row ascending and equal ones added up.
template <class T>
Csr<T> sort_rows(const Csr<T>& a);

/// The transposed matrix, with conjugate values on request.
template <class T>
Csr<T> transpose(const Csr<T>& a, bool conjugate_values = false);

/// B with B[i, j] = A[rows[i], j], and with columns renumbered so that B[i, j] = A[rows[i], cols[j]].
template <class T>
Csr<T> permute_rows(const Csr<T>& a, std::span<const Index> rows);
template <class T>
Csr<T> permute(const Csr<T>& a, std::span<const Index> rows, std::span<const Index> cols);

/// The same matrix in another scalar; complex to real is refused, and a finite number that would become infinite.
template <class To, class From>
Csr<To> convert_values(const Csr<From>& a);

}  // namespace millrace
