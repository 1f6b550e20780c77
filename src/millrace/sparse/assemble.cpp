// CSR from triplets and from a user's arrays.
#include "millrace/sparse/assemble.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/coo.hpp"

namespace millrace {
namespace {

void check_sizes(Index num_rows, Index num_cols) {
  require(num_rows >= 0 && num_cols >= 0, "make_csr: a matrix of ", num_rows, " x ", num_cols,
          " was asked for; 0 or more rows and columns are accepted");
}

}  // namespace

template <class T>
Csr<T> make_csr(Index num_rows, Index num_cols, std::span<const Triplet<T>> entries) {
  check_sizes(num_rows, num_cols);
  const std::int64_t num = std::ssize(entries);
  Coo<T> coo{num_rows, num_cols, Array<Index>(num), Array<Index>(num), Array<T>(num)};
  Index *rows = coo.rows.data(), *cols = coo.cols.data();
  T* vals = coo.vals.data();
  parallel_for(default_num_threads(), num, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Triplet<T>& e = entries[static_cast<std::size_t>(k)];
      require(e.row >= 0 && e.row < num_rows && e.col >= 0 && e.col < num_cols, "make_csr: triplet ", k, " is at row ",
              e.row, ", column ", e.col, "; the matrix is ", num_rows, " x ", num_cols, " and counts from 0");
      rows[k] = e.row;
      cols[k] = e.col;
      vals[k] = e.value;
    }
  });
  return to_csr(coo);
}

template <class RowOffset, class T>
Csr<T> wrap_csr(Index num_rows, Index num_cols, std::span<const RowOffset> row_ptr,
                std::type_identity_t<std::span<const Index>> cols, std::span<const T> vals, Trust trusted) {
  const auto on_host = []<class U>(std::span<const U> array) {
    return DeviceSpan<const U>(Device::host(), array.data(), std::ssize(array));
  };
  return Csr<T>::wrap(num_rows, num_cols, on_host(row_ptr), on_host(cols), on_host(vals), trusted);
}

#define MILLRACE_INSTANTIATE(T)                                                                                     \
  template Csr<T> make_csr(Index, Index, std::span<const Triplet<T>>);                                              \
  template Csr<T> wrap_csr(Index, Index, std::span<const std::int32_t>, std::span<const Index>, std::span<const T>, \
                           Trust);                                                                                  \
  template Csr<T> wrap_csr(Index, Index, std::span<const std::int64_t>, std::span<const Index>, std::span<const T>, \
                           Trust)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
