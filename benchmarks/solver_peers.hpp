// The loops that benchmark_solvers measures beside ours: what one writes with cuSPARSE and cuBLAS, and Eigen's solver.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/base/operator.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::solver_peers {

/// b and the start x = 0 are on the host; seconds are those of one iteration, a sample a run.
struct Result {
  std::string name{};
  int iterations = 0;
  double relative = 0;  // |b - A x| / |b|, by the host
  std::vector<double> seconds{};
};

/// So many iterations of CG by cuSPARSE's sliced ELLPACK and cuBLAS with its scalars on the device, ten in a graph.
Result cublas_cg(Queue& queue, const Csr<double>& a, const Array<double>& b, int iterations, int runs);

/// So many cycles of GMRES(restart) with Gram-Schmidt done twice and block Jacobi, a whole cycle in a graph.
/// inverses: [num_blocks, block, block] on the host, column by column.
Result cublas_gmres(Queue& queue, const Csr<double>& a, const Array<double>& b, const Array<double>& inverses,
                    int block, int restart, int cycles, int runs);

/// Eigen's ConjugateGradient on its own OpenMP threads, to that tolerance; with its diagonal preconditioner or without.
Result eigen_cg(int num_threads, const Csr<double>& a, const Array<double>& b, double tolerance, bool diagonal,
                int runs);

/// |b - A x| / |b| on the host.
double relative_residual(const Csr<double>& a, const Array<double>& b, const Array<double>& x);

}  // namespace millrace::solver_peers
