// Matrices on ranks against the same matrix on one. Part of the program test_mpi.
#include "dist/rank_matrices.hpp"
#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

template <class T>
class MpiMatrix : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MpiMatrix, AllScalars);

TYPED_TEST(MpiMatrix, ProductsEqualThoseOfOneRank) {
  using T = TypeParam;
  const Comm world = Comm::world();
  Queue queue(Device::host(), 1);
  for (const auto& [name, csr] : rank_matrices<T>()) {
    const Partition parts = by_rows(csr.num_rows, world.size());
    const GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
    const SparseMatrix<T> serial(csr, "csr");
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose})
      for (const int num : {1, 3}) {
        const std::vector<T> x = random_vector<T>(std::int64_t{csr.num_rows} * num, 1),
                             y = random_vector<T>(std::int64_t{csr.num_rows} * num, 2);
        std::vector<T> expected = y;
        serial.apply(queue, {.alpha = T(2),
                             .x = Vectors<const T>(Device::host(), x.data(), csr.num_rows, num),
                             .beta = T(-1),
                             .y = Vectors<T>(Device::host(), expected.data(), csr.num_rows, num),
                             .op = op});
        for (const char* format : {"csr", "sell-8-1", "sell-8-64", "pjds", "coo", "ell", "hyb"})
          for (const Mode mode : {Mode::vector, Mode::overlap, Mode::task, Mode::choose}) {
            if (mode == Mode::task && !world.serves_threads()) continue;
            if (mode == Mode::choose && std::string_view(format) != "csr") continue;
            SCOPED_TRACE(join(name, ", ", format, ", ", to_text(mode), ", op ", static_cast<int>(op), ", ", num));
            const DistributedMatrix<T> a(world, rows, {.format = format, .mode = mode});
            const std::vector<T> found = product_on_ranks(a, x, y, op, num);
            double worst = 0;
            for (int v = 0; v < num; ++v)
              for (std::int64_t i = 0; i < a.shape().rows; ++i)
                worst = std::max<double>(worst, std::abs(found[to_size(v * a.shape().rows + i)] -
                                                         expected[to_size(v * csr.num_rows + rows.first + i)]));
            EXPECT_LT(worst, sizeof(RealOf<T>) == 4 ? 2e-3 : 1e-11);
            EXPECT_NE(a.mode(), Mode::choose);
            EXPECT_TRUE(world.size() > 1 || a.halo().ghosts.empty());
          }
      }
  }
}

TYPED_TEST(MpiMatrix, NewValuesLocalPartAndSolves) {
  using T = TypeParam;
  const Comm world = Comm::world();
  const Csr<T> csr = convert_values<T>(gallery::make("laplace2d5:n=20"));
  const Partition parts = by_rows(csr.num_rows, world.size());
  GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
  Queue queue(Device::host(), 1);
  const SparseMatrix<T> serial(csr, "csr");
  const std::vector<T> b = random_vector<T>(csr.num_rows, 3);
  std::vector<T> x(b.size());
  const SolveOptions options{.tolerance = sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-10};
  const SolveReport alone = cg(queue, serial, Jacobi<T>(queue, csr), b, x, options);
  for (const Mode mode : {Mode::vector, Mode::overlap}) {
    GlobalRows<T> wrong = rows_of(csr, rows.first, rows.end());
    for (T& value : wrong.vals.span()) value *= T(3);
    DistributedMatrix<T> a(world, wrong, {.format = "sell-8-1", .mode = mode});
    a.update_values(queue, rows);
    EXPECT_EQ(a.local().num_rows, rows.num_rows());
    const std::span<const T> own_b(b.data() + rows.first, to_size(rows.num_rows()));
    std::vector<T> y(own_b.size());
    const SolveReport report = cg(queue, a, Jacobi<T>(queue, a.local()), own_b, y, options);
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_NEAR(report.iterations, alone.iterations, 2);  // a diagonal is the same on any number of ranks
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_NEAR(std::abs(y[i] - x[i + to_size(rows.first)]), 0, 1e3 * options.tolerance);
  }
}

TEST(MpiMatrixErrors, OneRankAtFaultIsAnErrorOnAll) {
  const Comm world = Comm::world();
  const Csr<double> csr = gallery::make("poisson2d5:n=8");
  const Partition parts = by_rows(csr.num_rows, world.size());
  const auto good = [&] { return rows_of(csr, parts.begin(world.rank()), parts.end(world.rank())); };
  GlobalRows<double> outside = good();
  if (world.rank() == world.size() - 1 && outside.num_entries() > 0) outside.cols.data()[0] = 64;
  const std::string bad = error_of([&] { DistributedMatrix<double> a(world, outside); });
  EXPECT_NE(bad.find("column 64; 0 to 63 are accepted"), std::string::npos) << bad;
  EXPECT_TRUE(world.size() == 1 || bad.starts_with(join("rank ", world.size() - 1, " of ", world.size(), ": "))) << bad;
  GlobalRows<double> apart = good();
  apart.first += world.rank() == 0 ? 1 : 0;
  EXPECT_NE(error_of([&] { DistributedMatrix<double> a(world, apart); }).find("rows from 1 on"), std::string::npos);
  const std::string format = error_of([&] { DistributedMatrix<double> a(world, good(), {.format = "none"}); });
  EXPECT_NE(format.find("none"), std::string::npos) << format;
  EXPECT_NE(error_of([] { mode_of("fast"); }).find("accepted are: vector, overlap, task, auto"), std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
