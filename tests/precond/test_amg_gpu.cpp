// Multigrid that is made and applied on a GPU against the same on the host: aggregates, levels, products, new values,
// and solves inside a CUDA graph.
#include "millrace/precond/amg.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/gmres.hpp"
#include "multigrid/multigrid_tools.hpp"
#include "on_gpu.hpp"

namespace millrace::testing {
namespace {

template <class T>
struct GpuAmg : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuAmg, Reals);

/// A cycle for a vector, on the GPU.
template <class T>
std::vector<T> cycle_of(Queue& queue, const Amg<T>& m, const std::vector<T>& x) {
  const Array<T> from = on_gpu(x);
  Array<T> y = on_gpu(std::vector<T>(x.size(), std::numeric_limits<T>::quiet_NaN()));
  m.apply(queue, {.x = from, .y = y});
  queue.wait();
  return y.to_vector();
}

/// Both have the same levels and aggregates, and their cycles do the same within a bound.
template <class T>
void expect_same(const Csr<T>& a, const AmgOptions& options, const std::string& what, double bound) {
  Queue host(Device::host(), 2), queue(Device::gpu());
  const Csr<T> there = a.to(Device::gpu());
  const Amg<T> expected(host, a, options), found(queue, there, options);
  ASSERT_EQ(found.device(), Device::gpu());
  ASSERT_EQ(found.report().levels.size(), expected.report().levels.size()) << what;
  for (std::size_t l = 0; l < expected.report().levels.size(); ++l) {
    const AmgLevelReport &one = found.report().levels[l], &other = expected.report().levels[l];
    EXPECT_EQ(one.rows, other.rows) << what << " level " << l;
    EXPECT_EQ(one.entries, other.entries) << what << " level " << l;
    EXPECT_EQ(one.format, other.format) << what << " level " << l;
    EXPECT_NEAR(one.largest_eigenvalue, other.largest_eigenvalue, bound * other.largest_eigenvalue) << what;
    EXPECT_EQ(found.aggregates(static_cast<int>(l)), expected.aggregates(static_cast<int>(l))) << what;
  }
  EXPECT_EQ(found.report().null_vectors, expected.report().null_vectors) << what;
  EXPECT_EQ(found.report().replaced_diagonals, expected.report().replaced_diagonals) << what;
  const std::vector<T> x = random_vector<T>(a.num_rows, 4);
  std::vector<T> y(x.size());
  expected.apply(host, {.x = x, .y = y});
  const std::vector<T> z = cycle_of(queue, found, x);
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    largest = std::max(largest, double{std::abs(y[i])});
    apart = std::max(apart, double{std::abs(y[i] - z[i])});
  }
  EXPECT_LE(apart, bound * largest) << what;
  EXPECT_TRUE(same_bits<T>(cycle_of(queue, Amg<T>(queue, there, options), x), z)) << what << ": made twice";
}

TYPED_TEST(GpuAmg, IsThatOfTheHost) {
  using T = TypeParam;
  const double bound = sizeof(T) == 8 ? 1e-9 : 2e-3;
  for (const char* name : {"laplace3d7:24", "laplace3d27:17", "laplace2d5:90", "laplace2d9:60", "laplace2d5:1",
                           "laplace3d7:18,anisotropy=0.01", "laplace3d7:18,contrast=100"})
    expect_same<T>(convert_values<T>(gallery::make(name)), {.coarsest_rows = 60}, name, bound);
  const Csr<T> grid = convert_values<T>(gallery::make("laplace3d7:16"));
  for (const AmgCycle cycle : {AmgCycle::v, AmgCycle::w, AmgCycle::k})
    expect_same<T>(grid, {.coarsest_rows = 20, .cycle = cycle, .cycle_from = 0}, "a cycle", bound);
  for (const AmgSmoother smoother :
       {AmgSmoother::fourth_kind, AmgSmoother::fourth_kind_optimal, AmgSmoother::l1_jacobi})
    expect_same<T>(grid, {.coarsest_rows = 20, .smoother = smoother, .degree = 3}, "a smoother", bound);
  expect_same<T>(grid, {.coarsest_rows = 20, .damping = 0, .over_correction = 1.5}, "not smoothed", bound);
  expect_same<T>(grid, {.coarsest_rows = 20, .filtered_levels = 0, .precision = Precision::single}, "floats", 2e-3);
  expect_same<T>(grid, {.coarsest_rows = 20, .precision = Precision::bfloat16}, "bfloat16", 2e-3);
  expect_same<T>(convert_values<T>(gallery::make("laplace3d27:12,contrast=9")),
                 {.coarsest_rows = 20, .precision = Precision::bfloat16}, "bfloat16, 27 points", 5e-3);
  expect_same<T>(grid, {.max_levels = 2}, "two levels", bound);
  expect_same<T>(convert_values<T>(neumann_grid(40, 30)), {.coarsest_rows = 60}, "singular", 10 * bound);
}

