// Products with levels in bfloat16 on a GPU, whose rows are used at once (fused_steps.hpp).
#pragma once

#include "millrace/precond/multigrid/fused_steps.hpp"
#include "millrace/precond/multigrid/narrow_view.hpp"

namespace millrace::cuda {

using multigrid::NarrowDiagonalsView;
using multigrid::NarrowRowsView;

/// Rows of a thread that multiplies diagonals, 256 apart: enough bytes are on their way then.
template <class W>
constexpr int narrow_rows = sizeof(W) == 4 ? 4 : 2;

/// Offsets of the diagonals as a value, which kernels need not load.
struct DiagonalOffsets {
  Index at[32];
};

// Mapping  `Rows` rows per thread; those of a thread block are neighbours.
// Traffic  2 bytes per place of a diagonal, the main one and x once, and what `to` reads and writes; x again from
//          caches. What a row's end needs is asked for at its beginning.
// Result   repeatable: the main diagonal first, then ascending. Num: how many there are beside it; 0: any number.
// Bounds   with room for 64 registers the compiler asks for three times as many numbers before it waits for one.
template <int Num, int Rows, class X, class To, class W>
__global__ void __launch_bounds__(256, 4)
    multiply_narrow_diagonals(NarrowDiagonalsView<const W> a, const __grid_constant__ DiagonalOffsets offsets, X x,
                              To to) {
  const Offset first = blockIdx.x * Offset{256 * Rows}, r = first + threadIdx.x, n = a.num_rows;
  const Index num = Num > 0 ? Num : a.num_diagonals;
  const auto run = [&]<bool Inside>() {  // all rows and columns of the block are those of the matrix
    W own[Rows], sums[Rows];
    typename To::Entry entries[Rows];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      const Offset at = r + 256 * i;
      const bool there = Inside || at < n;
      own[i] = there ? x[at] : W{0};
      sums[i] = there ? a.diagonal[at] * own[i] : W{0};
      entries[i] = there ? to.load(at) : typename To::Entry{};
    }
#pragma unroll(Num > 0 ? Num : 3)
    for (Index d = 0; d < num; ++d) {
      const Bfloat16* const value = a.vals + d * n + r;
      const Offset from = r + offsets.at[d];
#pragma unroll
      for (int i = 0; i < Rows; ++i)
        if (Inside || (r + 256 * i < n && from + 256 * i >= 0 && from + 256 * i < n))
          sums[i] += static_cast<W>(static_cast<float>(value[256 * i])) * x[from + 256 * i];
    }
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      if (const Offset at = r + 256 * i; Inside || at < n) to.store(at, entries[i], own[i], sums[i]);
  };
  const Offset last = first + 256 * Rows - 1;
  const bool inside =
      last < n && (num == 0 || (first + offsets.at[0] >= 0 && last + offsets.at[num > 0 ? num - 1 : 0] < n));
  inside ? run.template operator()<true>() : run.template operator()<false>();
}

// Mapping  `Width` neighbouring threads per row.
// Traffic  6 bytes per entry beside the diagonal, the diagonal, unless that is null, and what `to` reads and writes
//          once, x by its columns.
// Result   repeatable: a thread adds its entries in order, then threads are added in a tree.
template <int Width, class To, class W>
__global__ void __launch_bounds__(256)
    multiply_narrow_rows(NarrowRowsView<const W> a, Offset num_rows, const W* __restrict__ x, To to) {
  const Offset r = blockIdx.x * Offset{256 / Width} + threadIdx.x / Width;
  const int lane = static_cast<int>(threadIdx.x) % Width;
  const bool stores = r < num_rows && lane == 0;
  W own = 0, diagonal = 0, sum = 0;
  typename To::Entry entry{};
  if (stores) entry = to.load(r);
  if (stores && a.diagonal) own = x[r], diagonal = a.diagonal[r];
  if (r < num_rows)
#pragma unroll 4
    for (Offset s = a.row_ptr[r] + lane, end = a.row_ptr[r + 1]; s < end; s += Width)
      sum += static_cast<W>(static_cast<float>(a.vals[s])) * x[a.cols[s]];
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, Width);
  if (stores) to.store(r, entry, own, sum + diagonal * own);
}

}  // namespace millrace::cuda
