// Rows of a matrix that a thread block works on together: their entries come into shared memory in the order of memory,
// so that a thread may then go through a row of its own.
#pragma once

#include "millrace/precond/multigrid/matrix_view.hpp"

namespace millrace::cuda {

/// Rows, and room for their entries, in a thread block of 128 threads; rows with more are read where they are.
template <int Rows, int Room>
struct RowStage {
  static constexpr int rows = Rows, room = Room;
};
using ShortRows = RowStage<128, 1152>;
using LongRows = RowStage<32, 2048>;

/// Entries in shared memory, as a MatrixView has them.
template <class T>
struct StagedView {
  convert::Rows rows;
  Offset first;         // the entry that is in front
  const Index* s_cols;  // [room]
  const T* s_vals;      // [room]

  __device__ Offset begin(Offset r) const { return rows.begin(r); }
  __device__ Index column(Offset s) const { return s_cols[s - first]; }
  __device__ T value(Offset s) const { return s_vals[s - first]; }
};

/// Brings entries into shared memory; all threads of the block wait for them.
template <class T>
__device__ inline void stage(const multigrid::MatrixView<T>& a, Offset first, int num, Index* s_cols, T* s_vals) {
  const Index* const cols = a.rows.cols + first;
  const T* const vals = a.vals + first;
#pragma unroll 4
  for (int k = static_cast<int>(threadIdx.x); k < num; k += 128) s_cols[k] = cols[k], s_vals[k] = vals[k];
  __syncthreads();
}

}  // namespace millrace::cuda
