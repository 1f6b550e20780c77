// Equilibration: the largest entries of rows and columns become about 1, by powers of two, and only where that helps.
#include "millrace/precond/equilibrate.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

/// The random matrix of a grid with rows and columns multiplied by powers of ten.
Csr<double> badly_scaled(int decades, bool symmetric) {
  Csr<double> a = grid_matrix<double>(8, 8, 3, symmetric);
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const Index c = a.cols.data()[k];
      const int row = r * 7 % (2 * decades + 1) - decades, col = c * (symmetric ? 7 : 5) % (2 * decades + 1) - decades;
      a.vals.data()[k] *= std::pow(10.0, row) * std::pow(10.0, col);
    }
  return a;
}

TEST(Equilibrate, LeavesGoodMatricesAlone) {
  const Csr<double> a = grid_matrix<double>(8, 8, 3, false);
  const Scaling scaling = equilibrate(a, false);
  EXPECT_FALSE(scaling.needed());
  EXPECT_GE(scaling.row_spread, 0.1);
  EXPECT_EQ(scaling.text(), "not scaled");
  expect_same(scaled(a, scaling), a);
  EXPECT_FALSE(equilibrate(csr_of<double>(0, {}), true).needed());
}

TEST(Equilibrate, NormsBecomeOne) {
  for (const int decades : {2, 20, 100})
    for (const bool symmetric : {false, true}) {
      const Csr<double> a = badly_scaled(decades, symmetric);
      const Scaling scaling = equilibrate(a, symmetric);
      ASSERT_TRUE(scaling.needed());
      const Csr<double> b = scaled(a, scaling);
      std::vector<double> rows(static_cast<std::size_t>(b.num_rows)), cols(rows.size());
      for (Index r = 0; r < b.num_rows; ++r)
        for (Offset k = b.row_begin(r); k < b.row_begin(r + 1); ++k) {
          const auto i = static_cast<std::size_t>(r), j = static_cast<std::size_t>(b.cols.data()[k]);
          rows[i] = std::max(rows[i], std::abs(b.vals.data()[k]));
          cols[j] = std::max(cols[j], std::abs(b.vals.data()[k]));
          const int exponent = scaling.rows[i] + scaling.cols[j];
          EXPECT_EQ(std::ldexp(b.vals.data()[k], -exponent), a.vals.data()[k]);  // nothing was rounded
        }
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(std::log2(rows[i]), 0, 1.5);
        EXPECT_NEAR(std::log2(cols[i]), 0, 1.5);
      }
      EXPECT_TRUE(!symmetric || scaling.rows == scaling.cols);
    }
}

TEST(Equilibrate, SpreadsOfKnownMatrices) {
  const Csr<double> a = csr_of<double>(2, {{{0, 1e-200}, {1, 2e-200}}, {{0, 3e150}, {1, 1e100}}});
  const Scaling scaling = measure_scaling(a, false);
  EXPECT_FALSE(scaling.needed());
  EXPECT_LE(scaling.row_spread, 1e-300);
  EXPECT_NEAR(scaling.col_spread, 1, 1e-12);
  const Csr<double> columns = csr_of<double>(2, {{{0, 1.0}, {1, 1e-6}}, {{0, 2.0}, {1, 2e-7}}});
  EXPECT_NEAR(measure_scaling(columns, false).row_spread, 0.5, 1e-12);
  EXPECT_NEAR(measure_scaling(columns, false).col_spread, 1e-6, 1e-12);
}

TEST(Equilibrate, EmptyRowsAndZerosAreLeft) {
  const Csr<double> a = csr_of<double>(3, {{{0, 1e-9}, {1, 0.0}}, {}, {{2, 1.0}}});
  const Scaling scaling = equilibrate(a, false);
  ASSERT_TRUE(scaling.needed());
  EXPECT_EQ(scaling.rows[1], 0);
  EXPECT_EQ(scaling.cols[1], 0);
  EXPECT_NEAR(std::log2(std::abs(scaled(a, scaling).vals.data()[0])), 0, 1);
  EXPECT_NE(scaling.text().find("rows scaled by 2^0 to 2^1"), std::string::npos) << scaling.text();
}

TEST(Equilibrate, Vectors) {
  std::vector<std::complex<float>> v{{1, 2}, {3, 4}};
  scale_by(v, {});
  EXPECT_EQ(v[1], (std::complex<float>{3, 4}));
  scale_by(v, {1, -1});
  EXPECT_EQ(v[0], (std::complex<float>{2, 4}));
  EXPECT_EQ(v[1], (std::complex<float>{1.5, 2}));
}

}  // namespace
}  // namespace millrace::testing
