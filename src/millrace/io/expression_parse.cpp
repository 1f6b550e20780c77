// The grammar, by recursive descent. Every error has the character where it was noticed.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/base/printable.hpp"
#include "millrace/io/case_file.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/io/expression_program.hpp"
#include "millrace/io/nearest_name.hpp"

namespace millrace {
namespace {

using detail::FormulaOp;

constexpr int max_nesting = 200;  // of brackets, signs and powers of powers

struct Comparison {
  std::string_view sign;
  FormulaOp op;
};
// The longer of two that begin alike comes first.
constexpr Comparison comparisons[] = {{"<=", FormulaOp::less_equal}, {">=", FormulaOp::greater_equal},
                                      {"==", FormulaOp::equal},      {"!=", FormulaOp::not_equal},
                                      {"<", FormulaOp::less},        {">", FormulaOp::greater}};

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Parser {
 public:
  Parser(std::string_view text, const PlacedText* placed, const Expression::Names& names, std::string_view variables)
      : text_(text), placed_(placed), names_(names), variables_(variables) {}

  detail::Program operator()() {
    if (text_.size() > detail::max_formula_length)
      fail(0, join("a formula has at most ", detail::max_formula_length, " characters, and this one ", text_.size()));
    const int root = comparison(0);
    if (peek() != '\0' || at_ < text_.size()) unexpected("an operation or the end");
    return builder_.finish(root);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& why) const {
    if (placed_) throw Error(join(placed_->place_of(at), ": ", why));
    throw Error(join("formula ", in_quotes(text_), ", character ", at + 1, ": ", why));
  }
  [[noreturn]] void unexpected(std::string_view wanted) {
    peek();
    const std::string_view rest = text_.substr(at_);
    if (at_ == text_.size()) fail(at_, join("found the end; expected was ", wanted));
    const auto hint = [&]() -> std::string_view {
      if (rest.starts_with("*") && at_ > 0 && text_[at_ - 1] == '*') return "; a power is written x^2";
      if (rest.starts_with("=")) return "; a comparison is written ==";
      if (rest.starts_with("&&") || rest.starts_with("||"))
        return "; conditions are joined by min(a, b) for both and max(a, b) for one of them";
      if (rest.starts_with("!")) return "; 'not a' is written a == 0";
      return "";
    };
    std::size_t length = 1;  // all bytes of the character
    while (length < rest.size() && (rest[length] & 0xc0) == 0x80) ++length;
    fail(at_, join("found ", in_quotes(rest.substr(0, length)), "; expected was ", wanted, hint()));
  }
  void check_depth(int depth) const {
    if (depth > max_nesting) fail(at_, join("brackets and signs are nested deeper than ", max_nesting));
  }

  // The next character that is no blank; 0 at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char sign) {
    if (peek() != sign || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  const Comparison* next_comparison() {
    peek();
    for (const Comparison& one : comparisons)
      if (text_.substr(at_).starts_with(one.sign)) return &one;
    return nullptr;
  }
  int add(FormulaOp op, std::array<int, 3> of) {
    try {
      return builder_.add(op, of);
    } catch (const Error& error) {
      fail(at_, error.what());
    }
  }

  int comparison(int depth) {
    check_depth(depth);
    const int left = sum(depth);
    const Comparison* const found = next_comparison();
    if (!found) return left;
    at_ += found->sign.size();
    const int right = sum(depth);
    if (const Comparison* const second = next_comparison())
      fail(at_,
           join("found '", second->sign, "' behind a comparison; a < b < c is not accepted, min(a < b, b < c) is"));
    return add(found->op, {left, right});
  }
  int sum(int depth) {
    int left = product(depth);
    for (char sign; (sign = peek()) == '+' || sign == '-';) {
      ++at_;
      left = add(sign == '+' ? FormulaOp::add : FormulaOp::subtract, {left, product(depth)});
    }
    return left;
  }
  int product(int depth) {
    int left = signs(depth);
    for (char sign; (sign = peek()) == '*' || sign == '/';) {
      ++at_;
      left = add(sign == '*' ? FormulaOp::multiply : FormulaOp::divide, {left, signs(depth)});
    }
    return left;
  }
  int signs(int depth) {  // -x^2 is -(x^2)
    check_depth(depth);
    if (take('-')) return add(FormulaOp::negate, {signs(depth + 1)});
    if (take('+')) return signs(depth + 1);
    const int base = atom(depth);
    return take('^') ? add(FormulaOp::power, {base, signs(depth + 1)}) : base;  // from the right: 2^3^2 is 2^9
  }
  int atom(int depth) {
    const char sign = peek();
    if (take('(')) {
      const int inside = comparison(depth + 1);
      if (!take(')')) unexpected("')'");
      return inside;
    }
    if ((sign >= '0' && sign <= '9') || sign == '.') return literal();
    std::size_t end = at_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    if (end == at_) unexpected("a number, a name or '('");
    const std::size_t begin = std::exchange(at_, end);
    const std::string_view name = text_.substr(begin, end - begin);
    if (const auto given = names_.find(name); given != names_.end()) return meaning(begin, given->first, given->second);
    for (std::size_t v = 0; v < Expression::all_variables.size(); ++v)
      if (name == Expression::all_variables.substr(v, 1) && variables_.find(name) != std::string_view::npos)
        return builder_.variable(static_cast<int>(v));
    if (name == "pi") return builder_.number(M_PI);
    for (const detail::FormulaFunction& function : detail::formula_functions)
      if (name == function.name) return call(begin, function, depth);
    unknown(begin, name);
  }
  int meaning(std::size_t begin, const std::string& name, const Expression& formula) {
    const auto [at, is_new] = read_.try_emplace(name, 0);
    try {
      if (is_new) at->second = builder_.add(formula.program());
    } catch (const Error& error) {
      fail(begin, error.what());
    }
    return at->second;
  }
  int call(std::size_t begin, const detail::FormulaFunction& function, int depth) {
    if (!take('(')) unexpected(join("'(' after ", function.name));
    const int wanted = detail::num_arguments(function.op);
    std::array<int, 3> of{};
    int count = 0;
    do {
      const int argument = comparison(depth + 1);
      if (count < wanted) of[static_cast<std::size_t>(count)] = argument;
      ++count;
    } while (take(','));
    if (!take(')')) unexpected(count < wanted ? "',' or ')'" : "')'");
    if (count != wanted)
      fail(begin, join(function.name, " takes ", wanted, wanted == 1 ? " argument" : " arguments", ", and ", count,
                       count == 1 ? " was given" : " were given"));
    return add(function.op, of);
  }
  [[noreturn]] void unknown(std::size_t begin, std::string_view name) const {
    std::vector<std::string> known;
    for (const char variable : variables_) known.emplace_back(1, variable);
    known.emplace_back("pi");
    for (const auto& [given, formula] : names_) known.push_back(given);
    for (const detail::FormulaFunction& function : detail::formula_functions) known.emplace_back(function.name);
    const std::string nearest = nearest_name(name, known);
    std::string all;
    for (const std::string& one : known) all += (all.empty() ? "" : " ") + one;
    fail(begin, join(in_quotes(name), " is unknown",
                     nearest.empty() ? "" : join(", and '", nearest, "' is the nearest"), "; there are: ", all));
  }
  int literal() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) unexpected("a number that a double can hold");
    at_ = static_cast<std::size_t>(end - text_.data());
    return builder_.number(value);
  }

  std::string_view text_;
  const PlacedText* placed_;
  const Expression::Names& names_;
  std::string_view variables_;
  std::size_t at_ = 0;
  detail::ProgramBuilder builder_;
  std::map<std::string_view, int> read_;  // names that were used before
};

}  // namespace

Expression Expression::parse_at(std::string_view text, const PlacedText* placed, const Names& names,
                                std::string_view variables) {
  return Expression(std::make_shared<const detail::Program>(Parser(text, placed, names, variables)()));
}

Expression Expression::parse(std::string_view text, const Names& names, std::string_view variables) {
  return parse_at(text, nullptr, names, variables);
}

Expression Expression::parse(const PlacedText& text, const Names& names, std::string_view variables) {
  return parse_at(text.text, &text, names, variables);
}

}  // namespace millrace
