// First and second derivatives of formulas, operation by operation (Wengert 1964).
#include <cmath>
#include <vector>

#include "millrace/base/to_size.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/io/expression_program.hpp"

namespace millrace {
namespace {

using detail::FormulaOp;

// Derivatives of a function of one number, or of two: by a, by b, by both.
struct Partial {
  double a = 0, aa = 0, b = 0, bb = 0, ab = 0;
};

// A jet, and whether it depends on the place at all.
struct Moving {
  Jet jet;
  bool moves = true;
};

// f(a, b) with its value known. What does not move has no part in it, so that 0 times infinity does not spoil it.
Jet chain(double value, const Partial& f, const Moving& left, const Moving& right, bool of_two) {
  const Jet &a = left.jet, &b = right.jet;
  const bool with_a = left.moves, with_b = of_two && right.moves;
  Jet r{.value = value};
  for (int i = 0; i < 3; ++i) {
    if (with_a) r.first[i] += f.a * a.first[i];
    if (with_b) r.first[i] += f.b * b.first[i];
    for (int j = 0; j < 3; ++j) {
      if (with_a) r.second[i][j] += f.a * a.second[i][j] + f.aa * a.first[i] * a.first[j];
      if (with_b) r.second[i][j] += f.b * b.second[i][j] + f.bb * b.first[i] * b.first[j];
      if (with_a && with_b) r.second[i][j] += f.ab * (a.first[i] * b.first[j] + a.first[j] * b.first[i]);
    }
  }
  return r;
}

Partial power(double a, double b) {
  Partial f;
  f.a = b == 0 ? 0 : b * std::pow(a, b - 1);
  f.aa = b == 0 || b == 1 ? 0 : b * (b - 1) * std::pow(a, b - 2);
  const double value = std::pow(a, b), log = std::log(a);
  f.b = a == 0 && b > 0 ? 0 : value * log;
  f.bb = a == 0 && b > 0 ? 0 : value * log * log;
  f.ab = std::pow(a, b - 1) * (1 + b * log);
  return f;
}

// `value` is f(a) or f(a, b).
Partial partial(FormulaOp op, double value, double a, double b) {
  const double square = a * a + b * b;
  switch (op) {
    case FormulaOp::add:
      return {.a = 1, .b = 1};
    case FormulaOp::subtract:
      return {.a = 1, .b = -1};
    case FormulaOp::multiply:
      return {.a = b, .b = a, .ab = 1};
    case FormulaOp::divide:
      return {.a = 1 / b, .b = -value / b, .bb = 2 * value / (b * b), .ab = -1 / (b * b)};
    case FormulaOp::negate:
      return {.a = -1};
    case FormulaOp::sine:
      return {.a = std::cos(a), .aa = -value};
    case FormulaOp::cosine:
      return {.a = -std::sin(a), .aa = -value};
    case FormulaOp::tangent:
      return {.a = 1 + value * value, .aa = 2 * value * (1 + value * value)};
    case FormulaOp::arcsine:
    case FormulaOp::arccosine: {
      const double over = 1 / std::sqrt(1 - a * a), sign = op == FormulaOp::arcsine ? 1 : -1;
      return {.a = sign * over, .aa = sign * a * over * over * over};
    }
    case FormulaOp::arctangent: {
      const double over = 1 / (1 + a * a);
      return {.a = over, .aa = -2 * a * over * over};
    }
    case FormulaOp::arctangent2: {  // a is y, b is x
      const double both = a * b / (square * square);
      return {.a = b / square,
              .aa = -2 * both,
              .b = -a / square,
              .bb = 2 * both,
              .ab = (a * a - b * b) / (square * square)};
    }
    case FormulaOp::hyperbolic_sine:
      return {.a = std::cosh(a), .aa = value};
    case FormulaOp::hyperbolic_cosine:
      return {.a = std::sinh(a), .aa = value};
    case FormulaOp::hyperbolic_tangent:
      return {.a = 1 - value * value, .aa = -2 * value * (1 - value * value)};
    case FormulaOp::exponential:
      return {.a = value, .aa = value};
    case FormulaOp::logarithm:
      return {.a = 1 / a, .aa = -1 / (a * a)};
    case FormulaOp::root:
      return {.a = 0.5 / value, .aa = -0.25 / (value * a)};
    case FormulaOp::absolute:
      return {.a = a < 0 ? -1.0 : 1.0};
    case FormulaOp::power:
      return power(a, b);
    case FormulaOp::hypotenuse: {
      const double cube = value * square;
      return {.a = a / value, .aa = b * b / cube, .b = b / value, .bb = a * a / cube, .ab = -a * b / cube};
    }
    case FormulaOp::error_function: {
      const double slope = 2 / std::sqrt(M_PI) * std::exp(-a * a);
      return {.a = slope, .aa = -2 * a * slope};
    }
    default:  // comparisons, floor, sign: flat wherever they have a derivative
      return {};
  }
}

}  // namespace

Jet Expression::jet_at(const Point& x, double t) const {
  std::vector<Moving> found;  // of every operation
  found.reserve(program_->list.size());
  for (const detail::Operation& now : program_->list) {
    Moving next;
    Jet& jet = next.jet;
    if (now.op == FormulaOp::number) {
      jet.value = now.number;
      next.moves = false;
    } else if (now.op == FormulaOp::variable) {
      jet.value = now.which < 3 ? x[to_size(now.which)] : t;
      next.moves = now.which < 3;
      if (next.moves) jet.first[now.which] = 1;
    } else {
      const int count = detail::num_arguments(now.op);
      const Moving &a = found[to_size(now.of[0])], &b = found[to_size(now.of[1])], &c = found[to_size(now.of[2])];
      const double value = detail::value_of(now.op, a.jet.value, b.jet.value, c.jet.value);
      next.moves = a.moves || (count > 1 && b.moves) || (count > 2 && c.moves);
      if (now.op == FormulaOp::choose)
        jet = a.jet.value != 0 ? b.jet : c.jet;
      else if (now.op == FormulaOp::minimum)
        jet = b.jet.value < a.jet.value ? b.jet : a.jet;
      else if (now.op == FormulaOp::maximum)
        jet = a.jet.value < b.jet.value ? b.jet : a.jet;
      else
        jet = chain(value, partial(now.op, value, a.jet.value, b.jet.value), a, b, count == 2);
    }
    found.push_back(next);
  }
  return found.back().jet;
}

}  // namespace millrace
