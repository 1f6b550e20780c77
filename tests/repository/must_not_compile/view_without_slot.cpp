// expect: (constraints not satisfied|constraint failure|no matching function)
// The schedule refuses a view that does not say where entry k of row r is stored.
#include "millrace/sparse/product/rows_host.hpp"

struct View {
  using value_type = double;
  static constexpr bool interleaved = false;
  millrace::Index num_rows, num_cols;
  millrace::Offset num_entries;
  millrace::Index length(millrace::Index) const { return 1; }
#ifndef MUST_NOT_COMPILE
  millrace::Offset slot(millrace::Index r, millrace::Index) const { return r; }
#endif
  millrace::Index column(millrace::Offset) const { return 0; }
  double value(millrace::Offset) const { return 1; }
  millrace::Index output_row(millrace::Index r) const { return r; }
  millrace::Offset slots_before(millrace::Index r) const { return r; }
};

void use(const View& view, millrace::Vectors<const double> x, millrace::Vectors<double> y) {
  millrace::host::multiply(1, view, 1.0, x, 0.0, y);
}
