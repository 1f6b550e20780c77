// How users come to a CSR matrix: from triplets in any order, or from three arrays that they have already.
#pragma once

#include <initializer_list>
#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// One entry of a matrix; repeated positions add up.
template <class T>
struct Triplet {
  Index row = 0, col = 0;
  T value{};
};

/// The matrix of these entries, which come in any order: columns ascend, repeated positions are added up in the order
/// given. An entry outside of the matrix is an Error that names it. Host threads; linear time.
template <class T>
Csr<T> make_csr(Index num_rows, Index num_cols, std::span<const Triplet<T>> entries);
template <class T>
Csr<T> make_csr(Index num_rows, Index num_cols, const std::vector<Triplet<T>>& entries) {
  return make_csr(num_rows, num_cols, std::span<const Triplet<T>>(entries));
}
template <class T>
Csr<T> make_csr(Index num_rows, Index num_cols, std::initializer_list<Triplet<T>> entries) {
  return make_csr(num_rows, num_cols, std::span<const Triplet<T>>(entries.begin(), entries.size()));
}

/// A matrix in host arrays of the user's, used in place: nothing is copied, nothing freed, and new values are seen at
/// once. They must live longer than it. RowOffset: std::int32_t or std::int64_t. The offsets and columns are
/// checked, unless they are trusted.
template <class RowOffset, class T>
Csr<T> wrap_csr(Index num_rows, Index num_cols, std::span<const RowOffset> row_ptr,
                std::type_identity_t<std::span<const Index>> cols, std::span<const T> vals, Trust trusted = {});
template <class RowOffset, class T>
Csr<T> wrap_csr(Index num_rows, Index num_cols, const std::vector<RowOffset>& row_ptr, const std::vector<Index>& cols,
                const std::vector<T>& vals, Trust trusted = {}) {
  return wrap_csr(num_rows, num_cols, std::span<const RowOffset>(row_ptr), cols, std::span<const T>(vals), trusted);
}
// A matrix in vectors that are gone at the end of the line.
template <class RowOffset, class T>
Csr<T> wrap_csr(Index, Index, const std::vector<RowOffset>&&, const std::vector<Index>&, const std::vector<T>&,
                Trust = {}) = delete;
template <class RowOffset, class T>
Csr<T> wrap_csr(Index, Index, const std::vector<RowOffset>&, const std::vector<Index>&&, const std::vector<T>&,
                Trust = {}) = delete;
template <class RowOffset, class T>
Csr<T> wrap_csr(Index, Index, const std::vector<RowOffset>&, const std::vector<Index>&, const std::vector<T>&&,
                Trust = {}) = delete;

}  // namespace millrace
