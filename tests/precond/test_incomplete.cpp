// ILU(0), IC(0) and block ILU(0) on the host: exact where there is no fill, equal to the matrix on its pattern, the
// same bits for any number of threads, pivots, new values, what they refuse.
#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

template <class T>
struct IncompleteOf : ::testing::Test {};
TYPED_TEST_SUITE(IncompleteOf, Scalars);

TYPED_TEST(IncompleteOf, ExactWithoutFill) {
  using T = TypeParam;
  for (const Index n : {0, 1, 2, 33, 1000})
    for (const bool hermitian : {false, true})
      for (Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
        const Csr<T> a = tridiagonal<T>(n, 5, hermitian);
        Queue queue(Device::host(), 2);
        IncompleteOptions options;
        options.precision = precision;
        const Incomplete<T> m = hermitian ? ic0(queue, a, options) : ilu0(queue, a, options);
        EXPECT_EQ(m.report().replaced_pivots, 0);
        EXPECT_EQ(m.report().shift, 0);
        const std::vector<T> b = random_vector<T>(n, 6), x = apply_to(m, b, 2);
        EXPECT_LE(residual<T>(a, x, b), 16 * (eps<T> + m.factors().rounding())) << n;
        if (n > 0) expect_scaled_application(m, 8 * eps<T>);
      }
}

TYPED_TEST(IncompleteOf, TriangularMatricesAreSolved) {
  using T = TypeParam;
  for (const bool lower : {true, false}) {
    Random random(8);
    std::vector<std::vector<std::pair<Index, T>>> rows(300);
    for (Index i = 0; i < 300; ++i) {
      const Index others = lower ? i : 299 - i;
      for (Index k = 0; k < std::min(others, Index{6}); ++k) {
        const Index far = 1 + std::max<Index>(1, (others - 1) / 6) * k;
        rows[static_cast<std::size_t>(i)].push_back({lower ? i - far : i + far, random.value<T>() * T(0.25)});
      }
      if (i % 3 != 1) rows[static_cast<std::size_t>(i)].push_back({i, T(2)});
      if (i % 3 == 1) rows[static_cast<std::size_t>(i)].insert(rows[static_cast<std::size_t>(i)].begin(), {i, T(3)});
    }
    const Csr<T> a = csr_of<T>(300, rows);
    Queue queue;
    const std::vector<T> b = random_vector<T>(300, 9);
    EXPECT_LE(residual<T>(a, apply_to(ilu0(queue, a), b), b), 100 * eps<T>);
  }
}

TYPED_TEST(IncompleteOf, ProductOfFactorsIsTheMatrixOnItsPattern) {
  using T = TypeParam;
  for (const bool natural : {true, false})
    for (const bool hermitian : {false, true}) {
      const Csr<T> a = grid_matrix<T>(9, 8, 3, hermitian, natural);
      Queue queue(Device::host(), 2);
      const Incomplete<T> m = hermitian ? ic0(queue, a) : ilu0(queue, a);
      const std::vector<Wide<T>> product = product_of_factors(m);
      for (Index r = 0; r < a.num_rows; ++r)
        for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s) {
          const auto at = static_cast<std::size_t>(r) * static_cast<std::size_t>(a.num_rows) +
                          static_cast<std::size_t>(a.cols.data()[s]);
          EXPECT_LE(std::abs(product[at] - Wide<T>(a.vals.data()[s])), 40 * eps<T>);  // entries up to 6, short sums
        }
    }
}

