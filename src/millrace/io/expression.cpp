// A parser by recursive descent, and a tree that is evaluated from its leaves.
#include "millrace/io/expression.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "millrace/base/error.hpp"

namespace millrace {
namespace detail {

struct ExpressionNode {
  char what = '#';  // '#' a number, 'x' a coordinate, 'f' a function, or the sign of an operation
  double number = 0;
  int which = 0;  // of the coordinates or functions
  std::shared_ptr<const ExpressionNode> left{}, right{};
};

}  // namespace detail
namespace {

using detail::ExpressionNode;
using Node = std::shared_ptr<const ExpressionNode>;

// A function at a number: its value and two derivatives.
struct Derivatives {
  double value, first, second;
};
struct Function {
  std::string_view name;
  Derivatives (*at)(double);
};
Derivatives logarithm(double a) { return {std::log(a), 1 / a, -1 / (a * a)}; }
constexpr std::array<Function, 11> functions{{
    {"sin",
     [](double a) {
       return Derivatives{std::sin(a), std::cos(a), -std::sin(a)};
     }},
    {"cos",
     [](double a) {
       return Derivatives{std::cos(a), -std::sin(a), -std::cos(a)};
     }},
    {"tan",
     [](double a) {
       const double t = std::tan(a), s = 1 + t * t;
       return Derivatives{t, s, 2 * t * s};
     }},
    {"sinh",
     [](double a) {
       return Derivatives{std::sinh(a), std::cosh(a), std::sinh(a)};
     }},
    {"cosh",
     [](double a) {
       return Derivatives{std::cosh(a), std::sinh(a), std::cosh(a)};
     }},
    {"tanh",
     [](double a) {
       const double t = std::tanh(a), s = 1 - t * t;
       return Derivatives{t, s, -2 * t * s};
     }},
    {"exp",
     [](double a) {
       return Derivatives{std::exp(a), std::exp(a), std::exp(a)};
     }},
    {"log",
     [](double a) {
       return Derivatives{std::log(a), 1 / a, -1 / (a * a)};
     }},
    {"sqrt",
     [](double a) {
       const double root = std::sqrt(a);
       return Derivatives{root, 0.5 / root, -0.25 / (root * a)};
     }},
    {"abs",
     [](double a) {
       return Derivatives{std::abs(a), a < 0 ? -1.0 : 1.0, 0};
     }},
    {"atan",
     [](double a) {
       const double over = 1 / (1 + a * a);
       return Derivatives{std::atan(a), over, -2 * a * over * over};
     }},
}};

Derivatives power(double a, double exponent) {
  return {std::pow(a, exponent), exponent == 0 ? 0 : exponent * std::pow(a, exponent - 1),
          exponent == 0 || exponent == 1 ? 0 : exponent * (exponent - 1) * std::pow(a, exponent - 2)};
}

bool constant(const Node& node) {
  return node->what != 'x' && (!node->left || constant(node->left)) && (!node->right || constant(node->right));
}

double evaluate(const ExpressionNode& node, const Point& x) {
  const auto left = [&] { return evaluate(*node.left, x); };
  const auto right = [&] { return evaluate(*node.right, x); };
  switch (node.what) {
    case '#':
      return node.number;
    case 'x':
      return x[static_cast<std::size_t>(node.which)];
    case 'f':
      return functions[static_cast<std::size_t>(node.which)].at(left()).value;
    case '+':
      return left() + right();
    case '-':
      return left() - right();
    case '*':
      return left() * right();
    case '/':
      return left() / right();
    default:
      return std::pow(left(), right());
  }
}

Jet chain(const Derivatives& f, const Jet& a) {
  Jet r{.value = f.value};
  for (int i = 0; i < 3; ++i) {
    r.first[i] = f.first * a.first[i];
    for (int j = 0; j < 3; ++j) r.second[i][j] = f.first * a.second[i][j] + f.second * a.first[i] * a.first[j];
  }
  return r;
}

Jet sum(const Jet& a, double factor, const Jet& b) {
  Jet r{.value = a.value + factor * b.value};
  for (int i = 0; i < 3; ++i) {
    r.first[i] = a.first[i] + factor * b.first[i];
    for (int j = 0; j < 3; ++j) r.second[i][j] = a.second[i][j] + factor * b.second[i][j];
  }
  return r;
}

Jet product(const Jet& a, const Jet& b) {
  Jet r{.value = a.value * b.value};
  for (int i = 0; i < 3; ++i) {
    r.first[i] = a.value * b.first[i] + b.value * a.first[i];
    for (int j = 0; j < 3; ++j)
      r.second[i][j] =
          a.value * b.second[i][j] + b.value * a.second[i][j] + a.first[i] * b.first[j] + a.first[j] * b.first[i];
  }
  return r;
}

Jet jet(const ExpressionNode& node, const Point& x) {
  if (node.what == '#') return {.value = node.number};
  if (node.what == 'x') {
    Jet r{.value = x[static_cast<std::size_t>(node.which)]};
    r.first[node.which] = 1;
    return r;
  }
  const Jet a = jet(*node.left, x);
  if (node.what == 'f') return chain(functions[static_cast<std::size_t>(node.which)].at(a.value), a);
  const Jet b = jet(*node.right, x);
  switch (node.what) {
    case '+':
      return sum(a, 1, b);
    case '-':
      return sum(a, -1, b);
    case '*':
      return product(a, b);
    case '/':
      return product(a, chain(power(b.value, -1), b));
    default:
      if (constant(node.right)) return chain(power(a.value, b.value), a);
      const Jet exponent = product(b, chain(logarithm(a.value), a));
      const double value = std::exp(exponent.value);
      return chain({value, value, value}, exponent);
  }
}

Node operation(char sign, Node left, Node right) {
  return std::make_shared<ExpressionNode>(
      ExpressionNode{.what = sign, .left = std::move(left), .right = std::move(right)});
}
Node number(double value) { return std::make_shared<ExpressionNode>(ExpressionNode{.number = value}); }

}  // namespace

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Expression::Names& names) : text_(text), names_(names) {}

  Node operator()() {
    const Node root = sums(0);
    if (at_ < text_.size()) fail("an operation or the end");
    return root;
  }

 private:
  static constexpr int max_depth = 200;

  [[noreturn]] void fail(std::string_view wanted) {
    const std::string found =
        at_ < text_.size() ? join("'", text_.substr(at_, 1), "' at character ", at_ + 1) : std::string("the end");
    throw Error(join("formula '", text_, "': found ", found, "; expected was ", wanted));
  }
  static void require_depth(int depth) {
    require(depth <= max_depth, "formula: brackets and signs are nested deeper than ", max_depth);
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char sign) {
    if (peek() != sign) return false;
    ++at_;
    return true;
  }

  Node sums(int depth) {
    require_depth(depth);
    Node left = products(depth);
    for (char sign; (sign = peek()) == '+' || sign == '-';) {
      ++at_;
      left = operation(sign, left, products(depth));
    }
    return left;
  }
  Node products(int depth) {
    Node left = signs(depth);
    for (char sign; (sign = peek()) == '*' || sign == '/';) {
      ++at_;
      left = operation(sign, left, signs(depth));
    }
    return left;
  }
  Node signs(int depth) {  // -x^2 is -(x^2)
    require_depth(depth);
    if (take('-')) return operation('-', number(0), signs(depth + 1));
    if (take('+')) return signs(depth + 1);
    const Node base = atoms(depth);
    return take('^') ? operation('^', base, signs(depth + 1)) : base;  // from the right: 2^3^2 is 2^9
  }
  Node atoms(int depth) {
    const char sign = peek();
    if (take('(')) return closed(sums(depth + 1));
    if ((sign >= '0' && sign <= '9') || sign == '.') return literal();
    const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    if (end == begin) fail("a number, a name or '('");
    const std::string_view name = text_.substr(begin, end - begin);
    if (const auto given = names_.find(name); given != names_.end()) {
      at_ = end;
      return given->second.root_;
    }
    for (int d = 0; d < 3; ++d)
      if (name == std::string_view("xyz").substr(static_cast<std::size_t>(d), 1)) {
        at_ = end;
        return std::make_shared<ExpressionNode>(ExpressionNode{.what = 'x', .which = d});
      }
    if (name == "pi") {
      at_ = end;
      return number(M_PI);
    }
    for (std::size_t f = 0; f < functions.size(); ++f)
      if (name == functions[f].name) {
        at_ = end;
        if (!take('(')) fail(join("'(' after ", name));
        const Node argument = closed(sums(depth + 1));
        return std::make_shared<ExpressionNode>(
            ExpressionNode{.what = 'f', .which = static_cast<int>(f), .left = argument});
      }
    std::string known = "x y z pi";
    for (const auto& [given, meaning] : names_) known += ' ' + given;
    for (const Function& function : functions) known += join(" ", function.name);
    throw Error(join("formula '", text_, "': '", name, "' is unknown; there are: ", known));
  }
  Node closed(Node inside) {
    if (!take(')')) fail("')'");
    return inside;
  }
  Node literal() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) fail("a number that a double can hold");
    at_ = static_cast<std::size_t>(end - text_.data());
    return number(value);
  }

  std::string_view text_;
  const Expression::Names& names_;
  std::size_t at_ = 0;
};

Expression::Expression(double value) : root_(number(value)) {}

Expression Expression::parse(std::string_view text, const Names& names) {
  return Expression(ExpressionParser(text, names)());
}

double Expression::at(const Point& x) const { return evaluate(*root_, x); }
Jet Expression::jet_at(const Point& x) const { return jet(*root_, x); }
bool Expression::is_constant() const { return constant(root_); }

Expression operator+(const Expression& a, const Expression& b) { return Expression(operation('+', a.root_, b.root_)); }
Expression operator-(const Expression& a, const Expression& b) { return Expression(operation('-', a.root_, b.root_)); }
Expression operator*(const Expression& a, const Expression& b) { return Expression(operation('*', a.root_, b.root_)); }
Expression operator/(const Expression& a, const Expression& b) { return Expression(operation('/', a.root_, b.root_)); }

}  // namespace millrace