TYPED_TEST(GpuAmg, SmoothsLevelsInBfloat16AsTheHost) {
  using T = TypeParam;
  for (const char* name : {"laplace3d7:16", "laplace3d27:12,contrast=9", "laplace2d5:1"})
    for (const AmgSmoother smoother :
         {AmgSmoother::chebyshev, AmgSmoother::fourth_kind, AmgSmoother::fourth_kind_optimal, AmgSmoother::l1_jacobi})
      for (int degree = 1; degree <= 4; ++degree)
        expect_same<T>(convert_values<T>(gallery::make(name)),
                       {.coarsest_rows = 20, .smoother = smoother, .degree = degree, .precision = Precision::bfloat16},
                       join(name, " in ", degree, " steps"), 5e-3);
  const Csr<T> grid = convert_values<T>(gallery::make("laplace3d7:16"));
  for (const AmgCycle cycle : {AmgCycle::w, AmgCycle::k})
    expect_same<T>(grid, {.coarsest_rows = 20, .cycle = cycle, .cycle_from = 0, .precision = Precision::bfloat16},
                   "a cycle in bfloat16", 5e-3);
}

TYPED_TEST(GpuAmg, TakesNodesOfSeveralUnknowns) {
  using T = TypeParam;
  const double bound = sizeof(T) == 8 ? 1e-8 : 2e-2;
  const Lattice held = spring_lattice(24, true);
  const Csr<T> a = convert_values<T>(held.matrix);
  expect_same<T>(a, {.theta = 0.1, .block = 2, .coarsest_rows = 40}, "constants", bound);
  expect_same<T>(a, {.theta = 0.1, .block = 2, .coarsest_rows = 40, .near_null = rigid_body_modes(held.points, 2)},
                 "rigid-body modes", bound);
}

TYPED_TEST(GpuAmg, KeepsBlocksDenseAndSmoothsWithThem) {
  using T = TypeParam;
  const double bound = sizeof(T) == 8 ? 1e-8 : 2e-2;
  const Lattice cube = spring_cube(10);
  const Csr<T> a = convert_values<T>(cube.matrix), there = a.to(Device::gpu());
  AmgOptions options{.block = 3, .coarsest_rows = 60, .near_null = rigid_body_modes(cube.points, 3)};
  expect_same<T>(a, options, "dense blocks", bound);
  options.smoother = AmgSmoother::block_jacobi;
  for (const int degree : {1, 2, 3}) {
    options.degree = degree;
    expect_same<T>(a, options, "block Jacobi", bound);
  }
  options.precision = Precision::single;
  expect_same<T>(a, options, "block Jacobi in floats", 2e-2);
  options.precision = Precision::full, options.degree = 2;
  Queue queue(Device::gpu());
  Amg<T> m(queue, there, options);
  EXPECT_EQ(m.report().levels[0].format, "bsr-3");
  EXPECT_EQ(m.report().levels[1].format, "bsr-6");
  const std::vector<T> x = random_vector<T>(a.num_rows, 4), first = cycle_of(queue, m, x);
  Csr<T> scaled = a.clone();
  for (T& value : scaled.vals.span()) value *= T(4);
  m.update_values(queue, scaled.to(Device::gpu()));
  const std::vector<T> quarter = cycle_of(queue, m, x);
  EXPECT_FALSE(same_bits<T>(quarter, first));
  m.update_values(queue, there);
  EXPECT_TRUE(same_bits<T>(cycle_of(queue, m, x), first));
  const SparseMatrix<T> op(queue, there, "csr");
  std::vector<T> last;
  for (int run = 0; run < 2; ++run) {  // inside a graph
    const Array<T> b = on_gpu(x);
    Array<T> solution = on_gpu(std::vector<T>(x.size(), T{0}));
    const SolveReport found = cg(queue, op, m, b, solution, {.tolerance = sizeof(T) == 8 ? 1e-8 : 1e-5});
    EXPECT_TRUE(found.ok()) << found.reason;
    EXPECT_LE(found.iterations, 20);
    EXPECT_TRUE(run == 0 || same_bits<T>(solution.to_vector(), last));
    last = solution.to_vector();
  }
  AmgOptions many{.block = 40, .smoother = AmgSmoother::block_jacobi};
  expect_words([&] { Amg<T>(queue, there, many); },
               "amg: block Jacobi with nodes of 40 and 40 unknowns on a GPU; up to 32 are accepted there");
}

