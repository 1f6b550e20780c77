// Formulas: what they mean, their derivatives against differences, and what is refused.
#include "millrace/io/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expect.hpp"
#include "millrace/base/error.hpp"

namespace millrace::testing {

static double at(const std::string& text, const Point& x = {0.3, 0.7, -0.2}) { return Expression::parse(text).at(x); }

TEST(Expression, MeansWhatItSays) {
  const double x = 0.3, y = 0.7, z = -0.2;
  EXPECT_DOUBLE_EQ(at("1 + 2 * 3"), 7);
  EXPECT_DOUBLE_EQ(at("(1 + 2) * 3"), 9);
  EXPECT_DOUBLE_EQ(at("2^3^2"), 512);
  EXPECT_DOUBLE_EQ(at("-x^2"), -x * x);
  EXPECT_DOUBLE_EQ(at("2^-1"), 0.5);
  EXPECT_DOUBLE_EQ(at("8 - 3 - 2"), 3);
  EXPECT_DOUBLE_EQ(at("8 / 4 / 2"), 1);
  EXPECT_DOUBLE_EQ(at("1.5e-3*x"), 1.5e-3 * x);
  EXPECT_DOUBLE_EQ(at("sin(pi*x) + cos(y)*exp(z)"), std::sin(M_PI * x) + std::cos(y) * std::exp(z));
  EXPECT_DOUBLE_EQ(at("sqrt(abs(z)) + atan(tanh(y))"), std::sqrt(0.2) + std::atan(std::tanh(y)));
  EXPECT_TRUE(Expression::parse("2 * pi").is_constant());
  EXPECT_FALSE(Expression::parse("0 * x").is_constant());
}

TEST(Expression, NamesStandForFormulas) {
  const Expression::Names names{{"r", Expression::parse("sqrt(x^2 + y^2)")}, {"two", Expression(2)}};
  EXPECT_DOUBLE_EQ(Expression::parse("two * r", names).at({3, 4, 0}), 10);
  const Expression product = names.at("r") * names.at("two") - Expression(1) / names.at("two") + Expression(3);
  EXPECT_DOUBLE_EQ(product.at({3, 4, 0}), 12.5);
}

TEST(Expression, DerivativesAgreeWithDifferences) {
  const Point x{0.4, 0.7, 0.3};
  for (const char* text :
       {"x*y*z", "sin(x*y) + cos(y - z)", "exp(x) / (1 + y^2)", "x^y", "(x + y)^2.5 * log(z + 2)", "tan(x) * sqrt(y)",
        "sinh(x*z) - cosh(y) * tanh(z)", "atan(x / y) + abs(-z)", "2^x", "x^3 - 3*x*y^2", "x^0 + y^1"}) {
    const Expression f = Expression::parse(text);
    const Jet jet = f.jet_at(x);
    EXPECT_DOUBLE_EQ(jet.value, f.at(x)) << text;
    const double h = 1e-5;
    for (std::size_t i = 0; i < 3; ++i) {
      Point up = x, down = x;
      up[i] += h;
      down[i] -= h;
      EXPECT_NEAR(jet.first[i], (f.at(up) - f.at(down)) / (2 * h), 1e-8) << text << ' ' << i;
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(jet.second[i][j], (f.jet_at(up).first[j] - f.jet_at(down).first[j]) / (2 * h), 1e-8)
            << text << ' ' << i << j;
    }
  }
}

TEST(Expression, SaysWhatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& why) {
    const std::string found = error_of([&] { Expression::parse(text); });
    EXPECT_NE(found.find(why), std::string::npos) << text << ": " << found;
  };
  refused("", "found the end; expected was a number, a name or '('");
  refused("1 +", "found the end");
  refused("sin x", "found 'x' at character 5; expected was '(' after sin");
  refused("(1 + x", "found the end; expected was ')'");
  refused("1 2", "found '2' at character 3; expected was an operation or the end");
  refused("u + 1", "'u' is unknown; there are: x y z pi sin");
  refused("1e999", "a number that a double can hold");
  refused("x $ y", "found '$' at character 3");
  refused(std::string(1000, '('), "nested deeper than 200");
  refused(std::string(1000, '-') + "1", "nested deeper than 200");
}

}  // namespace millrace::testing
