// The row of every entry of a pattern on a GPU.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::cuda {

inline constexpr int rows_to_name = 256;          // of a thread block
inline constexpr int entries_to_name = 8 * 1024;  // of these rows, which neighbours then write

// Mapping  a thread per row, 256 rows per thread block.
// Traffic  the offsets and the result once.
// Result   repeatable.
// Shared   a byte per entry, unless there are too many: which of the rows it is in.
inline __global__ void __launch_bounds__(rows_to_name)
    name_rows(multigrid::RowsView rows, Offset num_rows, Index* row_of) {
  __shared__ std::uint8_t s_rows[entries_to_name];
  const int thread = static_cast<int>(threadIdx.x);
  const Offset first = blockIdx.x * Offset{rows_to_name}, row = first + thread;
  const Offset last = first + rows_to_name < num_rows ? first + rows_to_name : num_rows;
  const Offset front = rows.row_ptr[first], num = rows.row_ptr[last] - front;
  const bool fits = num <= entries_to_name;
  if (row < last)
    for (Offset s = rows.row_ptr[row] - front, end = rows.row_ptr[row + 1] - front; s < end; ++s)
      if (fits)
        s_rows[s] = static_cast<std::uint8_t>(thread);
      else
        row_of[front + s] = static_cast<Index>(row);
  __syncthreads();
  if (!fits) return;
  for (int k = thread; k < num; k += rows_to_name) row_of[front + k] = static_cast<Index>(first) + s_rows[k];
}

}  // namespace millrace::cuda
