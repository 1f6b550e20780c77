// The direct solver: inverses of all scalars and kinds, their transposes, condition, inertia, and refusals.
#include "millrace/precond/direct.hpp"
#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

bool has(Factorisation kind) {
  const std::size_t place = kind == Factorisation::lu ? 1 : kind == Factorisation::klu ? 2 : 0;
  return direct_packages()[place].built();
}

constexpr Factorisation all_kinds[] = {Factorisation::cholesky, Factorisation::ldl, Factorisation::lu,
                                       Factorisation::klu};

bool needs_hermitian(Factorisation kind) { return kind == Factorisation::cholesky || kind == Factorisation::ldl; }

template <class T>
class DirectOf : public ::testing::Test {};
using DirectScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DirectOf, DirectScalars);

TYPED_TEST(DirectOf, InvertsInAllKinds) {
  using T = TypeParam;
  Queue queue;
  for (const Factorisation kind : all_kinds)
    for (const Index nx : {1, 2, 33}) {
      if (!has(kind)) continue;
      const Csr<T> a = grid_matrix<T>(nx, 7, 5, needs_hermitian(kind), false);
      const Direct<T> inverse(queue, a, {.kind = kind});
      EXPECT_EQ(inverse.report().kind, kind);
      EXPECT_FALSE(inverse.report().package.empty());
      EXPECT_GT(inverse.report().rcond, 1e-3);  // the diagonal is dominant
      EXPECT_LE(inverse.report().rcond, 1);
      EXPECT_GE(inverse.report().factor_entries, a.num_rows);
      const std::vector<T> b = random_vector<T>(a.num_rows, 7);
      EXPECT_LE(residual<T>(a, apply_to(inverse, b), b), 20 * eps<T>) << to_string(kind);
      expect_scaled_application<T>(inverse, 4 * eps<T>);
      for (const Op op : {Op::transpose, Op::conjugate_transpose}) {
        std::vector<T> y(b.size());
        inverse.apply(queue, {.x = b, .y = y, .op = op});
        EXPECT_LE(residual<T>(transpose(a, op == Op::conjugate_transpose), y, b), 20 * eps<T>) << to_string(kind);
      }
    }
}

TYPED_TEST(DirectOf, ChoosesByTheMatrix) {
  using T = TypeParam;
  Queue queue;
  if (!has(Factorisation::cholesky) || !has(Factorisation::lu)) GTEST_SKIP() << "this build lacks a package";
  EXPECT_EQ(Direct<T>(queue, grid_matrix<T>(9, 9, 1, true)).report().kind, Factorisation::cholesky);
  EXPECT_EQ(Direct<T>(queue, grid_matrix<T>(9, 9, 1, false)).report().kind, Factorisation::lu);
  Csr<T> indefinite = csr_of<T>(2, {{{0, T(1)}, {1, T(2)}}, {{0, T(2)}, {1, T(1)}}});
  const Direct<T> inverse(queue, indefinite);  // a positive diagonal, but eigenvalues 3 and -1
  EXPECT_EQ(inverse.report().kind, Factorisation::lu);
  EXPECT_NEAR(std::abs(apply_to(inverse, std::vector<T>{T(3), T(3)})[1] - T(1)), 0, 4 * eps<T>);
}

TEST(Direct, NothingToFactorise) {
  Queue queue;
  const Direct<double> inverse(queue, csr_of<double>(0, {}));
  EXPECT_EQ(inverse.shape(), (Shape{0, 0}));
  EXPECT_TRUE(apply_to(inverse, {}).empty());
}

TEST(Direct, ConditionOfADiagonalMatrix) {
  Queue queue;
  for (const Factorisation kind : all_kinds) {
    if (!has(kind)) continue;
    const Csr<double> a = csr_of<double>(3, {{{0, 4.0}}, {{1, 1e-3}}, {{2, 1.0}}});
    EXPECT_NEAR(Direct<double>(queue, a, {.kind = kind, .equilibrate = false}).report().rcond, 1e-3 / 4, 1e-12);
    const Direct<double> scaled(queue, a, {.kind = kind});
    EXPECT_GT(scaled.report().rcond, 0.25);
    EXPECT_NE(scaled.report().scaling, "");
    const std::vector<double> x = apply_to(scaled, {8.0, 3e-3, 5.0});
    EXPECT_NEAR(x[0], 2, 1e-15);
    EXPECT_NEAR(x[1], 3, 1e-15);
    EXPECT_NEAR(x[2], 5, 1e-15);
  }
}

