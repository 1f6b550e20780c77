// One case of the HDG paper's sweep: its sizes, and what only a GPU does for it. Values of A follow from their
// position, so 4 GB of them are made where they are needed, and the result is checked without reading them.
#pragma once

#include <functional>
#include <optional>

#include "millrace/sparse/format/dbf.hpp"

namespace millrace::hdg_case {

/// The paper's letters: blocks of m = np nc rows, na of them in a block row, r faces, q = m na.
struct Sizes {
  Index m, na, r, q;

  MILLRACE_HD Offset num_values() const { return Offset{m} * r * q; }
  MILLRACE_HD Offset num_rows() const { return Offset{m} * r; }
};

namespace cuda {

/// Values of [r, q, m], block rows one after another, or of the paper's [q, r, m]: in (-1, 1), never 0, the same in
/// both layouts.
template <class T>
void fill_values(Queue& queue, const Sizes& sizes, bool all_in_one_group, DeviceSpan<T> values);

/// NaN in every entry, so that what was not written is found.
template <class T>
void poison(Queue& queue, DeviceSpan<T> values);

/// The first row of y that is wrong, from the positions of the values and in double: |error| <= 2 (q + 2) eps sum
/// |a||x|. Nothing when all are right.
template <class T>
std::optional<Offset> wrong_row(Queue& queue, const Sizes& sizes, DeviceSpan<const Index> neighbours,
                                DeviceSpan<const T> x, DeviceSpan<const T> y);

/// y = A X by cuBLAS, a batch of one dense product a face; A in [r, q, m]. The arrays must outlive what it returns.
template <class T>
std::function<void()> batched_gemv(Queue& queue, const Sizes& sizes, DeviceSpan<const T> values,
                                   DeviceSpan<const T> inflated, DeviceSpan<T> y);

}  // namespace cuda
}  // namespace millrace::hdg_case
