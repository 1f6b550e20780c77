// CSR whose off-diagonal values are bfloat16. The diagonal is kept apart in W, and takes what rounding has changed in
// its row: constants, which multigrid lives on, see the matrix as it was.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// y = A x. Traffic: 6 bytes an entry off the diagonal, W on it, the vectors once.
template <class W>
class NarrowRows final : public Operator<W> {
 public:
  /// A square matrix; repeated entries of a row are all kept.
  NarrowRows(Queue& queue, const Csr<W>& a);
  void update(Queue& queue, const Csr<W>& a);

  Shape shape() const override { return {diagonal_.size(), diagonal_.size()}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  std::int64_t bytes() const { return row_ptr_.bytes() + cols_.bytes() + vals_.bytes() + diagonal_.bytes(); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  Array<Offset> row_ptr_;  // [num_rows + 1]
  Array<Index> cols_;      // [entries off the diagonal]
  Array<Bfloat16> vals_;   // the same
  Array<W> diagonal_;      // [num_rows]
};

}  // namespace millrace::multigrid
