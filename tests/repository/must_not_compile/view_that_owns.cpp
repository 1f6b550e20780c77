// expect: (constraints not satisfied|constraint failure)
// A view that owns memory cannot be handed to a kernel by value.
#include <vector>

#include "millrace/sparse/row_format.hpp"

#ifdef MUST_NOT_COMPILE
using Columns = std::vector<millrace::Index>;
#else
using Columns = const millrace::Index*;
#endif

struct View {
  using value_type = double;
  static constexpr bool interleaved = false;
  millrace::Index num_rows, num_cols;
  millrace::Offset num_entries;
  Columns columns;
  millrace::Index length(millrace::Index) const { return 1; }
  millrace::Offset slot(millrace::Index r, millrace::Index) const { return r; }
  millrace::Index column(millrace::Offset s) const { return columns[static_cast<std::size_t>(s)]; }
  double value(millrace::Offset) const { return 1; }
  millrace::Index output_row(millrace::Index r) const { return r; }
  millrace::Offset slots_before(millrace::Index r) const { return r; }
};

template <millrace::RowFormat V>
millrace::Index first_column(const V& view) {
  return view.column(view.slot(0, 0));
}

millrace::Index use(const View& view) { return first_column(view); }
