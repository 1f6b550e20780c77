// Prolongation and restriction as the cycle uses them: two matrices in CSR whose values can be set again.
#pragma once

#include <memory>

#include "millrace/precond/multigrid/galerkin.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::multigrid {

template <class W>
class Transfer {
 public:
  Transfer(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);
  /// New values; the patterns are those of before.
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);

  const Operator<W>& prolongation() const { return *prolongation_; }
  const Operator<W>& restriction() const { return *restriction_; }
  std::int64_t bytes() const;

 private:
  Csr<W> p_, r_;                                                 // the arrays
  std::unique_ptr<SparseMatrix<W>> prolongation_, restriction_;  // look at them
};

}  // namespace millrace::multigrid
