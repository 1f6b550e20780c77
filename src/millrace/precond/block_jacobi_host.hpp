// Dense diagonal blocks on the host: their inverses, and their application, which sums the rows of a block together,
// column by column.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/precond/block_size.hpp"
#include "millrace/precond/diagonal_blocks.hpp"
#include "millrace/precond/narrow_array.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::host {

/// Writes the inverses of all diagonal blocks to where the layout says, the identity for a singular one. Returns the
/// first singular block unless those count as one, or num_blocks.
template <class T>
Index invert_blocks(int num_threads, const Csr<T>& a, const DiagonalBlocks& blocks, bool singular_as_one,
                    NarrowArray<T>& inverses);

/// y = alpha B x + beta y for one block of n x n (N x N where N is not 0), in tiles of rows that fit into registers.
template <int N, class A, class S>
void apply_block(Index size, const S* __restrict block, A alpha, const A* __restrict x, A beta, A* __restrict y) {
  constexpr int tile = N > 0 ? N : 32;
  const Index n = N > 0 ? N : size;
  for (Index first = 0; first < n; first += tile) {
    A r_sum[std::size_t{tile}]{};
    const Index rows = N > 0 ? N : std::min(tile, n - first);
    if (rows == tile)
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < tile; ++i)
          r_sum[i] = multiply_add(change_type<A>(block[static_cast<Offset>(j) * n + first + i]), x[j], r_sum[i]);
    else
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < rows; ++i)
          r_sum[i] = multiply_add(change_type<A>(block[static_cast<Offset>(j) * n + first + i]), x[j], r_sum[i]);
    for (Index i = 0; i < rows; ++i) update(y[first + i], alpha, r_sum[i], beta);
  }
}

/// All blocks, in parts of about equally many rows; every row is summed in the order of its columns.
template <class A, class S>
void apply_blocks(int num_threads, const DiagonalBlocksView& blocks, const S* inverses, A alpha,
                  const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const Index n = blocks.num_rows;
  if (n == 0) return;
  const Offset entries = static_cast<Offset>(blocks.size > 0 ? blocks.size : 32) * n;
  parallel(threads_for(num_threads, entries, {.bytes = 8}), [&](int thread, int count) {
    const auto first_of = [&](int t) {
      return t == count ? blocks.num_blocks : blocks.block_at(static_cast<Index>(even_part(n, t, count).first));
    };
    const Index begin = first_of(thread), end = first_of(thread + 1);
    for (int v = 0; v < y.num; ++v)
      for (Index b = begin; b < end; ++b) {
        const Index start = blocks.start(b), size = blocks.length(b);
        const S* block = inverses + blocks.row(start).first;
        const A* from = x.data + v * x.stride + start;
        A* to = y.data + v * y.stride + start;
        factor::with_block_size(size, [&]<int N>() { apply_block<N>(size, block, alpha, from, beta, to); });
      }
  });
}

}  // namespace millrace::host