TEST(Direct, ConditionOfHilbertMatrices) {
  if (!has(Factorisation::lu)) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  const double known[] = {0, 1, 27, 748, 28375, 943656, 2.907e7};  // of order n in the 1-norm
  for (Index n = 2; n <= 6; ++n) {
    std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) rows[static_cast<std::size_t>(i)].push_back({j, 1.0 / (i + j + 1)});
    const Direct<double> inverse(queue, csr_of<double>(n, rows), {.kind = Factorisation::lu, .equilibrate = false});
    EXPECT_NEAR(inverse.report().rcond * known[n], 1, 0.01) << n;
  }
}

TEST(Direct, CountsNegativeEigenvalues) {
  if (!has(Factorisation::ldl)) GTEST_SKIP() << "this build has no CHOLMOD";
  Queue queue;
  constexpr Index n = 200;  // eigenvalues 2 - 2 cos(k pi / 201), k = 1..200
  for (const double shift : {-0.5, 0.1, 1.1, 2.7, 4.5}) {
    std::vector<std::vector<std::pair<Index, double>>> rows(n);
    Index below = 0;
    for (Index i = 0; i < n; ++i) {
      auto& row = rows[static_cast<std::size_t>(i)];
      if (i > 0) row.push_back({i - 1, -1.0});
      row.push_back({i, 2 - shift});
      if (i + 1 < n) row.push_back({i + 1, -1.0});
      below += 2 - 2 * std::cos((i + 1) * M_PI / (n + 1)) < shift ? 1 : 0;
    }
    const Direct<double> inverse(queue, csr_of<double>(n, rows), {.kind = Factorisation::ldl});
    ASSERT_TRUE(inverse.report().num_negative.has_value()) << shift << ", growth " << inverse.report().growth;
    EXPECT_EQ(*inverse.report().num_negative, below) << shift;
    EXPECT_GE(inverse.report().growth, 0.3);
    const Csr<std::complex<double>> same = convert_values<std::complex<double>>(csr_of<double>(n, rows));
    EXPECT_EQ(*Direct<std::complex<double>>(queue, same, {.kind = Factorisation::ldl}).report().num_negative, below);
  }
  EXPECT_EQ(*Direct<double>(queue, grid_matrix<double>(5, 5, 1, true)).report().num_negative, 0);
}

TEST(Direct, InertiaWithoutPivotingIsWithheldWhenTheFactorsGrow) {
  if (!has(Factorisation::ldl)) GTEST_SKIP() << "this build has no CHOLMOD";
  Queue queue;
  const Csr<double> tiny_pivots = csr_of<double>(2, {{{0, 1e-12}, {1, 1.0}}, {{0, 1.0}, {1, 1e-12}}});
  const Direct<double> inverse(queue, tiny_pivots, {.kind = Factorisation::ldl});
  EXPECT_GT(inverse.report().growth, 1e8);
  EXPECT_FALSE(inverse.report().num_negative.has_value());
  const Csr<double> zero_pivot = csr_of<double>(2, {{{0, 0.0}, {1, 1.0}}, {{0, 1.0}, {1, 0.0}}});
  EXPECT_NE(error_of([&] { Direct<double>(queue, zero_pivot, {.kind = Factorisation::ldl}); }).find("zero pivot"),
            std::string::npos);
}

