// The calls of hypre: one matrix and two vectors on one rank, one solver.
#include "millrace/precond/boomer_amg.hpp"

#include <mutex>
#include <vector>

#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/jacobi.hpp"

#if MILLRACE_WITH_HYPRE
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#endif

namespace millrace {

namespace build {
const bool hypre = MILLRACE_WITH_HYPRE != 0;
}

#if MILLRACE_WITH_HYPRE

namespace {

void check(HYPRE_Int code, const char* call) {
  if (code == 0) return;
  char text[256] = "";
  HYPRE_DescribeError(code, text);
  HYPRE_ClearAllErrors();
  throw Error(join("boomeramg: ", call, ": ", std::string_view(text)));
}

void start_hypre() {
  int running = 0, ended = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  require(running && !ended, "boomeramg: hypre needs MPI to be running; keep an MpiSession alive");
  static const HYPRE_Int started = HYPRE_Init();
  check(started, "HYPRE_Init");
}

}  // namespace

struct BoomerAmg::Hypre {
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJVector x = nullptr, y = nullptr;
  HYPRE_Solver solver = nullptr;
  std::vector<HYPRE_BigInt> rows;  // 0, 1, 2, ...
  std::mutex lock;                 // the solver has vectors of its own

  Hypre() = default;
  Hypre(const Hypre&) = delete;
  Hypre& operator=(const Hypre&) = delete;
  ~Hypre() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended) return;
    if (solver) HYPRE_BoomerAMGDestroy(solver);
    if (x) HYPRE_IJVectorDestroy(x);
    if (y) HYPRE_IJVectorDestroy(y);
    if (matrix) HYPRE_IJMatrixDestroy(matrix);
  }

  void make_matrix(const Csr<double>& a) {
    const HYPRE_BigInt last = a.num_rows - 1;
    rows.resize(static_cast<std::size_t>(a.num_rows));
    std::vector<HYPRE_Int> lengths(rows.size());
    for (Index r = 0; r < a.num_rows; ++r) {
      rows[static_cast<std::size_t>(r)] = r;
      lengths[static_cast<std::size_t>(r)] = a.row_length(r);
    }
    check(HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, last, 0, last, &matrix), "HYPRE_IJMatrixCreate");
    check(HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR), "HYPRE_IJMatrixSetObjectType");
    check(HYPRE_IJMatrixSetRowSizes(matrix, lengths.data()), "HYPRE_IJMatrixSetRowSizes");
    check(HYPRE_IJMatrixInitialize(matrix), "HYPRE_IJMatrixInitialize");
    const std::vector<HYPRE_BigInt> cols(a.cols.data(), a.cols.data() + a.cols.size());
    check(HYPRE_IJMatrixAddToValues(matrix, static_cast<HYPRE_Int>(a.num_rows), lengths.data(), rows.data(),
                                    cols.data(), a.vals.data()),
          "HYPRE_IJMatrixAddToValues");
    check(HYPRE_IJMatrixAssemble(matrix), "HYPRE_IJMatrixAssemble");
    for (HYPRE_IJVector* vector : {&x, &y}) {
      check(HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, last, vector), "HYPRE_IJVectorCreate");
      check(HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR), "HYPRE_IJVectorSetObjectType");
      check(HYPRE_IJVectorInitialize(*vector), "HYPRE_IJVectorInitialize");
      const std::vector<double> zeros(rows.size(), 0.0);
      set(*vector, zeros.data());
    }
  }

  void make_solver(const BoomerAmgOptions& options) {
    check(HYPRE_BoomerAMGCreate(&solver), "HYPRE_BoomerAMGCreate");
    HYPRE_BoomerAMGSetPrintLevel(solver, 0);
    HYPRE_BoomerAMGSetTol(solver, 0.0);
    HYPRE_BoomerAMGSetMaxIter(solver, options.num_cycles);
    HYPRE_BoomerAMGSetStrongThreshold(solver, options.strong_threshold);
    HYPRE_BoomerAMGSetNumSweeps(solver, options.num_sweeps);
    if (options.symmetric) HYPRE_BoomerAMGSetRelaxType(solver, 8);  // l1-scaled hybrid symmetric Gauss-Seidel
    check(HYPRE_BoomerAMGSetup(solver, operator_of(matrix), vector_of(x), vector_of(y)), "HYPRE_BoomerAMGSetup");
  }

  HYPRE_Int count() const { return static_cast<HYPRE_Int>(rows.size()); }
  void set(HYPRE_IJVector vector, const double* values) {
    check(HYPRE_IJVectorSetValues(vector, count(), rows.data(), values), "HYPRE_IJVectorSetValues");
    check(HYPRE_IJVectorAssemble(vector), "HYPRE_IJVectorAssemble");
  }
  static HYPRE_ParCSRMatrix operator_of(HYPRE_IJMatrix from) {
    void* object = nullptr;
    check(HYPRE_IJMatrixGetObject(from, &object), "HYPRE_IJMatrixGetObject");
    return static_cast<HYPRE_ParCSRMatrix>(object);
  }
  static HYPRE_ParVector vector_of(HYPRE_IJVector from) {
    void* object = nullptr;
    check(HYPRE_IJVectorGetObject(from, &object), "HYPRE_IJVectorGetObject");
    return static_cast<HYPRE_ParVector>(object);
  }
};

