// Smoothers are the polynomials they should be; bounds of eigenvalues; the coarsest level; rows in bfloat16.
#include "millrace/precond/multigrid/smoother.hpp"

#include <numbers>

#include "millrace/precond/multigrid/coarsest.hpp"
#include "millrace/precond/multigrid/largest_eigenvalue.hpp"
#include "millrace/precond/multigrid/narrow_diagonals.hpp"
#include "millrace/precond/multigrid/narrow_rows.hpp"
#include "multigrid_tools.hpp"

namespace millrace::testing {
namespace {

using namespace multigrid;

/// What is left of an error of eigenvalue x, for D = 1: by a matrix that is diagonal.
std::vector<double> left_after(const AmgOptions& options, double largest, const std::vector<double>& eigenvalues) {
  std::vector<std::vector<std::pair<Index, double>>> rows;
  for (const double x : eigenvalues) rows.push_back({{static_cast<Index>(rows.size()), x}});
  const SparseMatrix<double> a(csr_of<double>(static_cast<Index>(rows.size()), rows), "csr");
  Queue queue;
  const std::size_t n = rows.size();
  std::vector<double> ones(n, 1.0), b = eigenvalues, x(n, 0.0), fresh(n, NAN), r(n), z(n), q(n);
  const auto steps = smoother_steps(options, largest);
  const SmootherMemory<double> memory{r.data(), z.data(), q.data()};
  smooth<double>(queue, a, ones.data(), steps, b.data(), x.data(), false, memory);
  smooth<double>(queue, a, ones.data(), steps, b.data(), fresh.data(), true, memory);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(x[i], fresh[i], 1e-14);
    x[i] = 1 - x[i];  // the solution is 1
  }
  return x;
}

TEST(MultigridSmoothers, AreChebyshevsPolynomials) {
  std::vector<double> eigenvalues{0, 1e-4};
  for (int i = 1; i <= 40; ++i) eigenvalues.push_back(2.0 * i / 40);
  for (int degree = 1; degree <= 6; ++degree) {
    AmgOptions options{.smoother = AmgSmoother::chebyshev, .degree = degree, .ratio = 4};
    const auto t = [&](double x) {
      return std::abs(x) <= 1 ? std::cos(degree * std::acos(x))
                              : std::copysign(1.0, degree % 2 ? x : 1) * std::cosh(degree * std::acosh(std::abs(x)));
    };
    const std::vector<double> first = left_after(options, 2, eigenvalues);
    for (std::size_t i = 0; i < eigenvalues.size(); ++i)  // between 0.5 and 2
      EXPECT_NEAR(first[i], t((eigenvalues[i] - 1.25) / 0.75) / t(-1.25 / 0.75), 1e-13) << degree;
    // W_k(1 - x) / W_k(1) with W_k(cos t) = sin((k + 1/2) t) / sin(t / 2), here for x = 2 eigenvalue / largest
    options.smoother = AmgSmoother::fourth_kind;
    const std::vector<double> fourth = left_after(options, 2, eigenvalues);
    for (std::size_t i = 1; i < eigenvalues.size(); ++i) {
      const double angle = std::acos(std::clamp(1 - eigenvalues[i], -1.0, 1.0));
      EXPECT_NEAR(fourth[i], std::sin((degree + 0.5) * angle) / std::sin(angle / 2) / (2 * degree + 1), 1e-13);
    }
    // The weights make the largest x p(x)^2 / (1 - p(x)^2), what a V cycle leaves, smaller.
    options.smoother = AmgSmoother::fourth_kind_optimal;
    const std::vector<double> optimal = left_after(options, 2, eigenvalues);
    const auto worst = [&](const std::vector<double>& p) {
      double most = 0;
      for (std::size_t i = 1; i < p.size(); ++i)
        most = std::max(most, eigenvalues[i] * p[i] * p[i] / (1 - p[i] * p[i]));
      return most;
    };
    EXPECT_LT(worst(optimal), worst(fourth));
    for (std::size_t i = 1; i < optimal.size(); ++i) EXPECT_LT(std::abs(optimal[i]), 1);
  }
  const std::vector<double> plain = left_after({.smoother = AmgSmoother::l1_jacobi, .degree = 3}, 1, eigenvalues);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain[i], std::pow(1 - eigenvalues[i], 3), 1e-14);
}

TEST(MultigridEigenvalues, AreBoundedFromAbove) {
  Queue queue;
  for (const char* name : {"laplace2d5:40", "laplace3d27:12", "laplace2d5:40,contrast=1e4"}) {
    const Csr<double> csr = gallery::make(name);
    const SparseMatrix<double> a(csr, "csr");
    std::vector<double> inverse(to_size(csr.num_rows));
    for (Index r = 0; r < csr.num_rows; ++r)
      for (Offset s = csr.row_begin(r); s < csr.row_begin(r + 1); ++s)
        if (csr.cols.data()[s] == r) inverse[to_size(r)] = 1 / csr.vals.data()[s];
    const double few = estimate_largest(queue, a, inverse.data(), 10).all;
    const double many = estimate_largest(queue, a, inverse.data(), 60).all / 1.1;
    EXPECT_GE(few, 0.99 * many) << name;
    EXPECT_LE(few, 1.11 * many) << name;
  }
  const Csr<double> line = gallery::make("laplace2d5:nx=30,ny=1");  // 4 on the diagonal, and 2 - 2 cos of neighbours
  const SparseMatrix<double> a(line, "csr");
  const std::vector<double> inverse(30, 0.25);
  EXPECT_NEAR(estimate_largest(queue, a, inverse.data(), 40).all / 1.1, (4 + 2 * std::cos(std::numbers::pi / 31)) / 4,
              1e-8);
}

