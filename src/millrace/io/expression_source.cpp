// Formulas as source: one expression, with names for what is used more than once, inside a lambda where there are such.
#include <charconv>
#include <cmath>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/io/expression_program.hpp"

namespace millrace {
namespace {

using detail::FormulaOp;

constexpr int max_brackets = 40;  // of brackets in one statement: compilers have limits

// All digits that a double has.
std::string digits(double value) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  std::string number(text, end);
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  return number;
}

// The sign between two arguments, or none.
std::string_view sign_of(FormulaOp op) {
  switch (op) {
    case FormulaOp::add:
      return "+";
    case FormulaOp::subtract:
      return "-";
    case FormulaOp::multiply:
      return "*";
    case FormulaOp::divide:
      return "/";
    case FormulaOp::less:
      return "<";
    case FormulaOp::less_equal:
      return "<=";
    case FormulaOp::greater:
      return ">";
    case FormulaOp::greater_equal:
      return ">=";
    case FormulaOp::equal:
      return "==";
    case FormulaOp::not_equal:
      return "!=";
    default:
      return "";
  }
}

bool is_comparison(FormulaOp op) { return op >= FormulaOp::less && op <= FormulaOp::not_equal; }
bool reads_twice(FormulaOp op) { return op == FormulaOp::minimum || op == FormulaOp::maximum || op == FormulaOp::sign; }

// The functions of C++ have the names of ours, but for one.
std::string_view function_name(FormulaOp op) {
  if (op == FormulaOp::absolute) return "fabs";
  for (const detail::FormulaFunction& function : detail::formula_functions)
    if (function.op == op) return function.name;
  return "";
}

std::string text_of(const detail::Operation& now, const std::array<std::string, 3>& of, const SourceNames& names) {
  const std::string zero = join(names.type, "(0.0)"), &a = of[0], &b = of[1], &c = of[2];
  switch (now.op) {
    case FormulaOp::number:
      require(std::isfinite(now.number), "to_source: a formula has the number ", now.number,
              "; finite ones are accepted");
      return join(names.type, "(", digits(now.number), ")");
    case FormulaOp::variable:
      return now.which < 3 ? join(names.x, "[", now.which, "]") : names.t;
    case FormulaOp::negate:
      return join("(-", a, ")");
    case FormulaOp::minimum:
      return join("(", b, " < ", a, " ? ", b, " : ", a, ")");
    case FormulaOp::maximum:
      return join("(", a, " < ", b, " ? ", b, " : ", a, ")");
    case FormulaOp::sign:
      return join("(", names.type, "(", a, " > ", zero, ") - ", names.type, "(", a, " < ", zero, "))");
    case FormulaOp::choose:
      return join("(", a, " != ", zero, " ? ", b, " : ", c, ")");
    case FormulaOp::error_function:  // which not every std has that stands in for one
      return join(names.type, "(", names.math.empty() ? "" : "::", "erf(", a, "))");
    default:
      break;
  }
  if (const std::string_view sign = sign_of(now.op); !sign.empty())
    return join(is_comparison(now.op) ? names.type : std::string(), "(", a, " ", sign, " ", b, ")");
  return join(names.math, function_name(now.op), "(", a,
              detail::num_arguments(now.op) > 1 ? join(", ", b) : std::string(), ")");
}

}  // namespace

std::string to_source(const Expression& formula, const SourceNames& names) {
  const std::vector<detail::Operation>& list = formula.program().list;
  std::vector<int> uses(list.size(), 0), depth(list.size(), 0);
  for (const detail::Operation& now : list)
    for (int a = 0; a < detail::num_arguments(now.op); ++a)
      uses[to_size(now.of[to_size(a)])] += reads_twice(now.op) ? 2 : 1;
  std::vector<std::string> texts;
  std::string statements;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const detail::Operation& now = list[i];
    std::array<std::string, 3> of;
    for (int a = 0; a < detail::num_arguments(now.op); ++a) {
      of[to_size(a)] = texts[to_size(now.of[to_size(a)])];
      depth[i] = std::max(depth[i], depth[to_size(now.of[to_size(a)])] + 1);
    }
    std::string text = text_of(now, of, names);
    const bool is_leaf = detail::num_arguments(now.op) == 0, is_last = i + 1 == list.size();
    if (!is_leaf && !is_last && (uses[i] > 1 || depth[i] >= max_brackets)) {
      statements += join("const ", names.type, " r", i, " = ", text, "; ");
      text = join("r", i);
      depth[i] = 0;
    }
    texts.push_back(std::move(text));
  }
  return statements.empty() ? texts.back() : join("[&] { ", statements, "return ", texts.back(), "; }()");
}

}  // namespace millrace
