// A matrix as the packages take it: by columns, in double.
#pragma once

#include <complex>
#include <vector>

#include "millrace/base/precision.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::detail {

/// A square matrix by columns, sorted, with the integers of the packages' versions for large matrices.
template <class S>
struct Columns {
  std::int64_t num = 0;
  std::vector<std::int64_t> begin{};  // [num + 1]
  std::vector<std::int64_t> rows{};   // [num_entries]
  std::vector<S> vals{};              // [num_entries]
};

/// The numbers that the packages compute with.
template <class T>
using FactorScalar = WithReal<T, double>;

template <class S>
void conjugate_all(std::vector<S>& v) {
  if constexpr (is_complex<S>)
    for (S& value : v) value = std::conj(value);
}

/// A by columns.
template <class T>
Columns<FactorScalar<T>> columns_of(const Csr<T>& sorted) {
  const Csr<T> t = transpose(sorted);
  Columns<FactorScalar<T>> made{.num = t.num_rows};
  for (Index r = 0; r <= t.num_rows; ++r) made.begin.push_back(t.row_begin(r));
  made.rows.assign(t.cols.data(), t.cols.data() + t.num_entries());
  made.vals.assign(t.vals.data(), t.vals.data() + t.num_entries());
  return made;
}
/// The upper triangle of a Hermitian matrix: by columns it is the conjugate of the lower one by rows.
template <class T>
Columns<FactorScalar<T>> upper_triangle_of(const Csr<T>& sorted) {
  Columns<FactorScalar<T>> made{.num = sorted.num_rows, .begin = {0}};
  for (Index r = 0; r < sorted.num_rows; ++r) {
    for (Offset k = sorted.row_begin(r); k < sorted.row_begin(r + 1); ++k) {
      if (sorted.cols.data()[k] > r) continue;
      made.rows.push_back(sorted.cols.data()[k]);
      made.vals.push_back(from_arith<FactorScalar<T>>(conjugate(arith(FactorScalar<T>(sorted.vals.data()[k])))));
    }
    made.begin.push_back(std::ssize(made.rows));
  }
  return made;
}

}  // namespace millrace::detail
