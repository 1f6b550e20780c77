// The dense diagonal blocks of nodes of several unknowns, inverted: what block Jacobi smooths with.
#pragma once

#include "millrace/precond/diagonal_blocks.hpp"
#include "millrace/precond/narrow_array.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// y_N = A_NN^-1 x_N for every node N. A block that is singular or nearly so, as where the vectors of an aggregate
/// depend on each other, or that has not the signs of its diagonal, counts as its diagonal alone.
/// Traffic: the blocks once, x and y once.
template <class W>
class NodeBlocks final : public Operator<W> {
 public:
  /// Of nodes of `size` unknowns, which divides num_rows; without values.
  NodeBlocks(Device device, Index num_rows, Index size);
  /// From a matrix where the queue works, and its `diagonal` [num_rows] without zeros. On a GPU blocks are inverted
  /// there and looked at on the host, which waits.
  void update(Queue& queue, const Csr<W>& a, const Array<W>& diagonal);

  Shape shape() const override { return {blocks_.num_rows(), blocks_.num_rows()}; }
  Device device() const override { return inverses_.device(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  std::int64_t bytes() const { return inverses_.bytes(); }
  /// Blocks that count as their diagonals.
  Index num_replaced() const { return num_replaced_; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;
  Index replace_bad(int num_threads, const Array<W>& diagonal, NarrowArray<W>& inverses) const;

  DiagonalBlocks blocks_;    // on the device
  NarrowArray<W> inverses_;  // [blocks_.num_slots()], in full
  Index num_replaced_ = 0;
};

extern template class NodeBlocks<float>;
extern template class NodeBlocks<double>;

}  // namespace millrace::multigrid