TEST(MultigridCoarsest, IsTheInverseOrSolvesWhatCanBe) {
  Queue queue;
  const Csr<double> regular = grid_matrix<double>(6, 5, 2, false, false);
  Coarsest<double> coarsest;
  coarsest.update(queue, regular);
  EXPECT_EQ(coarsest.num_left_out(), 0);
  const auto x = random_vector<double>(30, 3);
  std::vector<double> b(30), found(30);
  SparseMatrix<double>(regular, "csr").apply(queue, {.x = x, .y = b});
  coarsest.apply(queue, b.data(), found.data());
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(found[i], x[i], 1e-12);

  // Two grids without a boundary and two rows of zeros: four null vectors.
  std::vector<Triplet<double>> entries;
  const Csr<double> grid = neumann_grid(5, 4);
  for (Index r = 0; r < 20; ++r)
    for (Offset s = grid.row_begin(r); s < grid.row_begin(r + 1); ++s) {
      entries.push_back({r, grid.cols.data()[s], grid.vals.data()[s]});
      entries.push_back({20 + r, 20 + grid.cols.data()[s], 1e6 * grid.vals.data()[s]});
    }
  const Csr<double> singular = make_csr(42, 42, entries);
  coarsest.update(queue, singular);
  EXPECT_EQ(coarsest.num_left_out(), 4);
  const auto y = random_vector<double>(42, 4);
  std::vector<double> image(42), solution(42), again(42);
  const SparseMatrix<double> a(singular, "csr");
  a.apply(queue, {.x = y, .y = image});
  coarsest.apply(queue, image.data(), solution.data());
  a.apply(queue, {.x = solution, .y = again});
  for (std::size_t i = 0; i < 42; ++i) EXPECT_NEAR(again[i], image[i], 1e-10 * (i < 20 ? 1 : 1e6));
}

/// Entries within their rounding, and rows that add up to what they did.
void expect_rounded(const Csr<double>& csr, const Operator<float>& narrow) {
  const std::vector<float> ones(to_size(csr.num_rows), 1.0F), x = random_vector<float>(csr.num_rows, 7);
  const std::vector<float> sums = apply_to<float>(narrow, ones), y = apply_to<float>(narrow, x, 3);
  for (Index r = 0; r < csr.num_rows; ++r) {
    double sum = 0, value = 0, off = 0;
    for (Offset s = csr.row_begin(r); s < csr.row_begin(r + 1); ++s) {
      const Index c = csr.cols.data()[s];
      sum += csr.vals.data()[s], value += csr.vals.data()[s] * double{x[to_size(c)]};
      if (c != r) off += std::abs(csr.vals.data()[s]) * (std::abs(x[to_size(c)]) + std::abs(x[to_size(r)]));
    }
    EXPECT_NEAR(sums[to_size(r)], sum, 1e-5);
    EXPECT_NEAR(y[to_size(r)], value, 0x1p-8 * off + 1e-5);
  }
  expect_scaled_application(narrow, 4 * eps<float>);
}

TEST(MultigridNarrow, RoundsEntriesAndKeepsSumsOfRows) {
  Queue queue;
  const Csr<double> csr = grid_matrix<double>(20, 15, 6, false, false);
  expect_rounded(csr, NarrowRows<float>(queue, convert_values<float>(csr)));
  const Index around[] = {20, 1, 0, -1, -20};
  const Csr<double> stencil = gallery::make("laplace2d5:nx=20,ny=64,contrast=9");
  NarrowDiagonals<float> diagonals(queue, convert_values<float>(stencil), around);
  expect_rounded(stencil, diagonals);
  const Csr<double> other = gallery::make("laplace2d5:nx=20,ny=64,contrast=50");
  diagonals.update(queue, convert_values<float>(other));
  expect_rounded(other, diagonals);
  EXPECT_EQ(diagonals.bytes(), 1280 * (4 * 2 + 4) + 4 * 4);
  // Entries that come twice, out of order, and a row without a diagonal:
  const Csr<float> twice(3, 3, Array<std::int32_t>{0, 4, 4, 6}, Array<Index>{1, 0, 1, 0, 1, 2},
                         Array<float>{1, 2, 3, 4, 5, 6});
  const Index both[] = {-1, 1};
  EXPECT_EQ(apply_to<float>(NarrowDiagonals<float>(queue, twice, both), {1, 10, 100}),
            (std::vector<float>{46, 0, 650}));
}

}  // namespace
}  // namespace millrace::testing
