// The product of any format on any device: y = alpha op(A) x + beta y for a request that was checked.
#pragma once

#include "millrace/sparse/formats.hpp"
#include "millrace/sparse/product/transpose_plan.hpp"

namespace millrace {

/// The plan may be null: then a transposed product is scattered by the host's threads, and refused on a GPU.
template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const TransposePlan* plan, const ApplyRequest<T>& request);

/// New values for a format, from a CSR matrix of the same pattern on the same device.
template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern);

namespace cuda {
/// Tiles of a CSR matrix whose row offsets are on that GPU.
CsrTiles make_tiles(const RowOffsets& row_ptr, Index num_rows, Offset num_entries, Device device);
/// The columns of a matrix with tiles that stand out by their use, or nothing; real numbers only.
template <class T>
HotColumns make_hot_columns(const Csr<T>& a);
/// Marks of a matrix with tiles that cut rows, where its columns were not found hot, or nothing; real numbers only.
template <class T>
RowMarks make_row_marks(const Csr<T>& a);
}  // namespace cuda

}  // namespace millrace
