// Block Jacobi: the inverses of dense blocks along the diagonal, stored explicitly, so that an application is one pass
// over them: y_B = A_BB^-1 x_B.
#pragma once

#include "millrace/precond/diagonal_blocks.hpp"
#include "millrace/precond/narrow_array.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// How block Jacobi is made.
struct BlockJacobiOptions {
  Index size = 0;               // of every block, the last may be smaller; 0: the matrix is searched for blocks
  std::vector<Index> starts{};  // or the first row of every block, and the number of rows at the end
  Precision precision = Precision::full;
  bool singular_as_one = false;  // a singular block counts as the identity; else it is an error
};

/// Traffic: the blocks once (and 16 bytes per row where their sizes differ), x and y once.
template <class T>
class BlockJacobi final : public Operator<T> {
 public:
  static constexpr Index max_on_gpu = 32;  // larger blocks are inverted on the host, and moved

  /// Made where the matrix lives. Blocks are searched for by find_blocks of sparse/stats.hpp, on the host.
  BlockJacobi(Queue& queue, const Csr<T>& a, const BlockJacobiOptions& options = {});

  Shape shape() const override { return {blocks_.num_rows(), blocks_.num_rows()}; }
  Device device() const override { return inverses_.device(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;

  BlockJacobi to(Device device) const;
  /// New values of a matrix of the same size, on the same device.
  void update_values(Queue& queue, const Csr<T>& a);

  const DiagonalBlocks& blocks() const { return blocks_; }
  const NarrowArray<T>& inverses() const { return inverses_; }

 private:
  BlockJacobi() = default;
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  bool singular_as_one_ = false;
  DiagonalBlocks blocks_;
  NarrowArray<T> inverses_;  // [blocks_.num_slots()]
};

extern template class BlockJacobi<float>;
extern template class BlockJacobi<double>;
extern template class BlockJacobi<std::complex<float>>;
extern template class BlockJacobi<std::complex<double>>;

}  // namespace millrace