TEST(Incomplete, SameBitsForAnyNumberOfThreads) {
  const Csr<double> a = grid_matrix<double>(400, 300, 3, false, false), h = gallery::make("poisson3d7:n=50");
  Queue one(Device::host(), 1);
  for (const Csr<double>* matrix : {&a, &h})
    for (const int threads : {2, 3, 5}) {
      Queue several(Device::host(), threads);
      const std::vector<double> b = random_vector<double>(matrix->num_rows, 5);
      const bool hermitian = matrix == &h;
      const Incomplete<double> m = hermitian ? ic0(one, *matrix) : ilu0(one, *matrix),
                               p = hermitian ? ic0(several, *matrix) : ilu0(several, *matrix);
      EXPECT_TRUE(m.pattern().levels().worth_threads);
      EXPECT_TRUE(!hermitian || m.report().num_levels == 148);
      m.factors().visit([&](const auto* mine) {
        p.factors().visit([&](const auto* other) {
          EXPECT_EQ(std::memcmp(mine, other, static_cast<std::size_t>(m.factors().bytes())), 0);
        });
      });
      EXPECT_TRUE(same_bits<double>(apply_to(m, b, 1), apply_to(m, b, threads)));
    }
}

TEST(Incomplete, SweepsApproachTheSolution) {
  const Csr<double> a = grid_matrix<double>(60, 50, 3, true);
  const std::vector<double> b = random_vector<double>(a.num_rows, 5);
  Queue queue(Device::host(), 2);
  const std::vector<double> exact = apply_to(ic0(queue, a), b);
  double last = 1e9;
  for (const int sweeps : {1, 4, 16, 64}) {
    IncompleteOptions options;
    options.sweeps = sweeps;
    const std::vector<double> x = apply_to(ic0(queue, a, options), b, 2);
    double error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - exact[i]));
    EXPECT_LT(error, last);
    last = std::max(error, 1e-14);
    EXPECT_TRUE(same_bits<double>(x, apply_to(ic0(queue, a, options), b, 1)));
  }
  EXPECT_LE(last, 1e-12);
}

TEST(Incomplete, NewValuesKeepTheStructure) {
  Queue queue;
  for (const bool hermitian : {false, true}) {
    Csr<double> a = grid_matrix<double>(20, 20, 3, hermitian);
    Incomplete<double> m = hermitian ? ic0(queue, a) : ilu0(queue, a);
    const Levels* levels = &m.pattern().levels();
    const Index *order = m.pattern().order().data(), *cols = m.pattern().lower_columns().data();
    const Offset* places = m.pattern().places().data();
    const Csr<double> b = [&] {
      Csr<double> copy = grid_matrix<double>(20, 20, 4, hermitian);
      for (double& v : copy.vals.span()) v *= 3;
      return copy;
    }();
    m.update_values(queue, b);
    EXPECT_EQ(&m.pattern().levels(), levels);
    EXPECT_EQ(m.pattern().order().data(), order);
    EXPECT_EQ(m.pattern().lower_columns().data(), cols);
    EXPECT_EQ(m.pattern().places().data(), places);
    const std::vector<double> x = random_vector<double>(400, 5);
    EXPECT_TRUE(same_bits<double>(apply_to(m, x), apply_to(hermitian ? ic0(queue, b) : ilu0(queue, b), x)));
  }
  Incomplete<double> m = ilu0(queue, grid_matrix<double>(20, 20, 3, false));
  EXPECT_NE(error_of([&] { m.update_values(queue, grid_matrix<double>(40, 10, 3, false)); }).find("same pattern"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { m.update_values(queue, grid_matrix<double>(20, 20, 3, false, false)); }).find("other places"),
      std::string::npos);
}

TEST(Incomplete, ZeroAndMissingPivots) {
  Queue queue;
  const auto a = csr_of<double>(3, {{{1, 2.0}}, {{0, 4.0}, {1, 0.0}}, {}});
  const Incomplete<double> m = ilu0(queue, a);
  EXPECT_EQ(m.report().replaced_pivots, 2);  // rows 0 and 2; row 1 gets a pivot by elimination
  EXPECT_EQ(m.report().text(), "2 levels; 2 pivots were zero and replaced");
  for (const double v : apply_to(m, {1, 1, 1})) EXPECT_TRUE(std::isfinite(v));
  EXPECT_EQ(apply_to(m, {0, 0, 7}), (std::vector<double>{0, 0, 7}));
  const auto nan = csr_of<double>(2, {{{0, std::nan("")}}, {{1, 1.0}}});
  EXPECT_NE(error_of([&] { ilu0(queue, nan); }).find("the pivot of row 0 is not a number"), std::string::npos);
  EXPECT_NE(error_of([&] { ic0(queue, nan); }).find("the pivot of row 0 stays negative"), std::string::npos);
}

