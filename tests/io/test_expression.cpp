// Formulas: what they mean, their derivatives against differences, and what is refused.
#include "millrace/io/expression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "expect.hpp"
#include "millrace/base/error.hpp"

namespace millrace::testing {

static double at(const std::string& text, const Point& x = {0.3, 0.7, -0.2}, double t = 0) {
  return Expression::parse(text).at(x, t);
}

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
  EXPECT_DOUBLE_EQ(at("asin(x) - acos(y) + atan2(y, z)"), std::asin(x) - std::acos(y) + std::atan2(y, z));
  EXPECT_DOUBLE_EQ(at("hypot(x, y) * erf(z)"), std::hypot(x, y) * std::erf(z));
  EXPECT_DOUBLE_EQ(at("min(x, y) + 10 * max(x, y)"), x + 10 * y);
  EXPECT_DOUBLE_EQ(at("floor(z) + 10 * sign(z) + sign(x) + sign(0)"), -1 - 10 + 1);
  EXPECT_DOUBLE_EQ(at("pow(y, 2.5) + pow(z, 3)"), std::pow(y, 2.5) + z * z * z);
  EXPECT_DOUBLE_EQ(at("x + 2 * t", {1, 0, 0}, 3), 7);
  EXPECT_DOUBLE_EQ(at("1 +\n 2\r\n\t* 3"), 7);
  EXPECT_TRUE(Expression::parse("2 * pi").is_constant());
  EXPECT_TRUE(Expression::parse("1 / 0").is_constant());
  EXPECT_EQ(at("1 / 0"), INFINITY);
  EXPECT_FALSE(Expression::parse("0 * x").is_constant());
  EXPECT_FALSE(Expression::parse("t").is_constant());
  EXPECT_TRUE(Expression::parse("x * t").uses_time());
  EXPECT_FALSE(Expression::parse("x + z").uses_time());
}

TEST(Expression, ComparisonsAreOneOrZero) {
  for (const double x : {-1.0, 0.0, 0.5, 1.0}) {
    const auto holds = [&](const char* text) { return at(text, {x, 0.5, 0}); };
    EXPECT_EQ(holds("x < y"), x < 0.5);
    EXPECT_EQ(holds("x <= y"), x <= 0.5);
    EXPECT_EQ(holds("x > y"), x > 0.5);
    EXPECT_EQ(holds("x >= y"), x >= 0.5);
    EXPECT_EQ(holds("x == y"), x == 0.5);
    EXPECT_EQ(holds("x != y"), x != 0.5);
    EXPECT_EQ(holds("x + 1 < 2 * y"), x + 1 < 1);  // below sums
    EXPECT_EQ(holds("3 * (x < y) + 1"), x < 0.5 ? 4 : 1);
    EXPECT_EQ(holds("if(x < y, 7, -x)"), x < 0.5 ? 7 : -x);
    EXPECT_EQ(holds("if(x, 1 / x, 9)"), x != 0 ? 1 / x : 9);
  }
}

// Whole powers are products, not more; other powers are those of the library.
TEST(Expression, WholePowersAreProducts) {
  for (const double x : {-1.7, -0.0, 0.3, 2.0}) {
    EXPECT_EQ(at("x^0", {x, 0, 0}), 1);
    EXPECT_EQ(at("x^1", {x, 0, 0}), x);
    EXPECT_EQ(at("x^3", {x, 0, 0}), x * x * x);
    EXPECT_EQ(at("x^4", {x, 0, 0}), (x * x) * (x * x));
    EXPECT_EQ(at("x^-2", {x, 0, 0}), 1 / (x * x));
    for (int n = 5; n <= 40; ++n)
      EXPECT_NEAR(at(join("x^", n), {x, 0, 0}), std::pow(x, n), 40 * 0x1p-52 * std::abs(std::pow(x, n))) << n;
  }
}

TEST(Expression, ManyPlacesAreAsOneByOne) {
  const Expression f = Expression::parse("if(x < y, sin(x * y)^2, max(x, z) + t) / (1 + hypot(y, z)) - x");
  for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 200U}) {
    const std::vector<double> numbers = random_vector<double>(static_cast<std::int64_t>(3 * count), 5);
    std::vector<Point> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
    std::vector<double> values(count, NAN);
    f.at(places, 0.25, values);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(values[i], f.at(places[i], 0.25)) << i << " of " << count;
  }
  std::vector<double> few(1);
  const std::vector<Point> two(2);
  EXPECT_EQ(error_of([&] { f.at(two, 0, few); }), "a formula at 2 places needs room for as many values, not 1");
}

