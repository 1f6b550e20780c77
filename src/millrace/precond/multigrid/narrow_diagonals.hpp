// Diagonals whose values are bfloat16, but for the main one.
#pragma once

#include "millrace/precond/multigrid/narrow_matrix.hpp"
#include "millrace/precond/multigrid/narrow_view.hpp"

namespace millrace::multigrid {

/// y = A x. Traffic: 2 bytes per place of a diagonal beside the main one, W on that, the vectors once.
template <class W>
class NarrowDiagonals final : public NarrowMatrix<W> {
 public:
  /// A square matrix where the queue is, all of whose entries lie on these diagonals, column - row, and the main one.
  /// Repeated entries are added up.
  NarrowDiagonals(Queue& queue, const Csr<W>& a, std::span<const Index> diagonals);
  void update(Queue& queue, const Csr<W>& a) override;
  const char* format() const override { return "diagonals in bfloat16"; }
  std::int64_t bytes() const override { return offsets_.bytes() + vals_.bytes() + diagonal_.bytes(); }
  bool skips_first() const override { return true; }
  void step(Queue& queue, const FusedStep<W>& step) const override;
  void residual(Queue& queue, const W* x, const FusedResidual<W>& residual) const override;

 private:
  using NarrowMatrix<W>::vals_, NarrowMatrix<W>::diagonal_;
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;
  template <class X, class To>
  void multiply(Queue& queue, const X& x, const To& to) const;  // on a GPU
  template <class Self>
  static auto pointers(Self& self);  // to be written, or read

  std::vector<Index> offset_values_;  // on the host
  Array<Index> offsets_;  // [num_diagonals], ascending, without 0; vals_: [num_diagonals, num_rows], 0 where outside
};

}  // namespace millrace::multigrid
