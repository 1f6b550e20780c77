// A few eigenvalues of a symmetric or Hermitian operator, at the ends of its spectrum or anywhere in it, each as often
// as it repeats; and bounds of the spectrum.
#pragma once

#include <cstdint>
#include <utility>

#include "millrace/base/operator.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// Which end of the spectrum.
enum class SpectrumEnd { lowest, highest };

/// What goes into an eigensolver.
struct EigenOptions {
  SpectrumEnd end = SpectrumEnd::lowest;  // which are sought; shift_invert seeks those nearest to its shift
  double tolerance = 1e-10;               // |A v - theta v| <= tolerance times the largest |theta| seen
  int max_iterations = 10000;             // products with A
  int krylov_vectors = 0;                 // of the Krylov basis; 0: num + max(num + 10, 50)
  int block = 0;  // vectors that are multiplied at once, 1 to 8; 0: 2, on a GPU 4, or as many as start
  Precision krylov_precision = Precision::full;  // in which the basis is stored; single: residuals down to about 1e-7
  bool verify = true;                            // look for eigenvalues that were missed
  std::uint64_t seed = 1;                        // of the start vectors
  /// How many eigenvalues are below x, for instance by the inertia of A - x M (precond/direct.hpp); negative: it cannot
  /// be said. With it the count is proved, without it a run against the vectors that were found looks for others.
  std::function<std::int64_t(double x)> count_below{};
  std::function<bool(int iteration, double residual)> monitor{};  // after every cycle; false ends it
};

/// What comes out of it.
struct EigenReport {
  SolveEnd end = SolveEnd::converged;
  std::vector<double> values{};     // [num] rising; of SpectrumEnd::highest falling
  std::vector<double> residuals{};  // [num] |A v - theta v|, computed from the vectors at the end
  bool verified = false;            // nothing was missed, as far as `check` says
  std::string check{};              // how that was found out, or why not
  double norm = 0;                  // the largest |theta| seen: about |A| when the spectrum's ends are alike
  int iterations = 0;               // products with A, of the check too
  int check_iterations = 0;         // of those the check's
  int restarts = 0;
  std::string reason{};
  double seconds = 0;
  double iteration_bytes = 0;  // memory traffic of one product and all that goes with it by the model, mean over all
  bool ok() const { return end == SolveEnd::converged; }
};

/// The `num` lowest (or highest) eigenvalues; their vectors too, if `vectors` has room for them (num x n, on A's
/// device). `start`: vectors to begin with, in the user's order; the rest of the first block is random.
/// Block Lanczos with thick restarts and full re-orthogonalisation: K. Wu and H. Simon (2000), in blocks G. H. Golub
/// and R. Underwood (1977). Found pairs are locked; then a run in what is orthogonal to them looks for lower ones until
/// there are none, so eigenvalues that repeat come as often as they do.
/// Traffic of a block of b products after k vectors of the basis: A's product with b vectors, 4 k vectors of the basis,
/// 4 b vectors read and 2 b written; a restart reads the basis once and writes the part that is kept.
template <class T>
EigenReport lanczos(Queue& queue, const Operator<T>& a, int num, const EigenOptions& options = {},
                    std::type_identity_t<Vectors<T>> vectors = {}, std::type_identity_t<Vectors<const T>> start = {});

/// The `num` eigenvalues of A x = lambda M x nearest to sigma with `inverse` = (A - sigma M)^-1 (for instance
/// Direct of precond/direct.hpp, or inverse(...) of a shifted operator): block Lanczos on inverse M in the inner
/// product of M (T. Ericsson and A. Ruhe 1980). M must be positive definite; null: the identity. Vectors have length 1
/// in the norm of M. The tolerance holds for |lambda - sigma|, relatively, as far as `inverse` is exact.
template <class T>
EigenReport shift_invert(Queue& queue, const Operator<T>& a, const Operator<T>& inverse, double sigma, int num,
                         const EigenOptions& options = {}, const std::type_identity_t<Operator<T>>* mass = nullptr,
                         std::type_identity_t<Vectors<T>> vectors = {},
                         std::type_identity_t<Vectors<const T>> start = {});

/// An interval that holds the spectrum, from a few steps of Lanczos' method: the ends of the projected spectrum,
/// widened by their residuals (Y. Zhou, Y. Saad, M. Tiago, J. Chelikowsky 2006).
template <class T>
std::pair<double, double> spectral_bounds(Queue& queue, const Operator<T>& a, int steps = 30, std::uint64_t seed = 1);

}  // namespace millrace
