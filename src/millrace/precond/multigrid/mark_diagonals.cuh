// Which diagonals of a matrix have entries, as long as these are few, on a GPU.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/sparse/convert/steps.hpp"

namespace millrace::cuda {

/// Diagonals that have shown themselves, in any order.
struct MarkedDiagonals {
  unsigned* marks;  // [(num_rows + num_cols) / 32 + 1]: a bit per diagonal
  Index* num;       // past `most` no more are sought
  Index* places;    // [most]: column - row + num_rows
  Index most;

  __device__ bool too_many() const { return __ldcg(num) > most; }
  /// Where it is there already nothing is written.
  __device__ void add(Offset diagonal) const {
    const unsigned bit = 1u << (diagonal % 32);
    if (__ldcg(marks + diagonal / 32) & bit) return;
    if (atomicOr(marks + diagonal / 32, bit) & bit) return;
    const Index at = atomicAdd(num, 1);
    if (at < most) places[at] = static_cast<Index>(diagonal);
  }
};

// Mapping  `Lanes` threads per row; teams take rows in turn, every `step`-th. A thread knows the diagonals of its first
//          places in its row before, and looks only at others.
// Traffic  the pattern of these rows once; a few rows per team where diagonals are many.
// Result   the set is repeatable if it is no larger than `most`; its order is not, nor is the number past that.
template <int Lanes>
__global__ void __launch_bounds__(256) mark_diagonals(convert::Rows rows, Offset step, MarkedDiagonals marked) {
  constexpr int num_known = Lanes == 1 ? 8 : 2;
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
  if (marked.too_many()) return;
  Offset known[num_known];
#pragma unroll
  for (int k = 0; k < num_known; ++k) known[k] = -1;
  const Offset team = (blockIdx.x * Offset{256} + threadIdx.x) / Lanes, num_teams = gridDim.x * Offset{256 / Lanes};
  for (Offset r = team * step; r < rows.num_rows; r += num_teams * step) {
    const Offset begin = rows.begin(r), end = rows.begin(r + 1), shift = rows.num_rows - r;
    Offset now[num_known];
#pragma unroll
    for (int k = 0; k < num_known; ++k) {
      const Offset s = begin + k * Lanes + lane;
      now[k] = s < end ? rows.cols[s] + shift : known[k];
    }
    bool others = false;
#pragma unroll
    for (int k = 0; k < num_known; ++k)
      if (now[k] != known[k]) marked.add(known[k] = now[k]), others = true;
    for (Offset s = begin + num_known * Lanes + lane; s < end; s += Lanes)
      marked.add(rows.cols[s] + shift), others = true;
    if (others && marked.too_many()) return;
  }
}

}  // namespace millrace::cuda
