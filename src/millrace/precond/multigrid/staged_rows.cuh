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

/// Brings entries into shared memory; all threads of the block wait for them. `Batch` of a thread are on their way at
/// once, which the compiler would not see to: for all it knows they may be what is stored.
template <int Threads, int Batch, class Source, class T>
__device__ inline void stage(const Source& source, Offset first, int num, Index* s_cols, T* s_vals) {
#pragma unroll(Batch == 1 ? 4 : 1)
  for (int base = static_cast<int>(threadIdx.x); base < num; base += Batch * Threads) {
    Index cols[Batch];
    T vals[Batch];
#pragma unroll
    for (int b = 0; b < Batch; ++b) {
      const int k = base + b * Threads;
      if (k < num) cols[b] = source.column(first + k), vals[b] = source.value(first + k);
    }
#pragma unroll
    for (int b = 0; b < Batch; ++b)
      if (const int k = base + b * Threads; k < num) s_cols[k] = cols[b], s_vals[k] = vals[b];
  }
  __syncthreads();
}

}  // namespace millrace::cuda
