// ScaledDbf<T>: dense blocks divided by their diagonal, D^{-1} A = I + N. The identity is not stored, so a product
// reads one block per block row less than A has: the product and a block Jacobi preconditioner (from the left) in one
// pass.
#pragma once

#include "millrace/sparse/matrix.hpp"

namespace millrace {

/// Dense blocks with every block row multiplied by the inverse of its diagonal block.
template <class T>
class ScaledDbf final : public Operator<T> {
 public:
  /// From a square CSR matrix in blocks of m, or from blocks at hand in any layout; both on the host. Every block row
  /// needs a diagonal block that can be inverted. Block rows that were kept apart stay so.
  ScaledDbf(const Csr<T>& a, Index m);
  explicit ScaledDbf(const Dbf<T>& a);

  Shape shape() const override { return off_diagonal_.shape(); }
  Device device() const override { return off_diagonal_.device(); }
  /// Of N, whose blocks are all that a product reads besides the vectors.
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;

  Index block_size() const { return off_diagonal_.block; }
  /// N: the blocks of D^{-1} A beside the diagonal.
  const Dbf<T>& off_diagonal() const { return off_diagonal_; }
  /// D^{-1}, as an operator: block Jacobi. Its blocks are [num_block_rows, m, m], every one column by column.
  const SparseMatrix<T>& inverse() const { return inverse_; }

  /// y = D^{-1} b: A x = b becomes D^{-1} A x = D^{-1} b.
  void scale(Queue& queue, const Vectors<const T>& b, const Vectors<T>& y) const;

  /// A copy on that device.
  ScaledDbf to(Device device) const;

  /// New values in the same blocks, from a matrix on the host; the queue is this operator's, and is waited for. Nothing
  /// changes if a diagonal block cannot be inverted. On a GPU the arrays stay where they are.
  void update_values(Queue& queue, const Csr<T>& same_blocks);
  void update_values(Queue& queue, const Dbf<T>& same_blocks);

 private:
  ScaledDbf(SparseMatrix<T> inverse, Dbf<T> off_diagonal)
      : inverse_(std::move(inverse)), off_diagonal_(std::move(off_diagonal)) {}
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  SparseMatrix<T> inverse_;  // a DBF of one block per block row
  Dbf<T> off_diagonal_;
};

extern template class ScaledDbf<float>;
extern template class ScaledDbf<double>;
extern template class ScaledDbf<std::complex<float>>;
extern template class ScaledDbf<std::complex<double>>;

}  // namespace millrace
