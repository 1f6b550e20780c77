// hypre's BoomerAMG through PETSc on the ranks of a job, beside benchmark_multigrid: set-up and solve by CG to 1e-8 for
// a matrix of the gallery, as one line of JSON. Options of PETSc, for instance those of BoomerAMG, come from the
// environment variable PETSC_OPTIONS.
//
// usage: benchmark_multigrid_petsc SPEC RUNS
#include <fmt/format.h>
#include <petscksp.h>

#include <nlohmann/json.hpp>

#include "millrace/base/elapsed.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/sparse/gallery.hpp"
#include "program.hpp"

namespace {

using namespace millrace;

void call(PetscErrorCode code) { require(code == 0, "PETSc: error ", static_cast<int>(code)); }

/// The rows of this rank, of a matrix that every rank makes.
Mat make_matrix(const Csr<double>& csr, PetscInt first, PetscInt last) {
  std::vector<PetscInt> inside, outside;
  for (PetscInt r = first; r < last; ++r) {
    PetscInt own = 0;
    for (Offset s = csr.row_begin(r); s < csr.row_begin(r + 1); ++s)
      own += csr.cols.data()[s] >= first && csr.cols.data()[s] < last;
    inside.push_back(own), outside.push_back(csr.row_length(r) - own);
  }
  Mat a = nullptr;
  call(MatCreateAIJ(PETSC_COMM_WORLD, last - first, last - first, csr.num_rows, csr.num_rows, 0, inside.data(), 0,
                    outside.data(), &a));
  for (PetscInt r = first; r < last; ++r)
    call(MatSetValues(a, 1, &r, csr.row_length(r), csr.cols.data() + csr.row_begin(r),
                      csr.vals.data() + csr.row_begin(r), INSERT_VALUES));
  call(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  call(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return a;
}

int run(int argc, char** argv) {
  require(argc == 3, "usage: benchmark_multigrid_petsc SPEC RUNS");
  const int runs = program::number<int>("runs", argv[2]);
  call(PetscInitialize(nullptr, nullptr, nullptr, nullptr));
  int rank = 0, size = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const Csr<double> csr = gallery::make(argv[1]);
  const auto part = [&](int r) { return static_cast<PetscInt>(std::int64_t{csr.num_rows} * r / size); };
  Mat a = make_matrix(csr, part(rank), part(rank + 1));
  Vec x = nullptr, b = nullptr, left = nullptr;
  call(MatCreateVecs(a, &x, &b));
  call(VecDuplicate(b, &left));
  for (PetscInt i = part(rank); i < part(rank + 1); ++i)  // the numbers of benchmark_multigrid
    call(VecSetValue(b, i, bench::random_real(1, static_cast<std::uint64_t>(i)), INSERT_VALUES));
  call(VecAssemblyBegin(b));
  call(VecAssemblyEnd(b));
  nlohmann::ordered_json setup = nlohmann::ordered_json::array(), solve = setup;
  PetscInt iterations = 0;
  for (int i = 0; i <= runs; ++i) {  // the first is not counted
    KSP solver = nullptr;
    PC precond = nullptr;
    call(KSPCreate(PETSC_COMM_WORLD, &solver));
    call(KSPSetOperators(solver, a, a));
    call(KSPSetType(solver, KSPCG));
    call(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
    call(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
    call(KSPGetPC(solver, &precond));
    call(PCSetType(precond, PCHYPRE));
    call(PCHYPRESetType(precond, "boomeramg"));
    call(KSPSetFromOptions(solver));
    MPI_Barrier(PETSC_COMM_WORLD);
    auto begin = Clock::now();
    call(KSPSetUp(solver));
    MPI_Barrier(PETSC_COMM_WORLD);
    if (i > 0) setup.push_back(seconds_since(begin) * 1e3);
    begin = Clock::now();
    call(KSPSolve(solver, b, x));
    MPI_Barrier(PETSC_COMM_WORLD);
    if (i > 0) solve.push_back(seconds_since(begin) * 1e3);
    call(KSPGetIterationNumber(solver, &iterations));
    call(KSPDestroy(&solver));
  }
  PetscReal norm = 0, whole = 0;
  call(MatMult(a, x, left));
  call(VecAYPX(left, -1, b));
  call(VecNorm(left, NORM_2, &norm));
  call(VecNorm(b, NORM_2, &whole));
  const nlohmann::ordered_json line{{"matrix", argv[1]},        {"ranks", size},
                                    {"setup_ms", setup},        {"solve_ms", solve},
                                    {"iterations", iterations}, {"residual", norm / whole}};
  if (rank == 0) fmt::print("{}\n", line.dump());
  for (Vec* v : {&x, &b, &left}) call(VecDestroy(v));
  call(MatDestroy(&a));
  call(PetscFinalize());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_multigrid_petsc", [&] { return run(argc, argv); });
}