TYPED_TEST(GpuAmg, PutsDiagonalsInThePlaceOfSingularBlocks) {
  using T = TypeParam;
  std::vector<Triplet<double>> entries;  // points on a line, which springs along it do not hold across
  for (Index i = 0; i < 500; ++i) {
    entries.push_back({2 * i, 2 * i, 2.5});
    if (i > 0) entries.push_back({2 * i, 2 * i - 2, -1.0}), entries.push_back({2 * i - 2, 2 * i, -1.0});
    if (i % 2 == 0) entries.push_back({2 * i + 1, 2 * i + 1, 3.0});
  }
  const AmgOptions options{
      .theta = 0.1, .block = 2, .coarsest_rows = 20, .smoother = AmgSmoother::block_jacobi, .degree = 2};
  const Csr<T> a = convert_values<T>(make_csr(1000, 1000, entries));
  expect_same<T>(a, options, "singular blocks", sizeof(T) == 8 ? 1e-9 : 2e-3);
  Queue queue(Device::gpu());
  EXPECT_EQ(Amg<T>(queue, a.to(Device::gpu()), options).report().levels[0].singular_blocks, 250);
}

TYPED_TEST(GpuAmg, TakesRowsOfEveryLengthAndOddMatrices) {
  using T = TypeParam;
  const auto star = [](Index n, Index leaves) {  // a line of n points, of which the first knows many others
    std::vector<Triplet<double>> entries;
    const auto join = [&](Index i, Index j, double value) {
      entries.push_back({i, j, -value}), entries.push_back({j, i, -value});
      entries.push_back({i, i, value}), entries.push_back({j, j, value});
    };
    for (Index i = 0; i + 1 < n; ++i) join(i, i + 1, 1);
    for (Index i = 2; i < leaves; ++i) join(0, i, 1);
    for (Index i = 0; i < n; ++i) entries.push_back({i, i, 0.1});
    return convert_values<T>(make_csr(n, n, entries));
  };
  const double bound = sizeof(T) == 8 ? 1e-9 : 2e-3;
  for (const Index leaves : {40, 300, 1000, 3000, 9000})
    expect_same<T>(star(9000, leaves), {.theta = 0, .coarsest_rows = 20}, "a star", bound);
  expect_same<T>(convert_values<T>(make_csr<double>(5, 5, {})), {.coarsest_rows = 1}, "nothing", bound);
  expect_same<T>(convert_values<T>(make_csr<double>(3, 3, {{0, 1, 1.0}, {1, 0, 1.0}, {2, 2, 0.0}})),
                 {.coarsest_rows = 0}, "no diagonal", bound);
  Queue queue(Device::gpu());
  Csr<T> bad = convert_values<T>(gallery::make("laplace2d5:30"));
  bad.vals.data()[500] = std::numeric_limits<T>::quiet_NaN();
  const Csr<T> there = bad.to(Device::gpu());
  expect_words([&] { Amg<T>(queue, there); }, "of a matrix of 900 has a number that is not finite");
}

TYPED_TEST(GpuAmg, TakesNewValues) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  const Csr<T> before = convert_values<T>(gallery::make("laplace3d7:18")).to(Device::gpu());
  Csr<T> host = convert_values<T>(gallery::make("laplace3d7:18"));
  for (std::int64_t i = 0; i < host.vals.size(); ++i) host.vals.data()[i] *= T(3);
  const Csr<T> after = host.to(Device::gpu());
  const std::vector<T> x = random_vector<T>(before.num_rows, 4);
  Amg<T> m(queue, before, {.coarsest_rows = 60});
  m.update_values(queue, after);
  const std::vector<T> found = cycle_of(queue, m, x),
                       expected = cycle_of(queue, Amg<T>(queue, after, {.coarsest_rows = 60}), x);
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, double{std::abs(expected[i])});
    apart = std::max(apart, double{std::abs(found[i] - expected[i])});
  }
  EXPECT_LE(apart, (sizeof(T) == 8 ? 1e-8 : 1e-3) * largest);
  m.update_values(queue, before);
  EXPECT_TRUE(same_bits<T>(cycle_of(queue, m, x), cycle_of(queue, Amg<T>(queue, before, {.coarsest_rows = 60}), x)));
  const Csr<T> other = convert_values<T>(gallery::make("laplace3d7:nx=18,ny=36,nz=9")).to(Device::gpu());
  expect_words([&] { m.update_values(queue, other); }, "amg: update_values needs the pattern of before");
}

