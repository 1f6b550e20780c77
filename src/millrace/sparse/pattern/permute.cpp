// Rearranging CSR on the host: sorted rows, transposes, permutations. All in linear time but for the sort.
#include <algorithm>
#include <numeric>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/coo.hpp"

namespace millrace {
namespace {

// B whose row i is row rows[i] of A, with column c renamed to new_col[c] (null: kept).
template <class T>
Csr<T> take_rows(const Csr<T>& a, std::span<const Index> rows, const Index* new_col) {
  require(a.device().on_host(), "permute: the matrix lives on ", to_string(a.device()),
          ", the permutation on the host");
  check_csr(a);
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(rows.size()) + 1);
  row_ptr.data()[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) row_ptr.data()[i + 1] = row_ptr.data()[i] + a.row_length(rows[i]);
  Array<Index> cols(row_ptr.data()[rows.size()]);
  Array<T> vals(cols.size());
  parallel_for(default_num_threads(), std::ssize(rows), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Offset to = row_ptr.data()[i];
      const Index row = rows[static_cast<std::size_t>(i)];
      for (Offset from = a.row_begin(row); from < a.row_begin(row + 1); ++from, ++to) {
        const Index c = a.cols.data()[from];
        cols.data()[to] = new_col ? new_col[c] : c;
        vals.data()[to] = a.vals.data()[from];
      }
    }
  });
  return {static_cast<Index>(rows.size()), a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
}

std::vector<Index> inverse(std::span<const Index> order, Index size, const char* what) {
  require(std::ssize(order) == size, "permute: ", size, ' ', what, " need a permutation of as many; it has ",
          order.size());
  std::vector<Index> place(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Index old = order[i];
    require(old >= 0 && old < size && place[static_cast<std::size_t>(old)] < 0, "permute: entry ", i,
            " of the permutation of the ", what, " is ", old, "; each of 0..", size - 1, " must appear once");
    place[static_cast<std::size_t>(old)] = static_cast<Index>(i);
  }
  return place;
}

}  // namespace

template <class T>
Csr<T> permute_rows(const Csr<T>& a, std::span<const Index> rows) {
  inverse(rows, a.num_rows, "rows");
  return take_rows(a, rows, nullptr);
}

template <class T>
Csr<T> permute(const Csr<T>& a, std::span<const Index> rows, std::span<const Index> cols) {
  inverse(rows, a.num_rows, "rows");
  const std::vector<Index> new_col = inverse(cols, a.num_cols, "columns");
  return sort_rows(take_rows(a, rows, new_col.data()));
}

template <class T>
Csr<T> transpose(const Csr<T>& a, bool conjugate_values) {
  require(a.device().on_host(), "transpose: the matrix lives on ", to_string(a.device()), ", the work on the host");
  check_csr(a);
  Array<std::int64_t> col_ptr(static_cast<std::int64_t>(a.num_cols) + 1, 0);
  std::int64_t* next = col_ptr.data() + 1;
  for (Offset k = 0; k < a.num_entries(); ++k) ++next[a.cols.data()[k]];
  std::partial_sum(col_ptr.data(), col_ptr.data() + a.num_cols + 1, col_ptr.data());
  Array<std::int64_t> place = col_ptr.clone();
  Array<Index> rows(a.num_entries());
  Array<T> vals(a.num_entries());
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const Offset to = place.data()[a.cols.data()[k]]++;
      rows.data()[to] = r;
      if constexpr (is_complex<T>)
        vals.data()[to] = conjugate_values ? std::conj(a.vals.data()[k]) : a.vals.data()[k];
      else
        vals.data()[to] = a.vals.data()[k];
    }
  return {a.num_cols, a.num_rows, std::move(col_ptr), std::move(rows), std::move(vals)};
}

#define MILLRACE_INSTANTIATE(T)                                                           \
  template Csr<T> permute_rows(const Csr<T>&, std::span<const Index>);                    \
  template Csr<T> permute(const Csr<T>&, std::span<const Index>, std::span<const Index>); \
  template Csr<T> transpose(const Csr<T>&, bool)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
