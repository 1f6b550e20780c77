// CSR whose off-diagonal values are bfloat16.
#pragma once

#include "millrace/precond/multigrid/narrow_matrix.hpp"
#include "millrace/precond/multigrid/narrow_view.hpp"

namespace millrace::multigrid {

/// y = A x. Traffic: 6 bytes per entry off the diagonal, W on it, the vectors once.
template <class W>
class NarrowRows final : public NarrowMatrix<W> {
 public:
  /// A square matrix where the queue is; repeated entries of a row are all kept.
  NarrowRows(Queue& queue, const Csr<W>& a);
  void update(Queue& queue, const Csr<W>& a) override;
  const char* format() const override { return "rows in bfloat16"; }
  std::int64_t bytes() const override { return row_ptr_.bytes() + cols_.bytes() + vals_.bytes() + diagonal_.bytes(); }
  bool skips_first() const override { return false; }  // gathers would be two for each entry
  void step(Queue& queue, const FusedStep<W>& step) const override;
  void residual(Queue& queue, const W* x, const FusedResidual<W>& residual) const override;

 private:
  using NarrowMatrix<W>::vals_, NarrowMatrix<W>::diagonal_;
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;
  template <class To>
  void multiply(Queue& queue, const W* x, const To& to) const;  // on a GPU
  template <class Self>
  static auto pointers(Self& self);  // to be written, or read

  Array<Offset> row_ptr_;  // [num_rows + 1]
  Array<Index> cols_;      // [entries off the diagonal], as vals_
};

}  // namespace millrace::multigrid
