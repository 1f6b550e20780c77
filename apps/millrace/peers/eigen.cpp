// Eigen as a peer: its row-major sparse product on the same CSR arrays, with its own OpenMP threads.
#include <Eigen/SparseCore>

#include "millrace/bench/contender.hpp"

namespace millrace::bench {

namespace {

template <class T>
void multiply(const Problem<T>& problem, const Array<std::int32_t>& row_ptr) {
  using Sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>;
  const Csr<T>& a = problem.a;
  const Eigen::Map<const Sparse> matrix(a.num_rows, a.num_cols, a.num_entries(), row_ptr.data(), a.cols.data(),
                                        a.vals.data());
  Eigen::setNbThreads(problem.queue.num_threads());
  if (problem.x.num == 1) {
    using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    Eigen::Map<Vector>(problem.y.data, a.num_rows).noalias() =
        matrix * Eigen::Map<const Vector>(problem.x.data, a.num_cols);
  } else {
    using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
    Eigen::Map<Dense>(problem.y.data, a.num_rows, problem.y.num).noalias() =
        matrix * Eigen::Map<const Dense>(problem.x.data, a.num_cols, problem.x.num);
  }
}

}  // namespace

template <class T>
Makers<T> eigen_peers(const Problem<T>& problem) {
  return {{"eigen", [problem] {
             const auto* row_ptr = std::get_if<Array<std::int32_t>>(&problem.a.row_ptr);
             require<Unsupported>(row_ptr,
                                  "Eigen's map of a CSR matrix needs offsets and columns of one width, and this matrix "
                                  "has more than 2^31 entries");
             const Footprint footprint = problem.a.footprint();
             Contender<T> contender;
             contender.facts = {
                 .name = "eigen",
                 .format = "csr",
                 .own = false,
                 .note = join("Eigen ", EIGEN_WORLD_VERSION, '.', EIGEN_MAJOR_VERSION, '.', EIGEN_MINOR_VERSION),
                 .format_bytes = footprint.bytes,
                 .moved_bytes = footprint.moved_bytes};
             contender.run = [problem, row_ptr] { multiply(problem, *row_ptr); };
             return contender;
           }}};
}

template Makers<float> eigen_peers(const Problem<float>&);
template Makers<double> eigen_peers(const Problem<double>&);
template Makers<std::complex<float>> eigen_peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> eigen_peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