TEST(Expression, NamesStandForFormulas) {
  const Expression::Names names{{"r", Expression::parse("sqrt(x^2 + y^2)")}, {"two", Expression(2)}};
  EXPECT_DOUBLE_EQ(Expression::parse("two * r", names).at({3, 4, 0}), 10);
  const Expression product = names.at("r") * names.at("two") - Expression(1) / names.at("two") + Expression(3);
  EXPECT_DOUBLE_EQ(product.at({3, 4, 0}), 12.5);
}

// A name that doubles another, sixty times: 2^60 terms, if each were evaluated.
TEST(Expression, WhatIsUsedTwiceIsEvaluatedOnce) {
  Expression f = Expression::parse("x");
  for (int i = 0; i < 60; ++i) f = Expression::parse("f + f", {{"f", f}});
  EXPECT_EQ(f.at({3, 0, 0}), 3 * 0x1p60);
  EXPECT_EQ(f.jet_at({3, 0, 0}).first[0], 0x1p60);
  EXPECT_LT(to_source(f).size(), 3000U);
}

TEST(Expression, DerivativesAgreeWithDifferences) {
  const Point x{0.4, 0.7, 0.3};
  for (const char* text : {"x*y*z",
                           "sin(x*y) + cos(y - z)",
                           "exp(x) / (1 + y^2)",
                           "x^y",
                           "(x + y)^2.5 * log(z + 2)",
                           "tan(x) * sqrt(y)",
                           "sinh(x*z) - cosh(y) * tanh(z)",
                           "atan(x / y) + abs(-z)",
                           "2^x",
                           "x^3 - 3*x*y^2",
                           "x^0 + y^1",
                           "x^-3 * y^7",
                           "asin(x * y) + acos(z - x)",
                           "atan2(y * z, x - 2)",
                           "atan2(x, y^2)",
                           "hypot(x + y, y * z)",
                           "erf(x * y - z)",
                           "min(x * y, z) + max(x^2, y * z)",
                           "if(x < y, x * y^2, z)",
                           "if(x > y, x * y^2, z^3 * x)",
                           "floor(x + 3 * y) + sign(z) * x^2 + (x < y) * y^3",
                           "t * x^2 + t^2",
                           "pow(x + y, z)",
                           "-x^2 / -y"}) {
    const Expression f = Expression::parse(text);
    const double t = 0.6, h = 1e-5;
    const Jet jet = f.jet_at(x, t);
    EXPECT_EQ(jet.value, f.at(x, t)) << text;
    for (std::size_t i = 0; i < 3; ++i) {
      Point up = x, down = x;
      up[i] += h;
      down[i] -= h;
      const double scale = 1 + std::abs(jet.first[i]);
      EXPECT_NEAR(jet.first[i], (f.at(up, t) - f.at(down, t)) / (2 * h), 1e-7 * scale) << text << ' ' << i;
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(jet.second[i][j], (f.jet_at(up, t).first[j] - f.jet_at(down, t).first[j]) / (2 * h),
                    1e-7 * (1 + std::abs(jet.second[i][j])))
            << text << ' ' << i << j;
    }
  }
}

// Where a formula is smooth, its derivatives are finite, whatever its parts are.
TEST(Expression, DerivativesWherePartsHaveNone) {
  const Jet square = Expression::parse("x^2").jet_at({0, 0, 0});
  EXPECT_EQ(square.second[0][0], 2);
  const Jet constant = Expression::parse("x * sqrt(1 - 1) + 0^2").jet_at({1, 0, 0});
  EXPECT_EQ(constant.first[0], 0);
  const Jet chosen = Expression::parse("if(x > 0, sqrt(x), x)").jet_at({0, 0, 0});
  EXPECT_EQ(chosen.first[0], 1);
  const Jet negative = Expression::parse("x^(1 + 1)").jet_at({-3, 0, 0});
  EXPECT_EQ(negative.first[0], -6);
}

