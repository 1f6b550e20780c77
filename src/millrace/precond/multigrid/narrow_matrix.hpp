// What matrices with entries in bfloat16 have in common, rows and diagonals. The diagonal is kept apart in W, and takes
// what rounding has changed in its row: constants, which multigrid lives on, see the matrix as it was.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/precond/multigrid/fused_steps.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// Of a matrix that keeps so many bytes and numbers: it once, and the vectors; at least its numbers in W and the
/// vectors.
template <class W>
Traffic narrow_traffic(Shape shape, std::int64_t bytes, std::int64_t num_numbers, int num_vectors, bool reads_y) {
  Traffic traffic;
  traffic.matrix = static_cast<double>(bytes);
  traffic.vectors = static_cast<double>(shape.rows * (reads_y ? 2 : 1) + shape.cols) * sizeof(W) * num_vectors;
  traffic.minimum = static_cast<double>(num_numbers) * sizeof(W) + traffic.vectors;
  return traffic;
}

/// A square matrix where its queue is. Its fused steps run on a GPU only.
template <class W>
class NarrowMatrix : public FusedMatrix<W> {
 public:
  /// The same pattern.
  virtual void update(Queue& queue, const Csr<W>& a) = 0;
  virtual const char* format() const = 0;
  virtual std::int64_t bytes() const = 0;

  Device device() const override { return diagonal_.device(); }
  Shape shape() const override { return {diagonal_.size(), diagonal_.size()}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    return narrow_traffic<W>(shape(), bytes(), diagonal_.size() + vals_.size(), num_vectors, reads_y);
  }

 protected:
  NarrowMatrix(Queue& queue, Index num_rows) : diagonal_(queue, num_rows) {}

  Array<Bfloat16> vals_;  // beside the diagonal
  Array<W> diagonal_;     // [num_rows]
};

}  // namespace millrace::multigrid
