// The lowest few eigenvalues of a symmetric or Hermitian operator, and bounds of its spectrum.
#pragma once

#include <cstdint>
#include <utility>

#include "millrace/base/operator.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// What goes into an eigensolver.
struct EigenOptions {
  double tolerance = 1e-10;                      // |A v - theta v| <= tolerance times the largest |theta| seen
  int max_iterations = 10000;                    // products with A
  int krylov_vectors = 0;                        // of the Krylov basis; 0: max(2 num + 10, 30)
  Precision krylov_precision = Precision::full;  // in which it is stored; single: residuals down to about 1e-7
  bool graph = true;                             // on a GPU: cycles are captured in a CUDA graph
  std::uint64_t seed = 1;                        // of the start vector
  std::function<bool(int iteration, double residual)> monitor{};  // after every cycle; false ends it
};

/// What comes out of it.
struct EigenReport {
  SolveEnd end = SolveEnd::converged;
  std::vector<double> values{};     // [num] rising
  std::vector<double> residuals{};  // [num] |A v - theta v|, computed from the vectors at the end
  double norm = 0;                  // the largest |theta| seen: about |A| when the spectrum's ends are alike
  int iterations = 0;               // products with A
  int restarts = 0;
  std::string reason{};
  double seconds = 0;
  double iteration_bytes = 0;  // memory traffic of one iteration by the model, mean over a cycle
  bool ok() const { return end == SolveEnd::converged; }
};

/// The `num` lowest eigenvalues; their vectors too, if `vectors` has room for them (num x n, on A's device).
/// Thick-restart Lanczos: K. Wu and H. Simon (2000), with full re-orthogonalisation in one reduction per step (as
/// gmres). Eigenvalues that repeat are found as often as rounding lets them in, at least once.
/// Traffic of iteration k of a cycle: A's product, 2 k vectors of the basis, 4 vectors read and 2 written; a restart
/// reads the basis once and writes the part that is kept.
template <class T>
EigenReport lanczos(Queue& queue, const Operator<T>& a, int num, const EigenOptions& options = {},
                    std::type_identity_t<Vectors<T>> vectors = {});

/// An interval that holds the spectrum, from a few steps of Lanczos' method: the ends of the projected spectrum,
/// widened by their residuals (Y. Zhou, Y. Saad, M. Tiago, J. Chelikowsky 2006).
template <class T>
std::pair<double, double> spectral_bounds(Queue& queue, const Operator<T>& a, int steps = 30, std::uint64_t seed = 1);

}  // namespace millrace
