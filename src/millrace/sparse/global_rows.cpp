// Rows of a whole matrix, checked and cut out.
#include "millrace/sparse/global_rows.hpp"

#include <algorithm>

namespace millrace {

template <class T>
void check_rows(const GlobalRows<T>& rows) {
  require(rows.row_ptr.size() >= 1 && rows.row_ptr.data()[0] == 0 && rows.first >= 0 && rows.num_cols >= 0,
          "rows from ", rows.first, " on, of ", rows.num_cols,
          " columns: offsets that begin with 0 are accepted, and a first row and columns from 0 on");
  require(rows.cols.size() == rows.vals.size() && rows.row_ptr.data()[rows.num_rows()] == rows.vals.size(),
          "rows from ", rows.first, " on: the offsets end with ", rows.row_ptr.data()[rows.num_rows()],
          ", and there are ", rows.cols.size(), " columns and ", rows.vals.size(), " values; the three must be equal");
  for (std::int64_t r = 0; r < rows.num_rows(); ++r) {
    const Offset begin = rows.row_ptr.data()[r], end = rows.row_ptr.data()[r + 1];
    require(begin <= end && end <= rows.vals.size(), "row ", rows.first + r, ": its offsets go from ", begin, " to ",
            end, "; they must not fall, nor pass the ", rows.vals.size(), " entries");
    for (Offset s = begin; s < end; ++s)
      require(rows.cols.data()[s] >= 0 && rows.cols.data()[s] < rows.num_cols, "row ", rows.first + r, ": column ",
              rows.cols.data()[s], "; 0 to ", rows.num_cols - 1, " are accepted");
  }
}

template <class T>
GlobalRows<T> rows_of(const Csr<T>& a, std::int64_t begin, std::int64_t end) {
  require(begin >= 0 && begin <= end && end <= a.num_rows, "rows_of: rows ", begin, " to ", end, " of a matrix with ",
          a.num_rows, " rows");
  const Offset first = a.row_begin(static_cast<Index>(begin)), last = a.row_begin(static_cast<Index>(end));
  GlobalRows<T> rows{begin, a.num_cols, Array<Offset>(end - begin + 1), Array<std::int64_t>(last - first),
                     Array<T>(last - first)};
  for (std::int64_t r = begin; r <= end; ++r)
    rows.row_ptr.data()[r - begin] = a.row_begin(static_cast<Index>(r)) - first;
  std::copy_n(a.cols.data() + first, last - first, rows.cols.data());
  std::copy_n(a.vals.data() + first, last - first, rows.vals.data());
  return rows;
}

#define MILLRACE_INSTANTIATE(T)                        \
  template void check_rows(const GlobalRows<T>& rows); \
  template GlobalRows<T> rows_of(const Csr<T>& a, std::int64_t begin, std::int64_t end);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
