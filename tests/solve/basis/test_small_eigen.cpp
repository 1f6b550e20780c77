// Small dense Hermitian matrices: eigenvectors are orthonormal and satisfy their equations, whatever the scale.
#include "millrace/solve/basis/small_eigen.hpp"

#include "support.hpp"

namespace millrace::testing {
namespace {

using namespace detail;

TEST(SmallEigen, DiagonalisesRealAndComplexMatrices) {
  Random random(5);
  for (const int n : {0, 1, 2, 3, 17, 40}) {
    std::vector<Complex<double>> matrix(static_cast<std::size_t>(n * n));
    const auto at = [&](auto& m, int row, int column) -> auto& {
      return m[static_cast<std::size_t>(column * n + row)];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        at(matrix, i, j) = {random.uniform(), i == j ? 0 : random.uniform()};
        at(matrix, j, i) = conjugate(at(matrix, i, j));
      }
    std::vector<double> real;
    for (const auto& value : matrix) real.push_back(value.re);
    const auto check = [&](const auto& m, const auto& eigen) {
      EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
      for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
          auto sum = -eigen.values[static_cast<std::size_t>(k)] * at(eigen.vectors, i, k);
          auto dot = 0. * at(eigen.vectors, 0, 0);
          for (int j = 0; j < n; ++j) {
            sum += at(m, i, j) * at(eigen.vectors, j, k);
            dot += conjugate(at(eigen.vectors, j, i)) * at(eigen.vectors, j, k);
          }
          EXPECT_LE(magnitude(sum), 1e-13 * n);
          EXPECT_NEAR(magnitude(dot), i == k ? 1 : 0, 1e-14 * n);
        }
      }
    };
    check(matrix, small_eigen(n, matrix));
    check(real, small_eigen(n, real));
  }
}

TEST(SmallEigen, ScalesAndSpecialMatrices) {
  for (const double scale : {1e-200, 1.0, 1e200}) {
    const auto eigen = small_eigen<double>(3, {2 * scale, -scale, 0, -scale, 2 * scale, -scale, 0, -scale, 2 * scale});
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(eigen.values[static_cast<std::size_t>(k)] / scale, 2 + (k - 1) * std::sqrt(2.0), 1e-15 * 8);
  }
  const auto zero = small_eigen<double>(4, std::vector<double>(16));
  for (const double value : zero.values) EXPECT_EQ(value, 0);
  const auto diagonal = small_eigen<double>(3, {3, 0, 0, 0, 1, 0, 0, 0, 1});
  EXPECT_EQ(diagonal.values, (std::vector<double>{1, 1, 3}));
  EXPECT_EQ(std::abs(diagonal.vectors[6]), 1);
}

}  // namespace
}  // namespace millrace::testing
