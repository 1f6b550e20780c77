// What matrices with entries in bfloat16 have in common, rows and diagonals. The diagonal is kept apart in W, and takes
// what rounding has changed in its row: constants, which multigrid lives on, see the matrix as it was.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/precond/multigrid/fused_steps.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

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
    Traffic traffic;
    const auto n = static_cast<double>(diagonal_.size());
    traffic.matrix = static_cast<double>(bytes());
    traffic.vectors = n * sizeof(W) * num_vectors * (reads_y ? 3 : 2);
    traffic.minimum = (n + static_cast<double>(vals_.size())) * sizeof(W) + traffic.vectors;
    return traffic;
  }

 protected:
  NarrowMatrix(Queue& queue, Index num_rows) : diagonal_(queue, num_rows) {}

  Array<Bfloat16> vals_;  // beside the diagonal
  Array<W> diagonal_;     // [num_rows]
};

}  // namespace millrace::multigrid
