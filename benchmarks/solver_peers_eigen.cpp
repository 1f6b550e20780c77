// Eigen's conjugate gradients on the same CSR arrays.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <chrono>

#include "solver_peers.hpp"

namespace millrace::solver_peers {

namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;
using Vector = Eigen::VectorXd;

template <class Preconditioner>
Result measure(const Csr<double>& a, const Sparse& matrix, const Array<double>& b, double tolerance, int runs) {
  const Eigen::Map<const Vector> rhs(b.data(), b.size());
  Result result;
  for (int run = 0; run < runs; ++run) {
    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, Preconditioner> solver;
    solver.setTolerance(tolerance);
    solver.compute(matrix);
    const auto begin = std::chrono::steady_clock::now();
    const Vector x = solver.solve(rhs);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    result.iterations = static_cast<int>(solver.iterations());
    result.seconds.push_back(took.count() / result.iterations);
    result.relative = relative_residual(a, b, Array<double>(std::span<const double>(x.data(), x.data() + x.size())));
  }
  return result;
}

}  // namespace

Result eigen_cg(int num_threads, const Csr<double>& a, const Array<double>& b, double tolerance, bool diagonal,
                int runs) {
  const auto& row_ptr = std::get<Array<std::int32_t>>(a.row_ptr);
  Eigen::setNbThreads(num_threads);
  const Sparse matrix =
      Eigen::Map<const Sparse>(a.num_rows, a.num_cols, a.num_entries(), row_ptr.data(), a.cols.data(), a.vals.data());
  Result result = diagonal ? measure<Eigen::DiagonalPreconditioner<double>>(a, matrix, b, tolerance, runs)
                           : measure<Eigen::IdentityPreconditioner>(a, matrix, b, tolerance, runs);
  result.name = diagonal ? "eigen cg, diagonal" : "eigen cg";
  return result;
}

}  // namespace millrace::solver_peers
