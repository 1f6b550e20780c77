// A formula as a list of operations, each of which names earlier ones as its arguments: it is evaluated, derived and
// printed by one pass over the list, whatever the depth of the formula. Equal operations stand there once.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "millrace/mesh/mesh.hpp"

namespace millrace::detail {

enum class FormulaOp : std::uint8_t {
  number,
  variable,
  add,
  subtract,
  multiply,
  divide,
  negate,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  sine,
  cosine,
  tangent,
  arcsine,
  arccosine,
  arctangent,
  arctangent2,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  exponential,
  logarithm,
  root,
  absolute,
  minimum,
  maximum,
  round_down,
  sign,
  choose,
  power,
  hypotenuse,
  error_function
};

/// One step of a program.
struct Operation {
  FormulaOp op = FormulaOp::number;
  int which = 0;                   // of the variables x y z t
  double number = 0;               // of FormulaOp::number
  std::array<int, 3> of{0, 0, 0};  // arguments: places in the list, before this one; 0 where there are fewer
};

/// How many arguments an operation has.
constexpr int num_arguments(FormulaOp op) {
  switch (op) {
    case FormulaOp::number:
    case FormulaOp::variable:
      return 0;
    case FormulaOp::add:
    case FormulaOp::subtract:
    case FormulaOp::multiply:
    case FormulaOp::divide:
    case FormulaOp::less:
    case FormulaOp::less_equal:
    case FormulaOp::greater:
    case FormulaOp::greater_equal:
    case FormulaOp::equal:
    case FormulaOp::not_equal:
    case FormulaOp::arctangent2:
    case FormulaOp::minimum:
    case FormulaOp::maximum:
    case FormulaOp::power:
    case FormulaOp::hypotenuse:
      return 2;
    case FormulaOp::choose:
      return 3;
    default:
      return 1;
  }
}

/// A function that formulas may call; its number of arguments is that of its operation.
struct FormulaFunction {
  std::string_view name;
  FormulaOp op;
};
/// THE list of functions.
inline constexpr std::array<FormulaFunction, 22> formula_functions{{
    {"sin", FormulaOp::sine},
    {"cos", FormulaOp::cosine},
    {"tan", FormulaOp::tangent},
    {"asin", FormulaOp::arcsine},
    {"acos", FormulaOp::arccosine},
    {"atan", FormulaOp::arctangent},
    {"atan2", FormulaOp::arctangent2},
    {"sinh", FormulaOp::hyperbolic_sine},
    {"cosh", FormulaOp::hyperbolic_cosine},
    {"tanh", FormulaOp::hyperbolic_tangent},
    {"exp", FormulaOp::exponential},
    {"log", FormulaOp::logarithm},
    {"sqrt", FormulaOp::root},
    {"abs", FormulaOp::absolute},
    {"min", FormulaOp::minimum},
    {"max", FormulaOp::maximum},
    {"floor", FormulaOp::round_down},
    {"sign", FormulaOp::sign},
    {"if", FormulaOp::choose},
    {"pow", FormulaOp::power},
    {"hypot", FormulaOp::hypotenuse},
    {"erf", FormulaOp::error_function},
}};

/// A formula, ready to be evaluated. The last operation is its value.
struct Program {
  std::vector<Operation> list;
  // Values of operations lie in registers, which are used again when nobody needs the value any more.
  std::vector<int> place;  // [list.size()]: the register of each operation
  int num_registers = 0;

  bool has_variable(int which) const;
  bool is_constant() const;
};

/// Limits on what a text may ask for.
inline constexpr int max_operations = 10'000;
inline constexpr std::size_t max_formula_length = 10'000;

/// Makes a program operation by operation.
class ProgramBuilder {
 public:
  int number(double value);
  int variable(int which);  // 0 to 3: x y z t
  /// Operations on numbers become numbers, powers with small whole exponents become products.
  int add(FormulaOp op, std::array<int, 3> of);
  /// All operations of another program; where its value is.
  int add(const Program& other);
  /// With what `last` needs and no more.
  Program finish(int last) const;

