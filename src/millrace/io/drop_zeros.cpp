// Keeps the entries that are not zero, row by row.
#include "millrace/io/drop_zeros.hpp"

#include <algorithm>
#include <complex>
#include <utility>

namespace millrace {

template <class T>
Csr<T> drop_zeros(const Csr<T>& a) {
  const auto keep = [](T value) { return value != T{0}; };
  const Offset left = std::count_if(a.vals.data(), a.vals.data() + a.num_entries(), keep);
  Array<std::int64_t> row_ptr(std::int64_t{a.num_rows} + 1);
  Array<Index> cols(left);
  Array<T> vals(left);
  Offset to = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    row_ptr.data()[r] = to;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      if (!keep(a.vals.data()[k])) continue;
      cols.data()[to] = a.cols.data()[k];
      vals.data()[to++] = a.vals.data()[k];
    }
  }
  row_ptr.data()[a.num_rows] = to;
  return {a.num_rows, a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
}

template Csr<float> drop_zeros(const Csr<float>&);
template Csr<double> drop_zeros(const Csr<double>&);
template Csr<std::complex<float>> drop_zeros(const Csr<std::complex<float>>&);
template Csr<std::complex<double>> drop_zeros(const Csr<std::complex<double>>&);

}  // namespace millrace
