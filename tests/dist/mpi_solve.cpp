// Systems on ranks against the same systems on one: facts, scaling, residuals and solutions. Part of the program
// test_mpi.
#include <cstring>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/dist/facts.hpp"
#include "millrace/dist/solve.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

using Complex64 = std::complex<double>;

struct Case {
  std::string name;
  Csr<double> a;
};

// Every row and column by a power of ten of its own, so that norms differ much.
Csr<double> badly_scaled(Csr<double> a, bool symmetric) {
  const auto factor = [](Index i, int step) { return std::pow(10.0, (i * step) % 9 - 4); };
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      a.vals.data()[k] *= factor(r, 5) * factor(a.cols.data()[k], symmetric ? 5 : 7);
  return a;
}

// An empty row and column in the middle, and entries that fall off on one side.
Csr<double> unsymmetric(Index n) {
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols;
  std::vector<double> vals;
  for (Index r = 0; r < n; ++r) {
    for (const Index c : {r - 3, r, r + 1, (r * 7 + 11) % n})
      if (c >= 0 && c < n && r != n / 2 && c != n / 2) {
        cols.push_back(c);
        vals.push_back(c == r ? 4 + r % 3 : -1.0 / (1 + (r + c) % 5));
      }
    row_ptr.push_back(std::ssize(cols));
  }
  return sort_rows(Csr<double>(n, n, Array<Offset>(std::span<const Offset>(row_ptr)),
                               Array<Index>(std::span<const Index>(cols)),
                               Array<double>(std::span<const double>(vals))));
}

std::vector<Case> cases() {
  std::vector<Case> list;
  list.push_back({"symmetric", gallery::make("laplace2d5:n=20")});
  list.push_back({"badly scaled, symmetric", badly_scaled(gallery::make("laplace2d5:n=15"), true)});
  list.push_back({"badly scaled", badly_scaled(gallery::make("laplace2d5:n=15"), false)});
  list.push_back({"unsymmetric, an empty row", unsymmetric(101)});
  list.push_back({"one row", gallery::make("laplace2d5:n=1")});
  return list;
}

template <class T>
GlobalRows<T> own_rows(const Csr<T>& a, std::int64_t multiple = 1) {
  const Comm world = Comm::world();
  const Partition parts = by_rows(a.num_rows, world.size(), multiple);
  return rows_of(a, parts.begin(world.rank()), parts.end(world.rank()));
}

TEST(MpiSolve, FactsAreThoseOfOneRank) {
  const Comm world = Comm::world();
  for (const auto& [name, a] : cases()) {
    SCOPED_TRACE(name);
    const SystemFacts serial = system_facts(a, compute_stats(a));
    const SystemFacts found = system_facts(world, with_halo(world, own_rows(a)));
    EXPECT_EQ(found.text(), serial.text());
    EXPECT_EQ(found.hermitian, serial.hermitian);
    EXPECT_NEAR(found.asymmetry, serial.asymmetry, 1e-12);
    EXPECT_EQ(found.zero_diagonal, serial.zero_diagonal);
    EXPECT_EQ(found.dominant_rows, serial.dominant_rows);
    EXPECT_EQ(found.strict_rows, serial.strict_rows);
    EXPECT_EQ(found.spread, serial.spread);
    EXPECT_EQ(found.stats.num_entries, serial.stats.num_entries);
    EXPECT_EQ(found.stats.empty_rows, serial.stats.empty_rows);
    EXPECT_EQ(found.stats.empty_cols, serial.stats.empty_cols);
    EXPECT_NEAR(found.stats.pattern_symmetry, serial.stats.pattern_symmetry, 1e-9);
  }
}

TEST(MpiSolve, HermitianMatricesAreFound) {
  const Comm world = Comm::world();
  Csr<Complex64> a = convert_values<Complex64>(gallery::make("laplace2d5:n=12"));
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      if (const Index c = a.cols.data()[k]; c != r) a.vals.data()[k] = {-1, c > r ? 0.5 : -0.5};
  SymmetryOverRanks found = find_symmetry(world, with_halo(world, own_rows(a)));
  EXPECT_TRUE(found.hermitian);
  EXPECT_FALSE(found.numerical);
  EXPECT_EQ(found.asymmetry, 0);
  a.vals.data()[1] += Complex64(0, 1e-3);  // one entry, whose partner another rank may have
  found = find_symmetry(world, with_halo(world, own_rows(a)));
  EXPECT_FALSE(found.hermitian);
  EXPECT_NEAR(found.asymmetry, asymmetry(a), 1e-15);
}