TEST(Expression, SaysWhatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& why) {
    const std::string found = error_of([&] { Expression::parse(text); });
    EXPECT_NE(found.find(why), std::string::npos) << text << ": " << found;
  };
  refused("", "character 1: found the end; expected was a number, a name or '('");
  refused("1 +", "formula '1 +', character 4: found the end");
  refused("sin x", "character 5: found 'x'; expected was '(' after sin");
  refused("(1 + x", "character 7: found the end; expected was ')'");
  refused("1 2", "character 3: found '2'; expected was an operation or the end");
  refused("2x", "character 2: found 'x'; expected was an operation or the end");
  refused("u + 1",
          "character 1: 'u' is unknown; there are: x y z t pi sin cos tan asin acos atan atan2 sinh cosh tanh "
          "exp log sqrt abs min max floor sign if pow hypot erf");
  refused("1 + sni(x)", "character 5: 'sni' is unknown, and 'sin' is the nearest; there are: x y");
  refused("squrt(x)", "'squrt' is unknown, and 'sqrt' is the nearest");
  refused("1e999", "a number that a double can hold");
  refused("x $ y", "character 3: found '$'");
  refused("x < y < z", "character 7: found '<' behind a comparison; a < b < c is not accepted, min(a < b, b < c) is");
  refused("x == y != z", "character 8: found '!=' behind a comparison");
  refused("x = y", "character 3: found '='; expected was an operation or the end; a comparison is written ==");
  refused("x ** 2", "character 4: found '*'; expected was a number, a name or '('; a power is written x^2");
  refused("x < 1 && y < 1", "character 7: found '&'; expected was an operation or the end; conditions are joined by");
  refused("1,5", "character 2: found ','; expected was an operation or the end");
  refused("2 * sin(x, y)", "character 5: sin takes 1 argument, and 2 were given");
  refused("if(x < 1, 2)", "character 1: if takes 3 arguments, and 2 were given");
  refused("max(x)", "character 1: max takes 2 arguments, and 1 was given");
  refused("min(x, y, z)", "min takes 2 arguments, and 3 were given");
  refused("sin()", "character 5: found ')'; expected was a number, a name or '('");
  refused("pow(x; 2)", "character 6: found ';'; expected was ',' or ')'");
  refused("x(2)", "character 2: found '('; expected was an operation or the end");
  refused(std::string("x\0y", 3), "found '\\x00'");
  EXPECT_EQ(error_of([] {
              Expression::parse("rho + z", {{"rhoe", 1.0}}, "xy");
            }),
            "formula 'rho + z', character 1: 'rho' is unknown, and 'rhoe' is the nearest; there are: x y pi rhoe sin "
            "cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs min max floor sign if pow hypot erf");
  EXPECT_NE(error_of([] { Expression::parse("1 + z", {}, "xy"); }).find("character 5: 'z' is unknown"),
            std::string::npos);
}

TEST(Expression, RefusesWhatIsTooDeepOrTooLong) {
  const auto refused = [](const std::string& text, const std::string& why) {
    const std::string found = error_of([&] { Expression::parse(text); });
    EXPECT_NE(found.find(why), std::string::npos) << found;
    EXPECT_LT(found.size(), 300U);
  };
  const auto repeated = [](const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  refused(std::string(1000, '('), "character 202: brackets and signs are nested deeper than 200");
  refused(std::string(10000, '('), "nested deeper than 200");
  refused(std::string(1000, '-') + "1", "nested deeper than 200");
  refused(repeated("sin(", 500), "nested deeper than 200");
  refused(repeated("x^", 1000) + "x", "nested deeper than 200");
  refused(std::string(1 << 20, '('), "a formula has at most 10000 characters, and this one 1048576");
  refused("1" + repeated("+1", 1 << 19), "a formula has at most 10000 characters");
  // Long, but not too long: the depth of a sum costs nothing.
  EXPECT_EQ(at("x" + repeated("+x", 4900), {1, 0, 0}), 4901);
  EXPECT_EQ(Expression::parse("x" + repeated("+x", 4900)).jet_at({1, 0, 0}).first[0], 4901);
  Expression f = Expression::parse("x");
  const std::string text = error_of([&] {
    for (int i = 0; i < 100; ++i) {
      std::string more = "f";
      for (int j = 0; j < 100; ++j) more += join("+sin(f+", 100 * i + j, ")");
      f = Expression::parse(more, {{"f", f}});
    }
  });
  EXPECT_NE(text.find(": a formula, with the names in it, has at most 10000 operations"), std::string::npos) << text;
}

}  // namespace millrace::testing
