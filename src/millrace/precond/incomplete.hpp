// Incomplete factorisations without fill: ILU(0), IC(0) and block ILU(0), as one form, A ~ L D U with ones on the
// diagonals of L and U. IC(0) is the case U = L^H. Rows are stored level by level, so that a level is contiguous.
#pragma once

#include "millrace/precond/factor_pattern.hpp"
#include "millrace/precond/narrow_array.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace {

/// How an incomplete factorisation is made.
struct IncompleteOptions {
  Index block = 1;  // unknowns that are eliminated together, as dense blocks; up to 1024
  Precision precision = Precision::full;
  int sweeps = 0;  // 0: triangles are solved exactly; else this many Jacobi sweeps each (for block = 1)
  /// A pivot up to zero_pivot times the largest entry of its row is replaced by pivot_replacement times that entry. Of
  /// 175 real matrices of up to 1500 rows, GMRES(30) solved 91 with 1, 88 with 1e-4 and 79 with 1e-8.
  double zero_pivot = 1e-12;
  double pivot_replacement = 1;
  /// The diagonal grows by this share of itself before anything else (Manteuffel 1980). IC(0) starts with it, and
  /// doubles it until all pivots are positive.
  double shift = 0;
  /// The order of elimination: step k is (block) row order[k], each once, as order_mdf makes it; empty: as they come.
  /// Not for ic0, which reads one triangle of the matrix.
  std::vector<Index> order{};
};

/// What was made.
struct IncompleteReport {
  Index num_levels = 0;       // rows that can only be worked on one after another
  Index replaced_pivots = 0;  // by zero_pivot and pivot_replacement; always 0 for IC(0)
  double shift = 0;           // that the factorisation came through with
  int attempts = 1;           // of IC(0)
  /// One sentence for a human.
  std::string text() const;
};

/// y = (L D U)^-1 x. Traffic: factors and their indices, x and y once. Between the triangles a vector is written and
/// read again (on a GPU two), which the model does not count.
template <class T>
class Incomplete final : public Operator<T> {
 public:
  Shape shape() const override { return {pattern_.num_unknowns(), pattern_.num_unknowns()}; }
  Device device() const override { return pattern_.device(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;

  Incomplete to(Device device) const;
  /// New values on the same pattern, on the same device. All structure is kept, and the memory of the factors: after an
  /// Error there are none. On a GPU ILU(0) and IC(0) are factorised there; block ILU(0) on the host, and moved.
  void update_values(Queue& queue, const Csr<T>& a);
  /// From dense blocks at the same places, for factors that were made from such.
  void update_values(Queue& queue, const Dbf<T>& a);

  const IncompleteReport& report() const { return report_; }
  const FactorPattern& pattern() const { return pattern_; }
  const NarrowArray<T>& factors() const { return factors_; }  // [lower | upper | inverse of D], see FactorView

  /// See ilu0, ic0 and block_ilu0.
  Incomplete(Queue& queue, const Csr<T>& a, bool hermitian, const IncompleteOptions& options);
  Incomplete(Queue& queue, const Dbf<T>& a, const IncompleteOptions& options);

 private:
  Incomplete() = default;
  template <class Matrix>
  void make(Queue& queue, const Matrix& a, FactorPattern pattern);
  template <class Matrix>
  void factorise(Queue& queue, const Matrix& a);
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;
  const char* name() const { return pattern_.hermitian() ? "ic0" : pattern_.block() > 1 ? "block ilu0" : "ilu0"; }

  IncompleteOptions options_;
  IncompleteReport report_;
  FactorPattern pattern_;
  NarrowArray<T> factors_;
};

/// ILU(0) (Meijerink, van der Vorst 1977), or block ILU(0) with options.block. Made where the matrix lives; structure
/// is always found on the host.
template <class T>
Incomplete<T> ilu0(Queue& queue, const Csr<T>& a, const IncompleteOptions& options = {}) {
  return Incomplete<T>(queue, a, false, options);
}

/// IC(0) of a Hermitian positive definite matrix, of which the diagonal and what is below it are read.
template <class T>
Incomplete<T> ic0(Queue& queue, const Csr<T>& a, const IncompleteOptions& options = {}) {
  return Incomplete<T>(queue, a, true, options);
}

/// Block ILU(0) straight from dense blocks, with the size that they have: nothing is stored but the factors and the
/// places of the blocks. Factorised on the host; the factors live where the matrix does.
template <class T>
Incomplete<T> block_ilu0(Queue& queue, const Dbf<T>& a, const IncompleteOptions& options = {}) {
  return Incomplete<T>(queue, a, options);
}

/// Block ILU(0) of a matrix in BSR or DBF with its blocks, of any other format with the blocks that find_blocks finds.
template <class T>
Incomplete<T> block_ilu0(Queue& queue, const SparseMatrix<T>& a, IncompleteOptions options = {});

extern template class Incomplete<float>;
extern template class Incomplete<double>;
extern template class Incomplete<std::complex<float>>;
extern template class Incomplete<std::complex<double>>;

}  // namespace millrace
