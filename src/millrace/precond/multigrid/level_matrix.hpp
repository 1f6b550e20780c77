// The matrix of a level as its cycle multiplies by it: in a format that was asked for, or in bfloat16.
#pragma once

#include <optional>

#include "millrace/precond/amg.hpp"
#include "millrace/precond/multigrid/narrow_matrix.hpp"

namespace millrace::multigrid {

/// The rule without another one, for nodes of `block` unknowns: diagonals where at most 32 hold the matrix and are
/// three quarters full; blocks where they are full enough; CSR elsewhere.
template <class W>
SparseMatrix<W> default_format(Queue& queue, const Csr<W>& a, Index block);

template <class W>
class LevelMatrix {
 public:
  LevelMatrix(Queue& queue, const Csr<W>& a, Index block, const AmgOptions& options);
  /// The same pattern.
  void update(Queue& queue, const Csr<W>& a);

  const Operator<W>& op() const { return sparse_ ? static_cast<const Operator<W>&>(*sparse_) : *narrow_; }
  /// Null: it has no kernels for steps of a smoother, or is on the host.
  const FusedMatrix<W>* fused() const { return narrow_ && !narrow_->device().on_host() ? narrow_.get() : nullptr; }
  std::string format() const;
  std::int64_t bytes() const;

 private:
  std::unique_ptr<SparseMatrix<W>> sparse_;
  std::unique_ptr<NarrowMatrix<W>> narrow_;  // in its place
};

}  // namespace millrace::multigrid