 private:
  int keep(const Operation& operation);
  int power(int base, int exponent);
  int whole_power(int base, int exponent);

  using Key = std::tuple<FormulaOp, int, std::uint64_t, std::array<int, 3>>;
  std::vector<Operation> list_;
  std::map<Key, int> known_;
};

/// Calls visit(f) with the function f of one, two or three numbers that an operation is. The one place that says what
/// operations mean, in the words that to_source prints.
template <class Visit>
auto with_function(FormulaOp op, Visit&& visit) {
  switch (op) {
    case FormulaOp::add:
      return visit([](double a, double b) { return a + b; });
    case FormulaOp::subtract:
      return visit([](double a, double b) { return a - b; });
    case FormulaOp::multiply:
      return visit([](double a, double b) { return a * b; });
    case FormulaOp::divide:
      return visit([](double a, double b) { return a / b; });
    case FormulaOp::negate:
      return visit([](double a) { return -a; });
    case FormulaOp::less:
      return visit([](double a, double b) { return a < b ? 1.0 : 0.0; });
    case FormulaOp::less_equal:
      return visit([](double a, double b) { return a <= b ? 1.0 : 0.0; });
    case FormulaOp::greater:
      return visit([](double a, double b) { return a > b ? 1.0 : 0.0; });
    case FormulaOp::greater_equal:
      return visit([](double a, double b) { return a >= b ? 1.0 : 0.0; });
    case FormulaOp::equal:
      return visit([](double a, double b) { return a == b ? 1.0 : 0.0; });
    case FormulaOp::not_equal:
      return visit([](double a, double b) { return a != b ? 1.0 : 0.0; });
    case FormulaOp::sine:
      return visit([](double a) { return std::sin(a); });
    case FormulaOp::cosine:
      return visit([](double a) { return std::cos(a); });
    case FormulaOp::tangent:
      return visit([](double a) { return std::tan(a); });
    case FormulaOp::arcsine:
      return visit([](double a) { return std::asin(a); });
    case FormulaOp::arccosine:
      return visit([](double a) { return std::acos(a); });
    case FormulaOp::arctangent:
      return visit([](double a) { return std::atan(a); });
    case FormulaOp::arctangent2:
      return visit([](double a, double b) { return std::atan2(a, b); });
    case FormulaOp::hyperbolic_sine:
      return visit([](double a) { return std::sinh(a); });
    case FormulaOp::hyperbolic_cosine:
      return visit([](double a) { return std::cosh(a); });
    case FormulaOp::hyperbolic_tangent:
      return visit([](double a) { return std::tanh(a); });
    case FormulaOp::exponential:
      return visit([](double a) { return std::exp(a); });
    case FormulaOp::logarithm:
      return visit([](double a) { return std::log(a); });
    case FormulaOp::root:
      return visit([](double a) { return std::sqrt(a); });
    case FormulaOp::absolute:
      return visit([](double a) { return std::fabs(a); });
    case FormulaOp::minimum:
      return visit([](double a, double b) { return b < a ? b : a; });
    case FormulaOp::maximum:
      return visit([](double a, double b) { return a < b ? b : a; });
    case FormulaOp::round_down:
      return visit([](double a) { return std::floor(a); });
    case FormulaOp::sign:
      return visit([](double a) { return (a > 0 ? 1.0 : 0.0) - (a < 0 ? 1.0 : 0.0); });
    case FormulaOp::choose:
      return visit([](double a, double b, double c) { return a != 0 ? b : c; });
    case FormulaOp::power:
      return visit([](double a, double b) { return std::pow(a, b); });
    case FormulaOp::hypotenuse:
      return visit([](double a, double b) { return std::hypot(a, b); });
    default:
      return visit([](double a) { return std::erf(a); });
  }
}

/// The value of an operation with arguments, of which it takes as many as it needs.
double value_of(FormulaOp op, double a, double b, double c);

/// Values at places. [places]
void evaluate(const Program& program, std::span<const Point> places, double t, std::span<double> out);

}  // namespace millrace::detail
