// Minimum discarded fill: an order of elimination for block ILU(0) that loses as little as it can. The next block row
// is always one whose elimination would put the least fill where the factors have no place for it.
#pragma once

#include <vector>

#include "millrace/base/queue.hpp"
#include "millrace/sparse/dbf.hpp"

namespace millrace {

/// How strongly block rows are coupled: the Frobenius norms of A_ii^-1 A_ij, without the diagonal, row by row.
struct BlockCouplings {
  std::vector<Offset> row_ptr{0};  // [num_rows + 1]
  std::vector<Index> cols{};       // [couplings], ascending in a row
  std::vector<double> norms{};     // [couplings]

  Index num_rows() const { return static_cast<Index>(row_ptr.size()) - 1; }
};

/// Of a square matrix on the host. A tiny pivot of a diagonal block is replaced as in incomplete factors; a block
/// without a diagonal, or with numbers that are not finite, is an Error.
template <class T>
BlockCouplings block_couplings(Queue& queue, const Dbf<T>& a);

/// Step k of the elimination is row order[k]. P.-O. Persson and J. Peraire (2008), after E. F. D'Azevedo, P. A. Forsyth
/// and W.-P. Tang (1992): the row k of those left with the smallest sum of (C_ik C_kj)^2 over the rows i and columns j
/// that are left, i != j, where C_ij is not stored; of several the first. Work: a heap, and for each row the square of
/// its couplings as often as it has them.
std::vector<Index> order_mdf(const BlockCouplings& couplings);

/// The order of the block rows of a matrix on the host: IncompleteOptions::order for block_ilu0.
template <class T>
std::vector<Index> order_mdf(Queue& queue, const Dbf<T>& a) {
  return order_mdf(block_couplings(queue, a));
}

}  // namespace millrace
