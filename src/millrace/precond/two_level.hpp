// Two levels for a matrix of dense blocks whose unknowns are modes (polynomials of rising degree): a system of the
// lowest modes of every block corrects what couples over long distances, block ILU(0) the rest.
#pragma once

#include <optional>

#include "millrace/precond/incomplete.hpp"

namespace millrace {

/// How the lowest modes are solved for.
enum class CoarseSolver {
  gmres,      // a few steps of GMRES with block ILU(0): changes with the vector, so the outer method must be flexible
  stationary  // a few sweeps e += M (r - A e) with M its block ILU(0): the same linear map each time
};

/// What goes into TwoLevel.
struct TwoLevelOptions {
  std::vector<Index> kept{};  // rows of a block that the coarse system keeps, ascending
  CoarseSolver solver = CoarseSolver::gmres;
  int steps = 5;                 // of GMRES or of sweeps
  IncompleteOptions smoother{};  // block ILU(0) of the matrix
  IncompleteOptions coarse{};    // and of the coarse one; with an empty order it takes that of the smoother
};

/// z = P Ac^-1 R x, then z += S (x - A z): R keeps some modes of every block, P = R^T, Ac = R A P, and S is block
/// ILU(0) (P.-O. Persson and J. Peraire 2008). Traffic: A, its factors, and `steps` times Ac and its factors.
template <class T>
class TwoLevel final : public Operator<T> {
 public:
  /// A is stored as dense blocks (DBF), and must live as long as this; a temporary is refused.
  TwoLevel(Queue& queue, const SparseMatrix<T>& a, TwoLevelOptions options);
  TwoLevel(Queue& queue, const SparseMatrix<T>&& a, TwoLevelOptions options) = delete;

  Shape shape() const override { return a_->shape(); }
  Device device() const override { return a_->device(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  /// Is it the same linear map each time? Else use it with fgmres.
  bool is_constant() const { return options_.solver == CoarseSolver::stationary; }

  /// After the values of A have changed in place; structure and orders are kept.
  void update_values(Queue& queue);

  const TwoLevelOptions& options() const { return options_; }
  const Incomplete<T>& smoother() const { return *smoother_; }
  const SparseMatrix<T>& coarse_matrix() const { return *coarse_; }
  const Incomplete<T>& coarse_factors() const { return *coarse_factors_; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;
  void solve_coarse(Queue& queue, const Vectors<const T>& r, const Vectors<T>& e) const;
  const Dbf<T>& blocks() const { return std::get<Dbf<T>>(a_->format()); }

  const Dbf<T>& coarse_blocks() const { return std::get<Dbf<T>>(coarse_->format()); }

  const SparseMatrix<T>* a_;
  TwoLevelOptions options_;
  Array<T> coarse_values_;                                      // on the host: of Ac, to be written again
  std::optional<SparseMatrix<T>> restrict_, prolong_, coarse_;  // R, P and Ac
  std::optional<Incomplete<T>> smoother_, coarse_factors_;
};

/// The blocks of a DBF on the host with these of their rows and columns, ascending.
template <class T>
Dbf<T> truncated_blocks(const Dbf<T>& a, std::span<const Index> kept);

extern template class TwoLevel<float>;
extern template class TwoLevel<double>;
extern template class TwoLevel<std::complex<float>>;
extern template class TwoLevel<std::complex<double>>;

}  // namespace millrace
