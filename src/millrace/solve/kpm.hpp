// The kernel polynomial method: the density of eigenvalues of a symmetric or Hermitian operator, without any of them.
#pragma once

#include <cstdint>

#include "millrace/base/operator.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// What goes into the kernel polynomial method.
struct KpmOptions {
  int num_moments = 512;     // Chebyshev moments; the resolution is about pi (high - low) / (2 num_moments)
  int random_vectors = 8;    // of the stochastic trace; its error falls as 1 / sqrt(random_vectors n)
  int block = 4;             // vectors that one product serves
  int num_points = 0;        // of the density; 0: twice num_moments
  double low = 0, high = 0;  // an interval that holds the spectrum; equal: found by a few steps of Lanczos' method
  bool graph = true;         // on a GPU: batches of products are captured in a CUDA graph
  std::uint64_t seed = 1;
};

/// What comes out of it.
struct KpmReport {
  SolveEnd end = SolveEnd::converged;  // or not_a_number, or breakdown: the interval does not hold the spectrum
  double low = 0, high = 0;            // the interval in which the polynomials are orthogonal
  std::vector<double> moments{};       // [num_moments] trace of T_k of the scaled operator over n; moments[0] = 1
  std::vector<double> energies{};      // [num_points] rising
  std::vector<double> density{};       // [num_points] of eigenvalues, whose integral is 1
  int iterations = 0;                  // products with A, one vector each
  std::string reason{};
  double seconds = 0;
  double iteration_bytes = 0;  // of one product with a block, by the model
  bool ok() const { return end == SolveEnd::converged; }
};

/// A. Weisse, G. Wellein, A. Alvermann, H. Fehske (2006); several vectors per product: M. Kreutzer et al. (2015).
/// Every product gives two moments: mu_2k = 2 <v_k, v_k> - mu_0 and mu_2k+1 = 2 <v_k+1, v_k> - mu_1, with v_k = T_k
/// v_0. Traffic of an iteration: A's product with a block, which reads y too, and 3 vectors per vector of the block:
/// the shift of the interval and both dot products in one sweep.
template <class T>
KpmReport kpm(Queue& queue, const Operator<T>& a, const KpmOptions& options = {});

/// The density at the Chebyshev points of the interval from moments, damped by the kernel of D. Jackson (1912).
/// Returns density times (high - low) / 2 at cos(pi (k + 1/2) / num_points), k = 0..num_points - 1.
std::vector<double> jackson_density(const std::vector<double>& moments, int num_points);

}  // namespace millrace
