// What peers with formats of their own ask of a matrix: rows in order, and the dense blocks it consists of.
#pragma once

#include <optional>
#include <span>

#include "millrace/sparse/csr.hpp"

namespace millrace::bench {

/// The matrix itself when the columns of every row ascend without repeats, otherwise such a copy, kept in `copy`.
template <class T>
const Csr<T>& with_sorted_rows(const Csr<T>& a, std::optional<Csr<T>>& copy);

/// The largest of the given sizes that cuts the matrix without a rest into square blocks of which those with entries
/// are at least 90 % full. Throws Unsupported when there is none.
template <class T>
Index find_block_size(const Csr<T>& sorted, std::span<const Index> sizes);

}  // namespace millrace::bench
