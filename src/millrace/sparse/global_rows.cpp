// Rows of a whole matrix, checked and cut out.
#include "millrace/sparse/global_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "millrace/sparse/convert/merge_row.hpp"

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

namespace {

// The first lengths[r] entries of every row, without gaps.
template <class T>
GlobalRows<T> first_of_rows(GlobalRows<T> rows, const Array<Offset>& lengths) {
  const std::int64_t num = rows.num_rows();
  GlobalRows<T> made{rows.first, rows.num_cols, Array<Offset>(num + 1)};
  made.row_ptr.data()[0] = 0;
  std::partial_sum(lengths.data(), lengths.data() + num, made.row_ptr.data() + 1);
  const Offset left = made.row_ptr.data()[num];
  if (left == rows.num_entries()) return rows;
  made.cols = Array<std::int64_t>(left);
  made.vals = Array<T>(left);
  parallel_for(default_num_threads(), num, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const Offset from = rows.row_ptr.data()[r], to = made.row_ptr.data()[r];
      std::copy_n(rows.cols.data() + from, lengths.data()[r], made.cols.data() + to);
      std::copy_n(rows.vals.data() + from, lengths.data()[r], made.vals.data() + to);
    }
  });
  return made;
}

// f(row, columns, values, count) works on the entries of a row in place, and says how many are left.
template <class T, class F>
GlobalRows<T> for_each_row(GlobalRows<T> rows, F&& f) {
  Array<Offset> lengths(rows.num_rows());
  parallel_for(default_num_threads(), rows.num_rows(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const Offset first = rows.row_ptr.data()[r];
      lengths.data()[r] = f(static_cast<Index>(rows.first + r), rows.cols.data() + first, rows.vals.data() + first,
                            rows.row_ptr.data()[r + 1] - first);
    }
  });
  return first_of_rows(std::move(rows), lengths);
}

}  // namespace

template <class T>
GlobalRows<T> sort_rows(GlobalRows<T> rows) {
  return for_each_row(std::move(rows), [](Index row, std::int64_t* cols, T* vals, Offset count) {
    sort_row(cols, vals, count);
    return merge_row(row, cols, vals, count);
  });
}

template <class T>
GlobalRows<T> drop_zeros(GlobalRows<T> rows) {
  return for_each_row(std::move(rows), [](Index, std::int64_t* cols, T* vals, Offset count) {
    Offset left = 0;
    for (Offset s = 0; s < count; ++s) {
      if (vals[s] == T{0}) continue;
      cols[left] = cols[s];
      vals[left++] = vals[s];
    }
    return left;
  });
}

#define MILLRACE_INSTANTIATE(T)                        \
  template GlobalRows<T> sort_rows(GlobalRows<T>);     \
  template GlobalRows<T> drop_zeros(GlobalRows<T>);    \
  template void check_rows(const GlobalRows<T>& rows); \
  template GlobalRows<T> rows_of(const Csr<T>& a, std::int64_t begin, std::int64_t end);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