TEST(Direct, SingularMatricesAreReported) {
  Queue queue;
  for (const Factorisation kind : {Factorisation::lu, Factorisation::klu}) {
    if (!has(kind)) continue;
    const Csr<double> same_rows = csr_of<double>(2, {{{0, 1.0}, {1, 2.0}}, {{0, 1.0}, {1, 2.0}}});
    const Csr<double> empty_row = csr_of<double>(3, {{{0, 1.0}, {1, 2.0}}, {}, {{0, 1.0}, {2, 2.0}}});
    for (const Csr<double>* a : {&same_rows, &empty_row}) {
      const Direct<double> inverse(queue, *a, {.kind = kind});
      EXPECT_TRUE(inverse.report().singular()) << to_string(kind);
      EXPECT_NE(inverse.report().text().find("singular"), std::string::npos);
      const std::vector<double> b(static_cast<std::size_t>(a->num_rows), 1.0);
      EXPECT_NE(error_of([&] { apply_to(inverse, b); }).find("no inverse"), std::string::npos);
    }
  }
}

TEST(Direct, Refusals) {
  Queue queue;
  const Csr<double> unsymmetric = grid_matrix<double>(3, 3, 1, false);
  EXPECT_NE(error_of([&] { Direct<double>(queue, random_csr<double>(3, 4, 2, 1)); }).find("must be square"),
            std::string::npos);
  Csr<double> nan = grid_matrix<double>(2, 2, 1, true);
  nan.vals.data()[0] = std::nan("");
  EXPECT_NE(error_of([&] { Direct<double>(queue, nan); }).find("NaN or Inf"), std::string::npos);
  EXPECT_NE(error_of([&] {
              Direct<double>(queue, unsymmetric, {.kind = Factorisation::cholesky});
            }).find("cholesky takes symmetric"),
            std::string::npos);
  for (const Factorisation kind : all_kinds) {
    const Csr<double> a = grid_matrix<double>(30, 30, 1, true);
    if (!has(kind)) {
      EXPECT_NE(error_of<Unsupported>([&] { Direct<double>(queue, a, {.kind = kind}); }).find("libsuitesparse-dev"),
                std::string::npos);
      continue;
    }
    const std::string text = error_of([&] { Direct<double>(queue, a, {.kind = kind, .max_bytes = 5000}); });
    EXPECT_NE(text.find("expects factors of up to"), std::string::npos) << text;
    EXPECT_NE(text.find("the limit is 5"), std::string::npos) << text;
  }
  if (has(Factorisation::cholesky)) {
    const Csr<double> indefinite = csr_of<double>(2, {{{0, 1.0}, {1, 2.0}}, {{0, 2.0}, {1, 1.0}}});
    EXPECT_NE(error_of([&] {
                Direct<double>(queue, indefinite, {.kind = Factorisation::cholesky});
              }).find("not positive definite"),
              std::string::npos);
  }
}

TEST(GpuDirect, TheHostSolvesForAMatrixOnAGpu) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  if (!has(Factorisation::lu)) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue(Device::gpu());
  const Csr<double> a = grid_matrix<double>(20, 7, 5, false);
  const Direct<double> inverse(queue, a.to(Device::gpu()));
  EXPECT_EQ(inverse.device(), Device::gpu());
  const std::vector<double> b = random_vector<double>(a.num_rows, 7);
  const Array<double> b_there = Array<double>(std::span<const double>(b)).to(Device::gpu());
  Array<double> x_there = Array<double>(std::span<const double>(b)).to(Device::gpu());
  inverse.apply(queue, {.alpha = 2, .x = b_there, .beta = -1, .y = x_there});
  std::vector<double> x = x_there.to_vector();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] + b[i]) / 2;
  EXPECT_LE(residual<double>(a, x, b), 1e-14);
  EXPECT_NE(error_of([&] {
              Queue host;
              Direct<double>(host, a.to(Device::gpu()));
            }).find("both must be on one device"),
            std::string::npos);
}

TEST(Direct, PackagesNameTheirLicences) {
  ASSERT_EQ(direct_packages().size(), 3u);
  for (const DirectPackage& package : direct_packages()) {
    EXPECT_NE(package.licence.find("GPL"), std::string::npos);
    EXPECT_FALSE(package.use.empty());
  }
}

}  // namespace
}  // namespace millrace::testing
