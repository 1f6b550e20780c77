// PETSc on the ranks of this job, for benchmark_ranks: a matrix of a type, its products, and CG with Jacobi.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "millrace/sparse/global_rows.hpp"

namespace millrace::bench {

struct PetscSolve {
  int iterations = 0;
  double relative = 0;  // |b - A x| over |b|, as PETSc computed it in the end
};

/// All members are for all ranks. Vectors are the entries of this rank.
class PetscMatrix {
 public:
  /// Types aij, sell and baij (of `block` rows). The rows are assembled one by one into memory that fits.
  PetscMatrix(const std::string& type, const GlobalRows<double>& rows, int block);
  PetscMatrix(PetscMatrix&&) noexcept;
  ~PetscMatrix();

  double setup_seconds() const;  // of the assembly, preallocation included
  void set_x(std::span<const double> x);
  void set_b(std::span<const double> b);
  void product();  // y = A x
  std::vector<double> y() const;
  /// From zero, with the norm of b - A x.
  PetscSolve cg(double tolerance, int max_iterations);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Starts PETSc, where the build has it, and ends it; MPI must be there before and after.
class PetscSession {
 public:
  PetscSession();
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;
  ~PetscSession();
};

}  // namespace millrace::bench
