// Diagonals whose values are bfloat16. The main one is kept apart in W, and takes what rounding has changed in its row,
// as in NarrowRows.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// y = A x. Traffic: 2 bytes a place of a diagonal beside the main one, W on that, the vectors once.
template <class W>
class NarrowDiagonals final : public Operator<W> {
 public:
  /// A square matrix on the host, all of whose entries lie on these diagonals, column - row, and the main one. Repeated
  /// entries are added up.
  NarrowDiagonals(Queue& queue, const Csr<W>& a, std::span<const Index> diagonals);
  void update(Queue& queue, const Csr<W>& a);

  Shape shape() const override { return {diagonal_.size(), diagonal_.size()}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  std::int64_t bytes() const { return offsets_.bytes() + vals_.bytes() + diagonal_.bytes(); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  Array<Index> offsets_;  // [num_diagonals], ascending, without 0
  Array<Bfloat16> vals_;  // [num_diagonals, num_rows], 0 where a diagonal is outside
  Array<W> diagonal_;     // [num_rows]
};

}  // namespace millrace::multigrid
