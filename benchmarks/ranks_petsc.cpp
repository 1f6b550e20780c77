// Rows into PETSc, and its products and solver out of it.
#include "ranks_petsc.hpp"

#include <petscksp.h>

#include <algorithm>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::bench {
namespace {

void call(PetscErrorCode code) { require(code == 0, "PETSc: error ", static_cast<int>(code)); }

}  // namespace

struct PetscMatrix::State {
  Mat a = nullptr;
  Vec x = nullptr, y = nullptr, b = nullptr;
  KSP solver = nullptr;
  double seconds = 0;

  ~State() {
    KSPDestroy(&solver);
    for (Vec* v : {&x, &y, &b}) VecDestroy(v);
    MatDestroy(&a);
  }
};

PetscMatrix::PetscMatrix(const std::string& type, const GlobalRows<double>& rows, int block)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  const auto begin = Clock::now();
  const auto num = static_cast<PetscInt>(rows.num_rows()), size = static_cast<PetscInt>(block);
  call(MatCreate(PETSC_COMM_WORLD, &s.a));
  call(MatSetSizes(s.a, num, num, PETSC_DETERMINE, PETSC_DETERMINE));
  call(MatSetBlockSize(s.a, size));
  call(MatSetType(s.a, type.c_str()));
  std::vector<PetscInt> inside, outside, cols;
  for (PetscInt r = 0; r < num; r += size) {
    cols.clear();
    for (Offset k = rows.row_ptr.data()[r]; k < rows.row_ptr.data()[std::min(num, r + size)]; ++k)
      cols.push_back(static_cast<PetscInt>(rows.cols.data()[k]) / size);
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    const auto own = std::count_if(cols.begin(), cols.end(),
                                   [&](PetscInt c) { return c * size >= rows.first && c * size < rows.end(); });
    inside.push_back(static_cast<PetscInt>(own));
    outside.push_back(static_cast<PetscInt>(std::ssize(cols) - own));
  }
  call(MatXAIJSetPreallocation(s.a, size, inside.data(), outside.data(), nullptr, nullptr));
  if (type == "sell") {
    call(MatSeqSELLSetPreallocation(s.a, 0, inside.data()));
    call(MatMPISELLSetPreallocation(s.a, 0, inside.data(), 0, outside.data()));
  }
  for (PetscInt r = 0; r < num; ++r) {
    const Offset first = rows.row_ptr.data()[r], last = rows.row_ptr.data()[r + 1];
    cols.assign(rows.cols.data() + first, rows.cols.data() + last);
    const auto row = static_cast<PetscInt>(rows.first + r);
    call(MatSetValues(s.a, 1, &row, static_cast<PetscInt>(last - first), cols.data(), rows.vals.data() + first,
                      INSERT_VALUES));
  }
  call(MatAssemblyBegin(s.a, MAT_FINAL_ASSEMBLY));
  call(MatAssemblyEnd(s.a, MAT_FINAL_ASSEMBLY));
  s.seconds = seconds_since(begin);
  call(MatCreateVecs(s.a, &s.x, &s.y));
  call(VecDuplicate(s.y, &s.b));
  call(KSPCreate(PETSC_COMM_WORLD, &s.solver));
  call(KSPSetOperators(s.solver, s.a, s.a));
  call(KSPSetType(s.solver, KSPCG));
  call(KSPSetNormType(s.solver, KSP_NORM_UNPRECONDITIONED));
  PC precond = nullptr;
  call(KSPGetPC(s.solver, &precond));
  call(PCSetType(precond, PCJACOBI));
}
PetscMatrix::PetscMatrix(PetscMatrix&&) noexcept = default;
PetscMatrix::~PetscMatrix() = default;

double PetscMatrix::setup_seconds() const { return state_->seconds; }

namespace {

void set(Vec v, std::span<const double> values) {
  PetscScalar* entries = nullptr;
  call(VecGetArrayWrite(v, &entries));
  std::copy(values.begin(), values.end(), entries);
  call(VecRestoreArrayWrite(v, &entries));
}

}  // namespace

void PetscMatrix::set_x(std::span<const double> x) { set(state_->x, x); }
void PetscMatrix::set_b(std::span<const double> b) { set(state_->b, b); }
void PetscMatrix::product() { call(MatMult(state_->a, state_->x, state_->y)); }

std::vector<double> PetscMatrix::y() const {
  const PetscScalar* entries = nullptr;
  PetscInt size = 0;
  call(VecGetLocalSize(state_->y, &size));
  call(VecGetArrayRead(state_->y, &entries));
  std::vector<double> values(entries, entries + size);
  call(VecRestoreArrayRead(state_->y, &entries));
  return values;
}

PetscSolve PetscMatrix::cg(double tolerance, int max_iterations) {
  State& s = *state_;
  call(KSPSetTolerances(s.solver, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, max_iterations));
  call(KSPSolve(s.solver, s.b, s.y));
  PetscInt iterations = 0;
  PetscReal residual = 0, size = 0;
  call(KSPGetIterationNumber(s.solver, &iterations));
  call(KSPGetResidualNorm(s.solver, &residual));
  call(VecNorm(s.b, NORM_2, &size));
  return {static_cast<int>(iterations), residual / size};
}

PetscSession::PetscSession() { call(PetscInitialize(nullptr, nullptr, nullptr, nullptr)); }
PetscSession::~PetscSession() { PetscFinalize(); }

}  // namespace millrace::bench