TEST(Incomplete, IndefiniteMatricesAreShifted) {
  Queue queue(Device::host(), 2);
  Csr<double> a = grid_matrix<double>(20, 20, 3, true);
  for (Offset s = 0; s < a.num_entries(); ++s)
    if (a.vals.data()[s] == 6.0) a.vals.data()[s] = 0.9;
  const Incomplete<double> m = ic0(queue, a);
  EXPECT_GT(m.report().shift, 0);
  EXPECT_GT(m.report().attempts, 1);
  EXPECT_NE(m.report().text().find("the diagonal was shifted by"), std::string::npos);
  const FactorView v = m.pattern().view();
  m.factors().visit([&](const auto* vals) {
    for (Index i = 0; i < v.num_rows; ++i) EXPECT_GT(change_type<double>(vals[v.diagonal_slot(i)]), 0);
  });
  const std::vector<double> x = random_vector<double>(400, 5), y = apply_to(m, x);
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) xy += x[i] * y[i];
  EXPECT_GT(xy, 0);
}

TEST(Incomplete, TheSolutionOfIc0IsSymmetric) {
  using T = std::complex<double>;
  Queue queue;
  IncompleteOptions options;
  options.precision = Precision::bfloat16;
  const Csr<T> a = grid_matrix<T>(20, 20, 3, true, false);
  const Incomplete<T> m = ic0(queue, a, options);
  const std::vector<T> x = random_vector<T>(400, 5), y = random_vector<T>(400, 6), mx = apply_to(m, x),
                       my = apply_to(m, y);
  T a_xy{}, a_yx{};
  for (std::size_t i = 0; i < x.size(); ++i) a_xy += std::conj(mx[i]) * y[i], a_yx += std::conj(x[i]) * my[i];
  EXPECT_LE(std::abs(a_xy - a_yx), 1e-12 * std::abs(a_xy) + 1e-12);
}

TEST(Incomplete, Refusals) {
  Queue queue;
  EXPECT_NE(error_of([&] { ilu0(queue, random_csr<double>(3, 4, 2, 1)); }).find("must be square"), std::string::npos);
  const auto twice = csr_of<double>(2, {{{0, 1.0}, {0, 1.0}}, {{1, 1.0}}});
  EXPECT_NE(error_of([&] { ilu0(queue, twice); }).find("row 0 has column 0 twice"), std::string::npos);
  const Csr<double> a = tridiagonal<double>(10, 1, true);
  IncompleteOptions options;
  options.block = 2;
  EXPECT_NE(error_of<Unsupported>([&] { ic0(queue, a, options); }).find("go with ilu0"), std::string::npos);
  options.block = 2000;
  EXPECT_NE(error_of([&] { ilu0(queue, a, options); }).find("1 to 1024"), std::string::npos);
  options.block = 1;
  options.shift = -1;
  EXPECT_NE(error_of([&] { ilu0(queue, a, options); }).find("must not be negative"), std::string::npos);
}

TEST(Incomplete, Traffic) {
  Queue queue;
  const Csr<double> a = grid_matrix<double>(20, 20, 3, false);
  IncompleteOptions options;
  options.precision = Precision::bfloat16;
  const Incomplete<double> m = ilu0(queue, a, options);
  const auto nnz = static_cast<double>(a.num_entries());
  EXPECT_EQ(m.traffic().matrix, 2 * nnz + 4 * (nnz - 400) + 4 * 400 + 8 * 401);
  EXPECT_EQ(m.traffic().vectors, 400 * 16);
  EXPECT_EQ(m.traffic().minimum, 8 * nnz + 400 * 16);
}

