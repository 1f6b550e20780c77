// What a transposed product needs: the entries of every column, and where the format keeps their values.
// Its view is a row format itself, so the transposed product is the ordinary one of another format.
#pragma once

#include "millrace/sparse/formats.hpp"

namespace millrace {

/// Values is a pointer to numbers of type T, or decodes them.
template <class T, class Values>
struct TransposedView {
  using value_type = T;
  static constexpr bool interleaved = false;
  Index num_rows, num_cols;  // of the transposed matrix
  Offset num_entries;
  const Offset* col_ptr;  // [num_rows + 1]
  const Index* rows;      // [num_entries]
  const Offset* slots;    // [num_entries], into vals
  Values vals;            // the format's values
  bool conjugated;

  MILLRACE_HD Index length(Index r) const { return static_cast<Index>(col_ptr[r + 1] - col_ptr[r]); }
  MILLRACE_HD Offset slot(Index r, Index k) const { return col_ptr[r] + k; }
  MILLRACE_HD Index column(Offset s) const { return rows[s]; }
  MILLRACE_HD T value(Offset s) const {
    const T value = vals[slots[s]];
    return conjugated ? conjugate(value) : value;
  }
  MILLRACE_HD Index output_row(Index r) const { return r; }
  MILLRACE_HD Offset slots_before(Index r) const { return col_ptr[r]; }
};

struct TransposePlan {
  Array<Offset> col_ptr;             // [num_cols + 1] of the matrix
  Array<Index> rows;                 // [num_entries]
  Array<Offset> slots;               // [num_entries]
  std::vector<TransposePlan> parts;  // of a composite format, which has no columns of its own

  TransposePlan to(Device device) const;

  /// Calls f with the view of a simple format's transpose.
  template <class Format, class F>
  void visit_view(const Format& format, bool conjugated, F&& f) const {
    const auto with_values = [&]<class Values>(const Values& vals) {
      f(TransposedView<Arith<typename Format::value_type>, Values>{format.num_cols, format.num_rows,
                                                                   format.num_entries(), col_ptr.data(), rows.data(),
                                                                   slots.data(), vals, conjugated});
    };
    if constexpr (requires { format.vals.visit_any(with_values); })
      format.vals.visit_any(with_values);
    else
      with_values(arith(format.vals.data()));
  }
};

/// From a format on the host. Columns keep their entries in the stored order.
template <class T>
TransposePlan make_transpose_plan(const AnyFormat<T>& format);

}  // namespace millrace
