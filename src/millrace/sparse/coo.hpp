// Coordinates: one row, column and value per entry. How matrices are assembled and read, in any order
// and with repeated positions; as a format of products the entries are sorted by row.
#pragma once

#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/members.hpp"

namespace millrace {

/// What a kernel sees of it.
template <class T>
struct CooView {
  using value_type = T;
  Index num_rows, num_cols;
  Offset num_entries;
  const Index* rows;  // [num_entries], ascending
  const Index* cols;  // [num_entries]
  const T* vals;      // [num_entries]

  MILLRACE_HD Index row(Offset s) const { return rows[s]; }
  MILLRACE_HD Index column(Offset s) const { return cols[s]; }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
};

/// The owner of the three arrays.
template <class T>
struct Coo {
  using value_type = T;
  static constexpr const char* name = "coo";
  static constexpr const char* parameters = "";
  static constexpr bool is_row_format = false;
  static constexpr bool converts_on_gpu = true;

  Index num_rows = 0, num_cols = 0;
  Array<Index> rows, cols;  // [num_entries]
  Array<T> vals;            // [num_entries]

  static Coo from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted = {});
  static Coo from_csr(const Csr<T>& a, const FormatSpec& spec) { return from_csr_and_wait<Coo>(a, spec); }
  Coo to(Device device) const { return copy_to(*this, device); }

  template <class F>
  static void for_each_member(F&& f) {
    f(&Coo::num_rows), f(&Coo::num_cols), f(&Coo::rows), f(&Coo::cols), f(&Coo::vals);
  }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return vals.size(); }
  Footprint footprint() const;
  CooView<Arith<T>> view() const {
    return {num_rows, num_cols, num_entries(), rows.data(), cols.data(), arith(vals.data())};
  }
  /// The view of addresses alone, the same type for all scalars.
  template <class F>
  decltype(auto) visit_pattern(F&& f) const {
    return f(CooView<float>{num_rows, num_cols, num_entries(), rows.data(), cols.data(), nullptr});
  }
};

/// Entries in any order, repeated positions added up, columns ascending. Linear time, in parallel, and
/// the same bits for any number of threads and on a GPU: repeated entries are added in the order given. Finite ones
/// whose sum is not finite are an Error.
template <class T>
Csr<T> to_csr(const Coo<T>& a);

/// The same without adding repeated positions up (they stay apart, in the order given).
template <class T>
Csr<T> to_csr_keeping_duplicates(const Coo<T>& a);

}  // namespace millrace