BoomerAmg::BoomerAmg(Queue& queue, const Csr<double>& a, const BoomerAmgOptions& options) : options_(options) {
  const ThreadLimit limit(queue);
  require(options.strong_threshold >= 0 && options.strong_threshold <= 1 && options.num_sweeps > 0 &&
              options.num_cycles > 0,
          "boomeramg: strong_threshold lies in 0 to 1, num_sweeps and num_cycles are positive; they are ",
          options.strong_threshold, ", ", options.num_sweeps, " and ", options.num_cycles);
  num_rows_ = a.num_rows;
  update_values(queue, a);
}

void BoomerAmg::update_values(Queue& queue, const Csr<double>& a) {
  const ThreadLimit limit(queue);
  require_square_here("boomeramg", queue, a);
  require<Unsupported>(a.device().on_host(), "boomeramg: the matrix lives on ", to_string(a.device()),
                       "; hypre works on the host here");
  require(a.num_rows == num_rows_, "boomeramg: update_values needs a matrix of ", num_rows_, " rows; this one has ",
          a.num_rows);
  start_hypre();
  auto made = std::make_unique<Hypre>();
  if (a.num_rows > 0) {
    made->make_matrix(a);
    made->make_solver(options_);
  }
  num_entries_ = a.num_entries();
  hypre_ = std::move(made);
}

void BoomerAmg::do_apply(Queue& queue, const ApplyRequest<double>& r) const {
  if (num_rows_ == 0) return;
  const auto result = queue.scratch<double>(num_rows_);
  const std::lock_guard guard(hypre_->lock);
  for (int v = 0; v < r.y.num; ++v) {
    hypre_->set(hypre_->x, r.x.data + v * r.x.stride);
    std::fill(result.data(), result.data() + num_rows_, 0.0);
    hypre_->set(hypre_->y, result.data());
    HYPRE_BoomerAMGSolve(hypre_->solver, Hypre::operator_of(hypre_->matrix), Hypre::vector_of(hypre_->x),
                         Hypre::vector_of(hypre_->y));
    HYPRE_ClearAllErrors();  // "not converged" is what a fixed number of cycles ends with
    check(HYPRE_IJVectorGetValues(hypre_->y, hypre_->count(), hypre_->rows.data(), result.data()),
          "HYPRE_IJVectorGetValues");
    double* to = r.y.data + v * r.y.stride;
    for (std::int64_t i = 0; i < num_rows_; ++i) update(to[i], r.alpha, result.data()[i], r.beta);
  }
}

#else

struct BoomerAmg::Hypre {};

BoomerAmg::BoomerAmg(Queue&, const Csr<double>&, const BoomerAmgOptions&) {
  throw Unsupported("boomeramg: this build has no hypre (Debian: libhypre-dev, with MPI)");
}
void BoomerAmg::update_values(Queue&, const Csr<double>&) {}
void BoomerAmg::do_apply(Queue&, const ApplyRequest<double>&) const {}

#endif

BoomerAmg::~BoomerAmg() = default;
BoomerAmg::BoomerAmg(BoomerAmg&&) noexcept = default;
BoomerAmg& BoomerAmg::operator=(BoomerAmg&&) noexcept = default;

Traffic BoomerAmg::traffic(int num_vectors, bool reads_y) const {
  const double passes = options_.num_cycles * (2.0 * options_.num_sweeps + 1);
  Traffic traffic;
  traffic.matrix = passes * (static_cast<double>(num_entries_) * 12 + static_cast<double>(num_rows_ + 1) * 4);
  traffic.vectors = static_cast<double>(num_rows_) * 8 * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = static_cast<double>(num_entries_) * 8 + traffic.vectors;
  return traffic;
}

}  // namespace millrace
