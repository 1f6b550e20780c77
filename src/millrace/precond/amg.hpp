// Algebraic multigrid by aggregation: a preconditioner whose iterations hardly grow with the matrix, made from the
// matrix alone. Coarse levels are sets of strongly coupled unknowns; the smoothers are products with the matrix.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/precision.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace {

/// What damps the errors that coarse levels cannot see: polynomials in D^-1 A with D the diagonal, whose degree is the
/// number of products, or l1-Jacobi, whose D has the sums of the absolute values of the rows. Block Jacobi has dense
/// blocks in D, of the unknowns of each node: AmgOptions::block, and on coarser levels one for each near-null vector.
enum class AmgSmoother {
  chebyshev,            // of the first kind, small between largest / ratio and largest
  fourth_kind,          // needs no smallest eigenvalue
  fourth_kind_optimal,  // the same with weights that make the bound of a V cycle smallest; up to degree 6
  l1_jacobi,
  block_jacobi  // chebyshev with blocks; the same as it on levels whose nodes have one unknown
};

/// How often a level asks the next one, from AmgOptions::cycle_from on: once, twice, or by up to two steps of conjugate
/// gradients, for which the outer method must be flexible (fgmres).
enum class AmgCycle { v, w, k };

/// How a multigrid preconditioner is made.
struct AmgOptions {
  // Aggregates: |a_ij| > theta sqrt(|a_ii| / n_i |a_jj| / n_j) with n entries beside the diagonal is a strong
  // connection.
  double theta = 0.5;       // on the finest level,
  double theta_factor = 1;  // times this on each coarser one
  Index block = 1;          // unknowns of a node, one after another, which stay together
  int max_levels = 20;
  Index coarsest_rows = 400;  // the level that has no more is solved by a dense inverse
  // Prolongators: one step of Jacobi for the near-null vectors on aggregates, damped by this over the largest
  // eigenvalue of D^-1 A; 0: not smoothed, for a cheap set-up, with cycle k or an over-correction.
  double damping = 1.44;
  int filtered_levels = 99;       // of the finest, on which weak connections do not smooth prolongators
  double over_correction = 1.15;  // corrections from coarser levels, which tend to be short, are multiplied by it
  /// Vectors that A makes small, [num, rows], each one after another, such as rigid_body_modes; empty: constants, one
  /// for each unknown of a node.
  std::vector<double> near_null{};
  // The cycle.
  AmgCycle cycle = AmgCycle::w;
  /// The first level that asks the next as `cycle` says; finer ones ask once. With 1 a W cycle costs hardly more than
  /// a V cycle, and iterations stay where they are: 8 on 64^3, 128^3 and 160^3 points, not 8, 10 and 10.
  int cycle_from = 1;
  AmgSmoother smoother = AmgSmoother::chebyshev;
  int degree = 2;            // products of a smoother, before and after the coarser level
  double ratio = 6;          // for AmgSmoother::chebyshev
  int eigenvalue_steps = 8;  // of Lanczos' method for the largest eigenvalue of D^-1 A
  /// How levels are made and stored: in T, in floats, or the latter with off-diagonal entries in bfloat16.
  Precision precision = Precision::full;
  /// The format of each level, from its entries; empty: diagonals where there are few, BSR where nodes have 2 to 8
  /// unknowns and their blocks are nearly full, CSR elsewhere.
  std::function<SparseMatrix<float>(Queue&, const Csr<float>&)> format_single{};
  std::function<SparseMatrix<double>(Queue&, const Csr<double>&)> format_double{};
  bool keep_prolongators = false;  // update_values leaves them as they are
  /// The set-up finds where products of new values go, not the first update_values, which then takes no memory for that
  /// and no longer than others. Only GPUs keep these places.
  bool prepare_updates = false;
};

/// What was made of one level.
struct AmgLevelReport {
  std::int64_t rows = 0, entries = 0, bytes = 0;  // bytes of the cycle, not of what update_values needs
  std::string format{};
  double largest_eigenvalue = 0;  // the bound of D^-1 A that the smoother takes
  Index singular_blocks = 0;      // of block Jacobi, whose diagonals took their place
};

/// What was made, and how long each part took in seconds.
struct AmgReport {
  std::vector<AmgLevelReport> levels{};
  double operator_complexity = 0, grid_complexity = 0;  // entries and rows of all levels over those of the finest
  std::int64_t cycle_bytes = 0, update_bytes = 0;       // kept for cycles, and for update_values
  Index replaced_diagonals = 0;                         // zero or missing ones of the finest level
  Index null_vectors = 0;                               // pivots of the coarsest level that were zero
  bool dense_coarsest = false;                          // else coarsening ended early, and the smoother is all there is
  double strength = 0, aggregates = 0, prolongators = 0, patterns = 0, products = 0, formats = 0, eigenvalues = 0,
         coarsest = 0, total = 0;
  /// Some lines for a human.
  std::string text() const;
};

/// y = one cycle for A y = x from y = 0: a fixed linear map, symmetric where A is, but for cycle k.
/// Traffic: that of all products of a cycle.
template <class T>
class Amg final : public Operator<T> {
 public:
  /// From a square matrix where the queue works, on the host or a GPU, all of it there; nothing of it is kept. Refuses
  /// numbers that are not finite.
  Amg(Queue& queue, const Csr<T>& a, AmgOptions options = {});
  ~Amg() override;
  Amg(Amg&&) noexcept;
  Amg& operator=(Amg&&) noexcept;

  Shape shape() const override;
  Device device() const override;
  bool fuses_dot() const override;
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  const AmgOptions& options() const { return options_; }
  const AmgReport& report() const { return report_; }

  /// New values on the same pattern: aggregates, patterns and formats stay, and no memory is taken but scratch of the
  /// queue and what a format needs. On a GPU the first call also finds where every product of the coarse matrices goes,
  /// unless the set-up did (AmgOptions::prepare_updates), and keeps that if memory suffices (AmgReport::update_bytes);
  /// later ones are faster. Another pattern is refused; with trust it is not looked at.
  void update_values(Queue& queue, const Csr<T>& a, Trust trusted = {});

  /// The aggregate of every node of a level, or -1, for those who look at them.
  std::vector<Index> aggregates(int level) const;

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  struct Levels;
  AmgOptions options_;
  AmgReport report_;
  std::unique_ptr<Levels> levels_;
};

/// Rigid-body modes of nodes at these points, [num_nodes, dim] with dim 2 or 3: 3 or 6 vectors of dim unknowns a node,
/// one after another, for AmgOptions::near_null of elasticity with block = dim.
std::vector<double> rigid_body_modes(std::span<const double> points, int dim);

extern template class Amg<float>;
extern template class Amg<double>;

}  // namespace millrace