TEST(Incomplete, TasksCoverAllRowsInStages) {
  Queue queue;
  for (const bool natural : {true, false}) {
    const Incomplete<double> m = ilu0(queue, grid_matrix<double>(500, 300, 3, false, natural));
    const Levels& levels = m.pattern().levels();
    Index next = 0;
    for (std::size_t t = 0; t < levels.tasks.size(); ++t) {
      const LevelTask& task = levels.tasks[t];
      EXPECT_EQ(task.begin, next);
      EXPECT_LT(task.begin, task.end);
      EXPECT_TRUE(task.stage_begin <= static_cast<std::int64_t>(t) && static_cast<std::int64_t>(t) < task.stage_end);
      next = task.end;
    }
    EXPECT_EQ(next, 150000);
    const FactorView v = m.pattern().view();
    for (std::size_t l = 0; l + 1 < levels.level_ptr.size(); ++l)
      for (Index i = levels.level_ptr[l]; i < levels.level_ptr[l + 1]; ++i) {
        for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e) ASSERT_LT(v.lower_cols[e], levels.level_ptr[l]);
        for (auto e = v.upper_ptr[i]; e < v.upper_ptr[i + 1]; ++e) ASSERT_GE(v.upper_cols[e], levels.level_ptr[l + 1]);
      }
  }
}

TYPED_TEST(IncompleteOf, BlocksWithoutFillAreExact) {
  using T = TypeParam;
  for (const Index b : {2, 3, 8, 40}) {
    const Csr<T> a = blown_up(tridiagonal<T>(17, 2, false), b);
    Queue queue(Device::host(), 2);
    IncompleteOptions options;
    options.block = b;
    const std::vector<T> x = random_vector<T>(a.num_rows, 3);
    const Incomplete<T> m = ilu0(queue, a, options);
    EXPECT_EQ(m.report().num_levels, 17);
    EXPECT_LE(residual<T>(a, apply_to(m, x, 2), x), 10 * b * eps<T>);
    expect_scaled_application(m, 8 * eps<T>);
    options.precision = Precision::bfloat16;
    EXPECT_LE(residual<T>(a, apply_to(ilu0(queue, a, options), x, 2), x), 0.1);
  }
}

TEST(Incomplete, BlocksThatDoNotDivideTheMatrix) {
  Queue queue;
  const Csr<double> a = tridiagonal<double>(32, 2, false);
  for (const Index b : {3, 5, 31, 40}) {
    IncompleteOptions options;
    options.block = b;
    const std::vector<double> x = random_vector<double>(32, 3);
    const Incomplete<double> m = ilu0(queue, a, options);
    EXPECT_EQ(m.report().replaced_pivots, 0);
    EXPECT_LE(residual<double>(a, apply_to(m, x), x), 1e-13) << b;
  }
}

TEST(Incomplete, BlocksOfTheFormat) {
  Queue queue(Device::host(), 3);
  const Csr<double> a = blown_up(grid_matrix<double>(30, 20, 2, false), 4);
  const std::vector<double> x = random_vector<double>(a.num_rows, 3);
  IncompleteOptions options;
  options.block = 4;
  const std::vector<double> expected = apply_to(ilu0(queue, a, options), x);
  for (const char* format : {"bsr-4", "dbf-4", "csr"}) {
    const Incomplete<double> m = block_ilu0(queue, SparseMatrix<double>(a, format));
    EXPECT_EQ(m.pattern().block(), 4) << format;
    EXPECT_TRUE(same_bits<double>(apply_to(m, x, 3), expected)) << format;
  }
  const auto singular = csr_of<double>(2, {{{0, 1.0}, {1, 2.0}}, {{0, 2.0}, {1, 4.0}}});
  options.block = 2;
  EXPECT_EQ(ilu0(queue, singular, options).report().replaced_pivots, 1);
}

}  // namespace
}  // namespace millrace::testing
