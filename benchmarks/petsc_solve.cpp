// Solves A x = b with PETSc, with the b of `millrace solve`, for benchmarks/real_solves.py: one try, one line of JSON.
// Everything is PETSc's default but the side of the preconditioner (right, so that the residual it watches is that of
// x).
//
// usage: benchmark_petsc_solve MATRIX gmres-ilu|gmres-ilu-shift|cg-icc TOLERANCE MAX_ITERATIONS
#include <fmt/format.h>
#include <petscksp.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "millrace/bench/load.hpp"
#include "millrace/bench/random.hpp"
#include "program.hpp"

namespace {

using namespace millrace;

// One line instead of PETSc's page; the first text is the one that says what was wrong.
std::string first_error;
PetscErrorCode keep_error(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                          const char* text, void*) {
  if (type == PETSC_ERROR_INITIAL && first_error.empty() && text) first_error = text;
  return code;
}

// All entries, and a zero wherever the diagonal has none: PETSc's factorisations ask for a place there.
PetscErrorCode build(const Csr<double>& csr, Mat* a) {
  PetscFunctionBeginUser;
  const PetscInt n = csr.num_rows;
  std::vector<PetscInt> lengths(static_cast<std::size_t>(n));
  for (Index r = 0; r < n; ++r) lengths[static_cast<std::size_t>(r)] = csr.row_length(r) + 1;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, lengths.data(), a));
  for (PetscInt r = 0; r < n; ++r) {
    const PetscScalar zero = 0;
    PetscCall(MatSetValues(*a, 1, &r, 1, &r, &zero, ADD_VALUES));
    const Offset begin = csr.row_begin(r);
    PetscCall(MatSetValues(*a, 1, &r, csr.row_length(r), csr.cols.data() + begin, csr.vals.data() + begin, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

struct Answer {
  double relative = 0, seconds = 0;
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
};

// gmres-ilu-shift: zero pivots grow instead of ending it, which is PETSc's advice for them.
PetscErrorCode solve(const Csr<double>& csr, const std::string& method, double tolerance, int max_iterations,
                     Answer& answer) {
  PetscFunctionBeginUser;
  const bool is_cg = method == "cg-icc";
  Mat a = nullptr;
  Vec x = nullptr, b = nullptr, r = nullptr;
  PetscCall(build(csr, &a));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscScalar* entries = nullptr;
  PetscCall(VecGetArray(x, &entries));
  std::ranges::copy(bench::known_solution<double>(csr.num_rows), entries);
  PetscCall(VecRestoreArray(x, &entries));
  PetscCall(MatMult(a, x, b));
  PetscCall(VecSet(x, 0));
  KSP ksp = nullptr;
  PC pc = nullptr;
  PetscLogDouble begin = 0, end = 0;
  PetscCall(PetscTime(&begin));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetType(ksp, is_cg ? KSPCG : KSPGMRES));
  if (!is_cg) PetscCall(KSPGMRESSetRestart(ksp, 30));
  if (!is_cg) PetscCall(KSPSetPCSide(ksp, PC_RIGHT));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, is_cg ? PCICC : PCILU));
  if (method == "gmres-ilu-shift") PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO));
  PetscCall(KSPSetTolerances(ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, max_iterations));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetConvergedReason(ksp, &answer.reason));
  PetscCall(KSPGetIterationNumber(ksp, &answer.iterations));
  PetscReal residual = 0, norm = 0;
  PetscCall(MatMult(a, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  answer.relative = norm > 0 ? residual / norm : residual;
  answer.seconds = end - begin;
  PetscFunctionReturn(0);  // the process ends here, and with it its memory
}

int run(int argc, char** argv) {
  require(argc == 5, "usage: benchmark_petsc_solve MATRIX gmres-ilu|gmres-ilu-shift|cg-icc TOLERANCE MAX_ITERATIONS");
  const std::string method = argv[2];
  require(method == "gmres-ilu" || method == "gmres-ilu-shift" || method == "cg-icc", "unknown method '", method,
          "'; there are: gmres-ilu gmres-ilu-shift cg-icc");
  const auto tolerance = program::number<double>("tolerance", argv[3]);
  const auto max_iterations = program::number<int>("number of iterations", argv[4]);
  const AnyCsr any = bench::load_matrix(argv[1]);
  const auto* csr = std::get_if<Csr<double>>(&any);
  require<Unsupported>(csr && std::is_same_v<PetscScalar, double>, "this PETSc has real numbers only");
  require<Unsupported>(csr->num_rows == csr->num_cols, "the matrix is not square");
  Answer answer;
  PetscPushErrorHandler(keep_error, nullptr);
  const PetscErrorCode error = solve(*csr, method, tolerance, max_iterations, answer);
  const bool solved = error == 0 && answer.reason > 0;
  const std::string reason = error != 0 ? first_error : KSPConvergedReasons[answer.reason];
  nlohmann::ordered_json json = {
      {"converged", solved},
      {"iterations", answer.iterations},
      {"seconds", answer.seconds},
      {"reason", reason.substr(0, reason.find('\n'))},
      {"version", fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR)}};
  json["relative"] = error == 0 && std::isfinite(answer.relative) ? nlohmann::ordered_json(answer.relative) : nullptr;
  fmt::print("{}\n", json.dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(nullptr, nullptr, nullptr, nullptr));
  const int code = millrace::program::guarded("benchmark_petsc_solve", [&] { return run(argc, argv); });
  PetscCall(PetscFinalize());
  return code;
}
