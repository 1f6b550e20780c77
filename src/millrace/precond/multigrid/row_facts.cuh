// What a level knows of its matrix's rows, on a GPU in one pass.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/precond/multigrid/diagonal.hpp"
#include "millrace/precond/multigrid/staged_rows.cuh"

namespace millrace::cuda {

using multigrid::MatrixView;
using multigrid::RowFacts;

inline constexpr long long not_finite = INT64_MAX;

/// Of all rows together.
struct AllFacts {
  long long most;  // the bits of the largest gershgorin(), as positive doubles are ordered as these; or not_finite
  unsigned long long num_replaced;
};

/// As in Diagonal.
template <class T>
struct DiagonalOutput {
  T *value, *row_sum;
  Index* num_beside;

  template <class View>
  __device__ void set(const View& a, Offset r, AllFacts& facts) const {
    const auto row = RowFacts<T>::of(a, r);
    value[r] = row.diagonal;
    row_sum[r] = row.sum;
    num_beside[r] = row.num_beside;
    const long long bits = row.finite ? __double_as_longlong(row.gershgorin()) : not_finite;
    facts.most = bits > facts.most ? bits : facts.most;
    facts.num_replaced += row.replaced;
  }
};

// Mapping  thread blocks take pieces of `Stage::rows` rows in turn; a thread per row, once entries are at hand.
// Traffic  A once, the diagonal once.
// Result   repeatable: rows in their order, and the maximum and the sum of whole numbers, an atomic each per warp.
// Shared   columns and values of a piece.
template <class Stage, class T>
__global__ void __launch_bounds__(128)
    find_row_facts(MatrixView<T> a, Offset num_rows, DiagonalOutput<T> out, AllFacts* facts) {
  __shared__ Index s_cols[Stage::room];
  __shared__ T s_vals[Stage::room];
  AllFacts own{0, 0};
  for (Offset front = blockIdx.x * Offset{Stage::rows}; front < num_rows; front += gridDim.x * Offset{Stage::rows}) {
    const Offset back = front + Stage::rows < num_rows ? front + Stage::rows : num_rows;
    const Offset first = a.begin(front), num = a.begin(back) - first, r = front + threadIdx.x;
    if (num > Stage::room) {
      if (r < back) out.set(a, r, own);
      continue;
    }
    stage<128, Stage::rows == 128 ? 1 : 8>(a, first, static_cast<int>(num), s_cols, s_vals);
    if (r < back) out.set(StagedView<T>{a.rows, first, s_cols, s_vals}, r, own);
    __syncthreads();
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    const long long most = __shfl_xor_sync(0xffffffffu, own.most, offset);
    own.most = most > own.most ? most : own.most;
    own.num_replaced += __shfl_xor_sync(0xffffffffu, own.num_replaced, offset);
  }
  if (threadIdx.x % 32 != 0) return;
  if (own.most > 0) atomicMax(&facts->most, own.most);
  if (own.num_replaced > 0) atomicAdd(&facts->num_replaced, own.num_replaced);
}

}  // namespace millrace::cuda
