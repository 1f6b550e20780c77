// Formulas printed as source: what the system's compiler makes of them gives what the formulas give, bit by bit in
// double, for made-up formulas at made-up places.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "expect.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/io/expression_program.hpp"
#include "temporary_folder.hpp"

namespace millrace::testing {
namespace {

// A formula in which every rule of the grammar may come up.
std::string random_formula(Random& random, int depth) {
  const auto part = [&] { return random_formula(random, depth - 1); };
  if (depth == 0 || random.below(8) == 0) {
    const char* const names[] = {"x", "y", "z", "t", "pi"};
    return random.below(4) == 0 ? join(std::abs(random.uniform())) : std::string(names[random.below(5)]);
  }
  switch (random.below(6)) {
    case 0: {
      const char* const signs[] = {" + ", " - ", " * ", " / "};
      return join("(", part(), signs[random.below(4)], part(), ")");
    }
    case 1: {
      const char* const signs[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
      return join("(", part(), signs[random.below(6)], part(), ")");
    }
    case 2:
      return join("(-", part(), ")");
    case 3:
      return join("(", part(), ")^", random.below(2) == 0 ? join(random.below(9)) : join("(", part(), ")"));
    default: {
      const auto& functions = detail::formula_functions;
      const detail::FormulaFunction& function =
          functions[static_cast<std::size_t>(random.below(static_cast<Index>(functions.size())))];
      std::string text = join(function.name, "(", part());
      for (int a = 1; a < detail::num_arguments(function.op); ++a) text += join(", ", part());
      return text + ")";
    }
  }
}

// The sources as functions of a library: values(x, t, out) and values_float.
std::string library_text(const std::vector<std::string>& sources) {
  std::string text = "#include <cmath>\n", calls;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    text += join("template <class T> T f", i, "(const T* x, T t) { (void)x, (void)t; return ", sources[i], "; }\n");
    calls += join("  out[", i, "] = f", i, "(x, t);\n");
  }
  for (const auto& [name, type] : {std::pair{"values", "double"}, std::pair{"values_float", "float"}})
    text += join("extern \"C\" void ", name, "(const ", type, "* x, ", type, " t, ", type, "* out) {\n", calls, "}\n");
  return text;
}

bool has_compiler() { return std::system("c++ --version > /dev/null 2>&1") == 0; }

class Library {
 public:
  explicit Library(const std::string& text) : folder_("millrace-source") {
    const std::string source = (folder_.path() / "f.cpp").string(), library = (folder_.path() / "f.so").string();
    std::ofstream(source) << text;
    const std::string command = "c++ -std=c++17 -O1 -ffp-contract=off -shared -fPIC '" + source + "' -o '" + library +
                                "' 2> '" + source + ".err'";
    if (std::system(command.c_str()) == 0) handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_) dlclose(handle_);
  }
  template <class T>
  auto function(const char* name) const {
    using Function = void (*)(const T*, T, T*);
    return handle_ ? reinterpret_cast<Function>(dlsym(handle_, name)) : nullptr;
  }

 private:
  test::TemporaryFolder folder_;
  void* handle_ = nullptr;
};

TEST(ExpressionSource, CompiledItGivesTheSameBits) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler here";
  Random random(11);
  std::vector<std::string> texts, sources;
  for (int i = 0; i < 150; ++i) {
    texts.push_back(random_formula(random, 2 + i % 4));
    sources.push_back(to_source(Expression::parse(texts.back())));
  }
  // Sums of thousands of terms, and what is used again and again.
  std::string sum = "x", power = "x";
  for (int i = 0; i < 500; ++i) sum += join(" + ", i, " * y");
  for (int i = 0; i < 30; ++i) power = join("sin(y + ", power, ")");
  for (const std::string& text : {sum, power, std::string("(x + y)^31 - min(x * y, z + t)^-5")}) {
    texts.push_back(text);
    sources.push_back(to_source(Expression::parse(text)));
  }
  const Library library(library_text(sources));
  const auto values = library.function<double>("values");
  ASSERT_NE(values, nullptr);
  ASSERT_NE(library.function<float>("values_float"), nullptr);
  int finite = 0;
  std::vector<double> found(sources.size());
  for (int p = 0; p < 40; ++p) {
    const Point x{2 * random.uniform(), random.uniform(), p % 5 == 0 ? 0.0 : random.uniform()};
    const double t = random.uniform();
    values(x.data(), t, found.data());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const double expected = Expression::parse(texts[i]).at(x, t);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(found[i])) << texts[i];
      else
        EXPECT_EQ(found[i], expected) << texts[i] << "\nat " << x[0] << ' ' << x[1] << ' ' << x[2] << ' ' << t << '\n'
                                      << sources[i];
      finite += std::isfinite(expected);
    }
  }
  EXPECT_GT(finite, 3000);  // of 6120: most are numbers
}

TEST(ExpressionSource, InFloatItIsRounded) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler here";
  std::vector<Expression> formulas;
  std::vector<std::string> sources;
  for (const char* text : {"1 + 0.1 * x^3", "sin(pi * x) * cosh(y) + 2", "if(x < y, 1, 10)", "sqrt(2 + x) * erf(y + 2)",
                           "max(abs(x), 0.5) / (1.5 + t)", "sign(x) + floor(10 * y) * atan2(y, x)"}) {
    formulas.push_back(Expression::parse(text));
    sources.push_back(to_source(formulas.back()));
  }
  const Library library(library_text(sources));
  const auto values = library.function<float>("values_float");
  ASSERT_NE(values, nullptr);
  Random random(3);
  std::vector<float> found(sources.size());
  for (int p = 0; p < 50; ++p) {
    const float x[3] = {random.value<float>(), random.value<float>(), random.value<float>()};
    const float t = random.value<float>() / 2;
    values(x, t, found.data());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const double expected = formulas[i].at({x[0], x[1], x[2]}, t);
      EXPECT_NEAR(found[i], expected, 16 * 0x1p-24 * (1 + std::abs(expected))) << sources[i];
    }
  }
}

TEST(ExpressionSource, LooksAsItShould) {
  const auto source = [](const char* text, const SourceNames& names = {}) {
    return to_source(Expression::parse(text), names);
  };
  EXPECT_EQ(source("1 + 0.1 * x"), "(T(1.0) + (T(0.1) * x[0]))");
  EXPECT_EQ(source("2 * pi"), "T(6.283185307179586)");
  EXPECT_EQ(source("x < t"), "T(x[0] < t)");
  EXPECT_EQ(source("y^2"), "(x[1] * x[1])");
  EXPECT_EQ(source("sin(z) - abs(y)"), "(std::sin(x[2]) - std::fabs(x[1]))");
  EXPECT_EQ(source("(x + y)^2"), "[&] { const T r2 = (x[0] + x[1]); return (r2 * r2); }()");
  EXPECT_EQ(source("-t + x", {.type = "double", .x = "p", .t = "time"}), "((-time) + p[0])");
  EXPECT_EQ(source("erf(x) + exp(y)", {.math = ""}), "(T(erf(x[0])) + exp(x[1]))");
  const std::string text = error_of([] { to_source(Expression(INFINITY)); });
  EXPECT_EQ(text, "to_source: a formula has the number inf; finite ones are accepted");
}

}  // namespace
}  // namespace millrace::testing