/// New values are added up where their columns are, which the first ones find, or the set-up if it shall.
TYPED_TEST(GpuAmg, AddsUpNewValuesWhereTheirColumnsAre) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  const auto expect_kept = [&](const Csr<double>& csr, bool keeps, const std::string& what) {
    const Csr<T> a = convert_values<T>(csr).to(Device::gpu());
    const std::vector<T> x = random_vector<T>(csr.num_rows, 4);
    for (const Precision precision : {Precision::full, Precision::bfloat16}) {
      AmgOptions options{.max_levels = keeps ? 20 : 2, .coarsest_rows = 30, .precision = precision};
      Amg<T> m(queue, a, options);
      const std::vector<T> expected = cycle_of(queue, m, x);
      const std::int64_t bytes = m.report().update_bytes;
      for (int time = 0; time < 2; ++time) {
        m.update_values(queue, a);
        EXPECT_TRUE(same_bits<T>(cycle_of(queue, m, x), expected)) << what << ", new values " << time;
      }
      const std::int64_t kept = m.report().update_bytes;
      EXPECT_EQ(kept > bytes, keeps) << what;

      options.prepare_updates = true;
      Amg<T> prepared(queue, a, options);
      EXPECT_EQ(prepared.report().update_bytes, kept) << what;
      EXPECT_TRUE(same_bits<T>(cycle_of(queue, prepared, x), expected)) << what << ", prepared";
      prepared.update_values(queue, a);
      EXPECT_EQ(prepared.report().update_bytes, kept) << what;
      EXPECT_TRUE(same_bits<T>(cycle_of(queue, prepared, x), expected)) << what << ", prepared, new values";
    }
  };
  for (const char* spec : {"laplace3d7:24", "laplace3d7:24,contrast=100", "laplace3d27:16", "laplace2d5:90"})
    expect_kept(gallery::make(spec), true, spec);
  std::vector<Triplet<double>> star;  // has a row of A P with many columns
  for (Index i = 0; i < 4000; ++i) star.push_back({i, i, i == 0 ? 4000.0 : i % 50 == 1 ? 2.5 : 1.5});
  const auto join = [&](Index i, Index j, double value) {
    star.push_back({i, j, value}), star.push_back({j, i, value});
  };
  for (Index i = 1; i < 4000; ++i) {
    join(0, i, -0.001);
    if (i % 50 != 0 && i + 1 < 4000) join(i, i + 1, -0.7);
  }
  expect_kept(make_csr(4000, 4000, star), false, "a star");
}

TYPED_TEST(GpuAmg, SolvesInsideAGraphInTheSameIterations) {
  using T = TypeParam;
  Queue host(Device::host(), 2), queue(Device::gpu());
  const Csr<T> csr = convert_values<T>(gallery::make("laplace3d7:32"));
  const Csr<T> there = csr.to(Device::gpu());
  const std::vector<T> b = random_vector<T>(csr.num_rows, 3);
  for (const Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
    const AmgOptions options{.precision = precision};
    const SolveOptions until{.tolerance = sizeof(T) == 8 ? 1e-8 : 1e-5, .max_iterations = 100};
    std::vector<T> x(b.size(), T{0});
    const SolveReport expected = cg(host, SparseMatrix<T>(csr, "csr"), Amg<T>(host, csr, options), b, x, until);
    const SparseMatrix<T> a(queue, there, "dia");
    const Amg<T> m(queue, there, options);
    std::vector<T> last;
    for (int run = 0; run < 2; ++run) {
      const Array<T> b_gpu = on_gpu(b);
      Array<T> x_gpu = on_gpu(std::vector<T>(b.size(), T{0}));
      const SolveReport found = cg(queue, a, m, b_gpu, x_gpu, until);
      EXPECT_TRUE(found.ok()) << found.reason;
      EXPECT_NEAR(found.iterations, expected.iterations, 1);
      EXPECT_LE(found.iterations, 20);
      const std::vector<T> now = x_gpu.to_vector();
      EXPECT_TRUE(run == 0 || same_bits<T>(now, last));
      last = now;
    }
  }
  const SparseMatrix<T> a(queue, there, "csr");
  const Amg<T> k(queue, there, {.cycle = AmgCycle::k});
  const Array<T> b_gpu = on_gpu(b);
  Array<T> x_gpu = on_gpu(std::vector<T>(b.size(), T{0}));
  const SolveReport flexible = fgmres(queue, a, k, b_gpu, x_gpu, {.tolerance = 1e-5});
  EXPECT_TRUE(flexible.ok()) << flexible.reason;
}

}  // namespace
}  // namespace millrace::testing
