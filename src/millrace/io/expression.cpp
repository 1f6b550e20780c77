// Formulas as values: made of numbers and of each other, and evaluated.
#include "millrace/io/expression.hpp"

#include "millrace/base/error.hpp"
#include "millrace/io/expression_program.hpp"

namespace millrace {
namespace {

using detail::FormulaOp;

std::shared_ptr<const detail::Program> constant(double value) {
  detail::ProgramBuilder builder;
  return std::make_shared<const detail::Program>(builder.finish(builder.number(value)));
}

std::shared_ptr<const detail::Program> combine(FormulaOp op, const Expression& a, const Expression& b) {
  detail::ProgramBuilder builder;
  const int left = builder.add(a.program()), right = builder.add(b.program());
  return std::make_shared<const detail::Program>(builder.finish(builder.add(op, {left, right})));
}

}  // namespace

Expression::Expression(double value) : program_(constant(value)) {}

double Expression::at(const Point& x, double t) const {
  double value = 0;
  detail::evaluate(*program_, {&x, 1}, t, {&value, 1});
  return value;
}

void Expression::at(std::span<const Point> places, double t, std::span<double> values) const {
  require(places.size() == values.size(), "a formula at ", places.size(), " places needs room for as many values, not ",
          values.size());
  detail::evaluate(*program_, places, t, values);
}

bool Expression::is_constant() const { return program_->is_constant(); }
bool Expression::uses_time() const { return program_->has_variable(3); }

Expression operator+(const Expression& a, const Expression& b) { return Expression(combine(FormulaOp::add, a, b)); }
Expression operator-(const Expression& a, const Expression& b) {
  return Expression(combine(FormulaOp::subtract, a, b));
}
Expression operator*(const Expression& a, const Expression& b) {
  return Expression(combine(FormulaOp::multiply, a, b));
}
Expression operator/(const Expression& a, const Expression& b) { return Expression(combine(FormulaOp::divide, a, b)); }

}  // namespace millrace
