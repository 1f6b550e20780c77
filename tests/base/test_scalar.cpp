// Division of complex numbers without overflow on the way, and the test for finite ones.
#include "millrace/base/scalar.hpp"

#include <limits>

#include "expect.hpp"

namespace millrace::testing {

template <class R>
class ScalarOf : public ::testing::Test {};
using ScalarReals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScalarOf, ScalarReals);

TYPED_TEST(ScalarOf, QuotientsAndReciprocalsAreRightToAFewRoundings) {
  using R = TypeParam;
  using A = Complex<R>;
  Random random(3);
  for (int k = 0; k < 200; ++k) {
    const std::complex<R> p = random.value<std::complex<R>>(), q = random.value<std::complex<R>>();
    const std::complex<long double> right = std::complex<long double>(p) / std::complex<long double>(q),
                                    inverse = 1.0L / std::complex<long double>(q);
    const A found = arith(p) / arith(q), reciprocal_of = reciprocal(arith(q));
    const auto bound = [](std::complex<long double> value) { return 8 * epsilon<R> * std::abs(value); };
    EXPECT_LE(std::abs(std::complex<long double>(found.re, found.im) - right), bound(right));
    EXPECT_LE(std::abs(std::complex<long double>(reciprocal_of.re, reciprocal_of.im) - inverse), bound(inverse));
  }
  EXPECT_EQ(reciprocal(R{4}), R{0.25});
}

TYPED_TEST(ScalarOf, LargeNumbersDoNotOverflowOnTheWay) {
  using R = TypeParam;
  using A = Complex<R>;
  const R large = std::numeric_limits<R>::max() / 4;
  for (const A b : {A{large, large}, A{large, -1}, A{1, large}, A{-large, 0}, A{0, large}}) {
    const A one_of = b / b, inverse = reciprocal(b);
    EXPECT_NEAR(one_of.re, 1, 4 * epsilon<R>);
    EXPECT_NEAR(one_of.im, 0, 4 * epsilon<R>);
    EXPECT_TRUE(is_finite(inverse));
    EXPECT_FALSE(is_zero(inverse));
  }
}

TYPED_TEST(ScalarOf, FiniteIsNeitherNanNorInfiniteInAnyPart) {
  using R = TypeParam;
  using A = Complex<R>;
  const R nan = std::numeric_limits<R>::quiet_NaN(), infinity = std::numeric_limits<R>::infinity(),
          max = std::numeric_limits<R>::max();
  EXPECT_TRUE(is_finite(R{0}) && is_finite(max) && is_finite(-max) && is_finite(A{max, max}));
  for (const R bad : {nan, infinity, -infinity})
    EXPECT_FALSE(is_finite(bad) || is_finite(A{bad, 0}) || is_finite(A{0, bad}) || is_finite(A{bad, bad}));
}

}  // namespace millrace::testing