TEST(MpiSolve, ScalingIsThatOfOneRank) {
  const Comm world = Comm::world();
  for (const auto& [name, a] : cases())
    for (const bool symmetric : {false, true}) {
      SCOPED_TRACE(name);
      if (symmetric && asymmetry(a) > max_asymmetry) continue;
      const HaloRows<double> here = with_halo(world, own_rows(a));
      HaloColumns columns(world, here.plan);
      const Scaling serial = equilibrate(a, symmetric),
                    found = equilibrate(here.rows, symmetric, other_ranks(world, columns));
      EXPECT_EQ(found.needed(), serial.needed());
      if (!found.needed() || !serial.needed()) continue;
      const std::int64_t first = here.parts.begin(world.rank());
      for (Index r = 0; r < here.rows.num_rows; ++r) {
        EXPECT_EQ(found.rows[to_size(r)], serial.rows[to_size(first + r)]);
        EXPECT_EQ(found.cols[to_size(r)], serial.cols[to_size(first + r)]);
      }
      for (std::size_t g = 0; g < here.plan.ghosts.size(); ++g)
        EXPECT_EQ(found.cols[to_size(here.rows.num_rows) + g], serial.cols[to_size(here.plan.ghosts[g])]);
    }
}

template <class T>
struct Solved {
  std::vector<T> x;  // of this rank
  AutoReport report;
};

template <class T>
Solved<T> solved(const Comm& comm, const Csr<T>& a, const std::vector<T>& b, const AutoOptions& options,
                 const DistributedOptions& how = {}) {
  const Partition parts =
      by_rows(a.num_rows, comm.size(), how.reproducible ? Comm::reproducible_rows : std::int64_t{1});
  const std::int64_t first = parts.begin(comm.rank()), rows = parts.size(comm.rank());
  Solved<T> done{std::vector<T>(to_size(rows)), {}};
  Queue queue(Device::host(), 1);
  done.report = solve<T>(queue, comm, rows_of(a, first, first + rows),
                         Vectors<const T>(Device::host(), b.data() + first, rows, 1), done.x, options, how);
  return done;
}

TEST(MpiSolve, SolvesWhatOneRankSolves) {
  const Comm world = Comm::world();
  for (const auto& [name, a] : cases()) {
    if (name.find("empty") != name.npos) continue;  // singular
    for (const bool mixed : {false, true}) {
      SCOPED_TRACE(name + (mixed ? ", mixed" : ""));
      const std::vector<double> wanted = random_vector<double>(a.num_rows, 3);
      std::vector<double> b(wanted.size());
      Queue queue(Device::host(), 1);
      SparseMatrix<double>(a.clone()).apply(queue, {.x = wanted, .y = b});
      const auto [x, report] = solved(world, a, b, {.tolerance = 1e-10, .mixed = mixed});
      EXPECT_TRUE(report.ok()) << report.text();
      EXPECT_LT(report.relative, 1e-10);
      EXPECT_LT(report.backward.norm, 1e-8);
      SolveReport measured;
      std::vector<double> all = world.gather(std::span<const double>(x));
      ASSERT_EQ(all.size(), b.size());
      std::vector<double> r = b;
      SparseMatrix<double>(a.clone()).apply(queue, {.alpha = -1, .x = all, .beta = 1, .y = r});
      double residual = 0, size = 0;
      for (std::size_t i = 0; i < r.size(); ++i) {
        residual = std::hypot(residual, r[i]);
        size = std::hypot(size, b[i]);
      }
      EXPECT_NEAR(residual / size, report.relative, 1e-12);
    }
  }
}

