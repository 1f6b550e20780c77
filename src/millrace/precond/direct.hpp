// A sparse direct solver as an operator: the inverse of A by a factorisation on the host, through the packages of
// SuiteSparse (T. A. Davis and others) that this build found.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// A package that factorises, and the terms it comes with: a program that contains it is bound by them.
struct DirectPackage {
  std::string name, version;  // version: empty when it is not in this build
  std::string licence;        // as SPDX names it
  std::string use;            // a clause
  bool built() const { return !version.empty(); }
};
/// All that there can be: CHOLMOD, UMFPACK, KLU.
const std::vector<DirectPackage>& direct_packages();
/// Is any of them in this build?
bool can_factorise();

/// How a matrix is factorised.
enum class Factorisation {
  automatic,  // Cholesky if that succeeds, else LU; LDL^T only where there is nothing else
  cholesky,   // L L^H by CHOLMOD, of a Hermitian positive definite matrix
  ldl,        // L D L^H by CHOLMOD, of a Hermitian matrix, without pivoting: it can fail or be inexact, see growth
  lu,         // by UMFPACK, with pivoting, of any matrix
  klu,        // LU by KLU, of block triangular or very sparse matrices such as circuits
};
/// "cholesky", "ldl", ...
std::string_view to_string(Factorisation kind);

/// How a direct solver is made.
struct DirectOptions {
  Factorisation kind = Factorisation::automatic;
  double max_bytes = 0;     // for the factors, as the analysis expects them; 0: half of the machine's memory
  bool equilibrate = true;  // rows and columns of badly scaled matrices, see precond/equilibrate.hpp
  /// This share of the largest entry is added to the diagonal (of the equilibrated matrix), so that singular matrices
  /// have an inverse to refine with: solve_direct does the rest.
  double shift = 0;
};

/// What was made.
struct DirectReport {
  Factorisation kind = Factorisation::automatic;
  std::string package{};       // "UMFPACK 5.7.9"
  std::string scaling{};       // what equilibration did, or empty
  double estimated_bytes = 0;  // of the factors, by the analysis; for LU an upper bound
  double factor_bytes = 0;     // what they take
  Offset factor_entries = 0;
  /// Reciprocal of the condition number in the 1-norm of the (equilibrated) matrix. N. J. Higham (1988): an estimate
  /// that is rarely more than 3 times too large. 0: a pivot is zero.
  double rcond = 0;
  /// The norm of |L| |D| |L^H| over that of A, for LDL: the factors are exact for a matrix that differs from A by about
  /// growth times 1e-16 times |A|. 1 for Cholesky; 0: not known.
  double growth = 0;
  /// Eigenvalues of A below zero (J. J. Sylvester's law of inertia), by Cholesky and LDL. Right if no eigenvalue is
  /// closer to zero than growth times 1e-16 times |A|; none where growth is beyond 1e8.
  std::optional<Index> num_negative{};
  double shift = 0;  // as asked for: rcond, growth and num_negative are of the shifted matrix
  bool singular() const { return rcond == 0; }
  /// Below this rcond no digit of a solution is safe: singular to working precision.
  static constexpr double min_rcond = 1e-15;
  std::string text() const;  // one sentence for a human
};

/// What a factorisation is expected to cost.
struct DirectForecast {
  double factor_entries = 0, factor_bytes = 0, flops = 0;
};
/// Of a matrix with sorted rows. With the pivots on the diagonal and an approximate minimum degree order of A + A^T
/// (P. R. Amestoy, T. A. Davis and I. S. Duff 1996), or UMFPACK's bound for a matrix that is not Hermitian where that
/// is less; nothing where this build has no SuiteSparse AMD. Host only, square.
template <class T>
std::optional<DirectForecast> forecast_direct(const Csr<T>& a, bool hermitian);

/// y = A^-1 x, or transposed. Numbers are double or complex double inside; float is promoted. For a matrix on a GPU the
/// host factorises and solves, and vectors travel; inside a CUDA graph that cannot be. Applications from several
/// threads wait for each other. Traffic: the factors, x and y once.
/// A matrix that is too large for max_bytes, and one that no package of this build can take, is an Error. A zero pivot
/// is not: it is in the report, and only applying the inverse is an Error.
template <class T>
class Direct final : public Operator<T> {
 public:
  /// Factorised on the host, wherever the matrix lives.
  Direct(Queue& queue, const Csr<T>& a, const DirectOptions& options = {});
  ~Direct() override;
  Direct(Direct&&) noexcept;
  Direct& operator=(Direct&&) noexcept;

  Shape shape() const override { return {num_rows_, num_rows_}; }
  Device device() const override { return device_; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override { return true; }

  const DirectReport& report() const { return report_; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  struct Inside;  // factors, scaling, and a lock
  Index num_rows_ = 0;
  Offset num_entries_ = 0;
  Device device_{};
  DirectReport report_;
  std::unique_ptr<Inside> inside_;
};

extern template class Direct<float>;
extern template class Direct<double>;
extern template class Direct<std::complex<float>>;
extern template class Direct<std::complex<double>>;

}  // namespace millrace
