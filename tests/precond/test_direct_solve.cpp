// Refinement with a direct solver, backward and forward errors, shifted factors of singular matrices, forecasts.
#include "millrace/precond/direct_solve.hpp"
#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

bool has_umfpack() { return direct_packages()[1].built(); }

Csr<double> hilbert(Index n) {
  std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) rows[static_cast<std::size_t>(i)].push_back({j, 1.0 / (i + j + 1)});
  return csr_of<double>(n, rows);
}

TEST(BackwardError, OfKnownResiduals) {
  const Csr<double> a = csr_of<double>(2, {{{0, 4.0}, {1, 0.0}}, {{0, 0.0}, {1, 1e-10}}});
  const std::vector<double> b{4, 1e-10}, exact{1, 1}, wrong{1, 3};
  EXPECT_EQ(backward_error<double>(a, b, exact).norm, 0);
  EXPECT_EQ(backward_error<double>(a, b, exact).rows, 0);
  const BackwardError error = backward_error<double>(a, b, wrong);
  EXPECT_NEAR(error.norm, 2e-10 / (4 * 3 + 4), 1e-16);     // nothing, in all of A
  EXPECT_NEAR(error.rows, 2e-10 / (3e-10 + 1e-10), 1e-6);  // but the second equation does not hold at all
  EXPECT_EQ(backward_error<double>(csr_of<double>(0, {}), {}, {}).rows, 0);
  using C = std::complex<double>;
  const Csr<C> imaginary = csr_of<C>(1, {{{0, C(0, 2)}}});
  EXPECT_EQ(backward_error<C>(imaginary, std::vector<C>{C(-2, 0)}, std::vector<C>{C(0, 1)}).rows, 0);
}

TEST(DirectSolve, RefinesBeyondTheFactors) {
  if (!has_umfpack()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  for (const Index n : {4, 8, 10}) {  // condition up to 3e13
    const Csr<double> a = hilbert(n);
    const Direct<double> inverse(queue, a, {.kind = Factorisation::lu});
    const std::vector<double> b = random_vector<double>(n, 3);
    std::vector<double> x(b.size());
    const DirectSolution found = solve_direct<double>(queue, inverse, a, b, x);
    EXPECT_LE(found.backward.rows, 4 * eps<double>) << n;
    EXPECT_LE(found.relative, 1e-12 / inverse.report().rcond) << n;
    EXPECT_EQ(found.history.size(), static_cast<std::size_t>(found.num_solves) + 1);
    EXPECT_GE(found.num_solves, 1);
    EXPECT_GE(found.forward, eps<double> / 10);
    EXPECT_LE(found.forward, 100 * eps<double> / inverse.report().rcond) << n;
    const double reached = found.relative;
    const DirectSolution again = solve_direct<double>(queue, inverse, a, b, x);
    EXPECT_LE(again.relative, reached);  // never worse than it was
  }
}

TEST(DirectSolve, BoundsTheErrorOfX) {
  if (!has_umfpack()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const Csr<double> a = grid_matrix<double>(9, 8, seed, false);
    const std::vector<double> exact = random_vector<double>(a.num_rows, 7);
    const Expected<double> product = reference<double>(a, Op::none, 1.0, exact, 0.0, exact);
    const std::vector<double> b(product.value.begin(), product.value.end());
    std::vector<double> x(b.size());
    const Direct<double> inverse(queue, a);
    const DirectSolution found = solve_direct<double>(queue, inverse, a, b, x);
    double error = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      error = std::max(error, std::abs(x[i] - exact[i])), size = std::max(size, std::abs(x[i]));
    EXPECT_LE(error / size, 3 * found.forward);
    EXPECT_LE(found.forward, 1e-13);
  }
}

TEST(DirectSolve, ShiftedFactorsSolveSingularSystems) {
  if (!has_umfpack()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  constexpr Index n = 40;  // differences along a ring: constants are in the null space
  std::vector<std::vector<std::pair<Index, double>>> rows(n);
  for (Index i = 0; i < n; ++i)
    rows[static_cast<std::size_t>(i)] = {{i, 2.0}, {(i + 1) % n, -1.0}, {(i + n - 1) % n, -1.0}};
  const Csr<double> a = csr_of<double>(n, rows);
  const Direct<double> shifted(queue, a, {.shift = 1e-8});
  EXPECT_GT(shifted.report().rcond, 1e-10);
  EXPECT_NE(shifted.report().text().find("shifted by 1e-08"), std::string::npos);
  std::vector<double> b(n), x(n);
  for (Index i = 0; i < n; ++i) b[static_cast<std::size_t>(i)] = i % 2 == 0 ? 1 : -1;  // sums to zero: in the range
  const DirectSolution found = solve_direct<double>(queue, shifted, a, b, x, {.max_solves = 20, .tolerance = 1e-12});
  EXPECT_LE(found.relative, 1e-12);
  EXPECT_LE(residual<double>(a, x, b), 2e-12);
  EXPECT_EQ(found.forward, 1);  // x is one of many
  b[0] += 1;                    // outside
  std::fill(x.begin(), x.end(), 0.0);
  EXPECT_GT(solve_direct<double>(queue, shifted, a, b, x, {.max_solves = 20}).relative, 0.01);
  EXPECT_NE(error_of([&] { Direct<double>(queue, a, {.shift = -1}); }).find("the shift is -1"), std::string::npos);
}

TEST(DirectSolve, RefusesWhatDoesNotFit) {
  if (!has_umfpack()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  const Csr<double> a = hilbert(3);
  const Direct<double> inverse(queue, a);
  std::vector<double> b(3), x(2);
  EXPECT_NE(error_of([&] { solve_direct<double>(queue, inverse, a, b, x); }).find("all must fit"), std::string::npos);
}

TEST(DirectForecast, CountsEntriesAndOperations) {
  const Csr<double> chain = sort_rows(tridiagonal<double>(100, 1, true));
  const std::optional<DirectForecast> of_chain = forecast_direct(chain, true);
  if (!of_chain) GTEST_SKIP() << "this build has no SuiteSparse AMD";
  EXPECT_EQ(of_chain->factor_entries, 199);  // no fill
  EXPECT_EQ(of_chain->flops, 99 + 2 * 99);   // a division, a product and a difference each
  const Csr<double> plane = gallery::make("poisson2d5:n=40");
  EXPECT_LT(forecast_direct(plane, true)->flops, forecast_direct(plane, false)->flops);
  EXPECT_GT(forecast_direct(plane, true)->factor_bytes, 16.0 * plane.num_rows);
  EXPECT_EQ(forecast_direct(csr_of<double>(0, {}), true)->flops, 0);
  EXPECT_NE(error_of([] { forecast_direct(random_csr<double>(2, 3, 1, 1), false); }).find("must be square"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
