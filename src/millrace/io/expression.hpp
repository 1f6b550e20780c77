// Formulas of a place, written as text: "1 + 0.2 * sin(2 * x + y)". With their first and second derivatives, so that
// sources of manufactured solutions need no pencil.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

namespace detail {
struct ExpressionNode;
}

/// A value at a place with its first and second derivatives.
struct Jet {
  double value = 0;
  double first[3] = {};
  double second[3][3] = {};
};

/// Numbers, x y z pi, + - * / ^ and brackets, sin cos tan sinh cosh tanh exp log sqrt abs atan, and names that the
/// caller gives a meaning. A value type: copies share their tree.
class Expression {
 public:
  using Names = std::map<std::string, Expression, std::less<>>;

  Expression(double constant = 0);
  /// An Error says what was found where.
  static Expression parse(std::string_view text, const Names& names = {});

  double at(const Point& x) const;
  Jet jet_at(const Point& x) const;
  bool is_constant() const;

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  friend Expression operator/(const Expression& a, const Expression& b);

 private:
  friend class ExpressionParser;
  explicit Expression(std::shared_ptr<const detail::ExpressionNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const detail::ExpressionNode> root_;
};

}  // namespace millrace
