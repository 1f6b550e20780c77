// Formulas of place and time, written as text: "1 + 0.2 * sin(2 * x + y)". With their first and second derivatives, so
// that sources of manufactured solutions need no pencil, and printed as source for compilers of GPUs.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

struct PlacedText;
namespace detail {
struct Program;
}

/// A value at a place with its first and second derivatives.
struct Jet {
  double value = 0;
  double first[3] = {};
  double second[3][3] = {};
};

/// Numbers, x y z t pi, + - * / ^ and brackets, comparisons < <= > >= == != (1 or 0), the functions that
/// expression_program.hpp lists, and names that the caller gives a meaning. -x^2 is -(x^2), 2^3^2 is 2^9. A value type:
/// copies share what was read.
class Expression {
 public:
  using Names = std::map<std::string, Expression, std::less<>>;
  static constexpr std::string_view all_variables = "xyzt";

  Expression(double constant = 0);
  /// An Error says what was found at which character. `variables`: those that the text may use, of "xyzt".
  static Expression parse(std::string_view text, const Names& names = {}, std::string_view variables = all_variables);
  /// The same of a text in a file; an Error begins with file, line and column.
  static Expression parse(const PlacedText& text, const Names& names = {}, std::string_view variables = all_variables);

  double at(const Point& x, double t = 0) const;
  /// At many places, in a fraction of the time. [places]
  void at(std::span<const Point> places, double t, std::span<double> values) const;
  /// Derivatives by the place. Comparisons, floor and sign have none; min, max, abs and if have those of their branch.
  Jet jet_at(const Point& x, double t = 0) const;
  bool is_constant() const;
  bool uses_time() const;

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  friend Expression operator/(const Expression& a, const Expression& b);

  const detail::Program& program() const { return *program_; }

 private:
  explicit Expression(std::shared_ptr<const detail::Program> program) : program_(std::move(program)) {}
  static Expression parse_at(std::string_view text, const PlacedText* placed, const Names& names,
                             std::string_view variables);
  std::shared_ptr<const detail::Program> program_;
};

/// What the printed source calls its surroundings.
struct SourceNames {
  std::string type = "T";      // of all numbers
  std::string x = "x";         // the place: x[0] x[1] x[2]
  std::string t = "t";         // the time
  std::string math = "std::";  // before sin, cos, ...; empty: found by their arguments
};

/// The formula as an expression of C++ and CUDA, for any type of number. It does what at() does in the same order, so
/// that both agree to rounding; in double on the host, without fused multiply-adds, to the last bit. An Error where a
/// number in it is not finite.
std::string to_source(const Expression& formula, const SourceNames& names = {});

}  // namespace millrace
