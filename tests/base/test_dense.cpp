// Dense LU and products of all sizes against the definition, for every scalar.
#include "millrace/base/dense.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

namespace millrace::testing {
namespace {

template <class A>
class DenseOf : public ::testing::Test {
 protected:
  // Numbers in -1..1 that repeat in every run.
  A next() {
    const auto part = [&] {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      return static_cast<RealOf<A>>(static_cast<double>(state_ >> 40) * 0x1p-23 - 1);
    };
    if constexpr (is_complex<A>) {
      const RealOf<A> re = part();
      return {re, part()};
    } else {
      return part();
    }
  }
  std::vector<A> numbers(Offset count) {
    std::vector<A> made(static_cast<std::size_t>(count));
    for (A& value : made) value = next();
    return made;
  }

 private:
  std::uint64_t state_ = 20261117;
};
using Scalars = ::testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(DenseOf, Scalars);

TYPED_TEST(DenseOf, ProductsOfAllShapesInPartsOfLargerMatrices) {
  using A = TypeParam;
  for (const auto& [m, n, k] :
       {std::array<Index, 3>{1, 1, 1}, {3, 5, 2}, {16, 4, 9}, {17, 7, 33}, {40, 48, 40}, {31, 1, 0}}) {
    const Offset lda = m + 3, ldb = k + 2, ldc = m + 1;
    const std::vector<A> a = this->numbers(lda * std::max(k, 1)), b = this->numbers(ldb * n),
                         c = this->numbers(ldc * n);
    for (const int sign : {1, -1}) {
      std::vector<A> got = c;
      dense::add_product<A>({a.data(), m, k, lda}, {b.data(), k, n, ldb}, dense::Block<A>(got.data(), m, n, ldc),
                            from_real<A>(static_cast<RealOf<A>>(sign)));
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < ldc; ++i) {
          const auto at = static_cast<std::size_t>(i + j * ldc);
          A sum{};
          for (Index l = 0; l < k && i < m; ++l)
            sum = multiply_add(a[static_cast<std::size_t>(i + l * lda)], b[static_cast<std::size_t>(l + j * ldb)], sum);
          const A wanted = c[at] + from_real<A>(static_cast<RealOf<A>>(sign)) * sum;
          EXPECT_LE(magnitude(got[at] - wanted), RealOf<A>(4 * (k + 2)) * epsilon<A> * RealOf<A>(k + 1))
              << m << ' ' << n;
        }
    }
  }
}

TYPED_TEST(DenseOf, SolvesWithManyRightHandSides) {
  using A = TypeParam;
  for (const Index n : {1, 2, 7, 8, 9, 16, 24, 40, 61, 100}) {
    const Index num = n % 2 == 0 ? 13 : 1;
    const std::vector<A> a = this->numbers(Offset{n} * n), x = this->numbers(Offset{n} * num);
    std::vector<A> b(x.size()), lu = a;
    std::vector<Index> pivots(static_cast<std::size_t>(n));
    dense::add_product<A>({a.data(), n, n}, {x.data(), n, num}, dense::Block<A>(b.data(), n, num));
    const std::vector<A> rhs = b;
    ASSERT_EQ(dense::factorise(dense::Block<A>(lu.data(), n, n), pivots.data()), 0);
    dense::solve<A>({lu.data(), n, n}, pivots.data(), dense::Block<A>(b.data(), n, num));
    std::vector<A> residual = rhs;  // small whatever the condition: n eps |A| |x|, entries are below 1.5
    RealOf<A> largest = 1;
    for (const A& value : b) largest = std::max(largest, magnitude(value));
    dense::add_product<A>({a.data(), n, n}, {b.data(), n, num}, dense::Block<A>(residual.data(), n, num),
                          from_real<A>(-1));
    for (const A& value : residual) EXPECT_LE(magnitude(value), RealOf<A>(20 * n) * epsilon<A> * largest) << n;
  }
}

TYPED_TEST(DenseOf, InverseTimesMatrixIsTheIdentity) {
  using A = TypeParam;
  const Index n = 20;
  std::vector<A> a = this->numbers(n * n), inverse(a.size()), product(a.size());
  for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] += from_real<A>(n);
  std::vector<A> lu = a;
  std::vector<Index> pivots(n);
  ASSERT_EQ(dense::invert(dense::Block<A>(lu.data(), n, n), inverse.data(), pivots.data()), 0);
  dense::add_product<A>({inverse.data(), n, n}, {a.data(), n, n}, dense::Block<A>(product.data(), n, n));
  for (Index i = 0; i < n * n; ++i)
    EXPECT_LE(magnitude(product[static_cast<std::size_t>(i)] - (i % (n + 1) == 0 ? one<A>() : A{})), 100 * epsilon<A>);
}

TYPED_TEST(DenseOf, SingularIsFoundAndTinyPivotsAreReplaced) {
  using A = TypeParam;
  const Index n = 12;
  std::vector<A> a = this->numbers(n * n);
  for (Index j = 0; j < n; ++j) a[static_cast<std::size_t>(3 + j * n)] = A{};  // a row of zeros
  std::vector<A> copy = a;
  std::vector<Index> pivots(n);
  EXPECT_EQ(dense::factorise(dense::Block<A>(copy.data(), n, n), pivots.data()), -1);
  EXPECT_EQ(dense::factorise(dense::Block<A>(a.data(), n, n), pivots.data(), {RealOf<A>(1e-6), RealOf<A>(1)}), 1);
  std::vector<A> nan(4, from_real<A>(std::numeric_limits<RealOf<A>>::quiet_NaN()));
  EXPECT_EQ(dense::factorise(dense::Block<A>(nan.data(), 2, 2), pivots.data()), -1);
  EXPECT_EQ(dense::factorise(dense::Block<A>(nan.data(), 0, 0), pivots.data()), 0);
}

}  // namespace
}  // namespace millrace::testing
