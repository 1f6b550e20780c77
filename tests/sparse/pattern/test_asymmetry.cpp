// How far a matrix is from Hermitian.
#include "millrace/sparse/stats.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

template <class T>
Csr<T> dense_pair(T a, T b, T c, T d) {
  return Csr<T>(2, 2, Array<std::int32_t>{0, 2, 4}, {0, 1, 0, 1}, {a, b, c, d});
}

}  // namespace

TEST(Asymmetry, OfSmallMatrices) {
  EXPECT_EQ(asymmetry(dense_pair<double>(1, 2, 2, 3)), 0);
  EXPECT_NEAR(asymmetry(dense_pair<double>(0, 1, -1, 0)), 2, 1e-15);  // |A - A^T| is twice |A|
  EXPECT_LE(asymmetry(dense_pair<double>(1, 2, 2 + 1e-14, 3)), max_asymmetry);
  EXPECT_GT(asymmetry(dense_pair<double>(1, 2, 2 + 1e-6, 3)), max_asymmetry);
  using C = std::complex<double>;
  EXPECT_EQ(asymmetry(dense_pair<C>(1, C(0, 2), C(0, -2), 3)), 0);                    // Hermitian
  EXPECT_GT(asymmetry(dense_pair<C>(1, C(0, 2), C(0, 2), 3)), 1);                     // symmetric is not
  EXPECT_GT(asymmetry(dense_pair<C>(C(0, 1), 0, 0, 1)), 1);                           // nor is an imaginary diagonal
  const Csr<double> upper(2, 2, Array<std::int32_t>{0, 2, 3}, {0, 1, 1}, {1, 1, 1});  // with no partner in the pattern
  EXPECT_NEAR(asymmetry(upper), std::sqrt(2.0 / 3.0), 1e-15);
  EXPECT_EQ(asymmetry(Csr<double>(0, 0, Array<std::int32_t>{0}, {}, {})), 0);
}

}  // namespace millrace::testing