// Each rank has multigrid of its own block: iterations grow with the ranks, but far less than those of Jacobi.
template <class T>
void expect_solved_by_multigrid(double tolerance) {
  const Comm world = Comm::world();
  const Csr<T> a = convert_values<T>(gallery::make("laplace3d7:n=16"));
  const std::vector<T> b = random_vector<T>(a.num_rows, 3);
  for (const char* method : {"cg", "fgmres", "gmres", "bicgstab"}) {
    SCOPED_TRACE(method);
    const AutoReport report = solved(world, a, b, {.method = method, .precond = "amg", .tolerance = tolerance}).report;
    EXPECT_TRUE(report.ok()) << report.text();
    EXPECT_LE(report.iterations, world.size() == 1 ? 12 : 40);
    const SolveAttempt& best = report.best();
    ASSERT_TRUE(best.multigrid);
    EXPECT_GE(best.multigrid->levels.size(), world.size() > 8 ? 1U : 2U);
    EXPECT_EQ(best.note.find("on each rank alone, without what couples ranks; of rank 0: ") == 0, world.size() > 1)
        << best.note;
    const AutoReport plain =
        solved(world, a, b, {.method = method, .precond = "jacobi", .tolerance = tolerance}).report;
    EXPECT_LT(report.iterations, plain.iterations);
  }
}

TEST(MpiSolve, MultigridWorksOnEachRanksBlock) {
  expect_solved_by_multigrid<double>(1e-8);
  expect_solved_by_multigrid<float>(1e-4);
}

TEST(MpiSolve, WhatWorksOnOneRankIsRefusedOrSkipped) {
  const Comm world = Comm::world();
  const Csr<double> a = gallery::make("laplace2d5:n=8");
  const std::vector<double> b(to_size(a.num_rows), 1.0);
  if (world.size() == 1) return;
  for (const AutoOptions& options : {AutoOptions{.method = "direct"}, AutoOptions{.method = "direct-lu"},
                                     AutoOptions{.precond = "boomeramg"}, AutoOptions{.order = "rcm"}})
    EXPECT_THROW(solved(world, a, b, options), Unsupported);
  EXPECT_THROW(solved(world, a, b, {.precond = "ilu0"}, {.reproducible = true}), Unsupported);
  // A zero diagonal and three iterations: every try is reached, and those of one rank are skipped with a line each.
  Csr<double> hard = unsymmetric(101);
  for (Index r = 0; r < hard.num_rows; ++r)
    for (Offset k = hard.row_begin(r); k < hard.row_begin(r + 1); ++k)
      if (hard.cols.data()[k] == r) hard.vals.data()[k] = 0;
  const AutoReport report = solved(world, hard, std::vector<double>(101, 1.0), {.max_iterations = 30}).report;
  EXPECT_FALSE(report.ok());
  bool direct = false;
  for (const std::string& line : report.skipped) direct = direct || line.starts_with("direct: works on one rank");
  EXPECT_TRUE(direct) << report.text();
}

TEST(MpiSolve, ReproducibleSystemsHaveTheBitsOfOneRank) {
  const Comm world = Comm::world(), alone;
  const Csr<double> a = badly_scaled(gallery::make("laplace2d5:n=100"), true);  // three parts of sums, and scaled
  const std::vector<double> b = random_vector<double>(a.num_rows, 5);
  for (const char* precond : {"auto", "chebyshev"}) {
    SCOPED_TRACE(precond);
    const AutoOptions options{.precond = precond, .tolerance = 1e-9};
    const Solved<double> one = solved(alone, a, b, options, {.reproducible = true});
    const Solved<double> many = solved(world, a, b, options, {.reproducible = true});
    const std::vector<double> x = world.gather(std::span<const double>(many.x));
    ASSERT_EQ(x.size(), one.x.size());
    EXPECT_EQ(std::memcmp(x.data(), one.x.data(), x.size() * sizeof(double)), 0);
    EXPECT_EQ(many.report.relative, one.report.relative);
    EXPECT_EQ(many.report.total_history(), one.report.total_history());
    EXPECT_EQ(many.report.backward.rows, one.report.backward.rows);
  }
}

}  // namespace
}  // namespace millrace::testing
