// The uncommon spellings of numbers, and what to say of those that are none.
#include "millrace/io/number_text.hpp"

#include <algorithm>
#include <limits>

#include "millrace/base/error.hpp"
#include "millrace/base/scalar.hpp"
#include "millrace/io/matrix_market_header.hpp"

namespace millrace {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Is the number, which does not fit its type, too small for it rather than too large? It decides by the
// decimal exponent of the first digit that is not zero.
bool too_small(std::string_view number) {
  const auto exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, exponent_at);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  std::string_view digits = number.substr(std::min(exponent_at + 1, number.size()));
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char c : digits) exponent = std::min<std::int64_t>(10 * exponent + (c - '0'), INT64_MAX / 100);
  return (negative ? -exponent : exponent) + (point - first) < 0;
}

}  // namespace

std::uint64_t read_index_slowly(const char*& p, std::uint64_t limit, const char* what, bool strict) {
  const std::string_view word = word_at(p);
  std::string_view digits = word;
  const bool sign = digits.starts_with('+') || digits.starts_with('-');
  if (sign) digits.remove_prefix(1);
  if (!all_digits(digits)) throw BadNumber{join("the ", what, " must be an integer, found ", in_quotes(word))};
  if (strict && word[0] == '+') throw BadNumber{join("strict: a '+' before the ", what, ' ', in_quotes(word))};
  std::uint64_t value = 0;
  const bool fits = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc{};
  if (!fits || word[0] == '-' || value - 1 >= limit) {
    const char* hint = fits && value == 0 ? "; indices count from 1" : "";
    const std::string shown = word.size() > 40 ? in_quotes(word) : std::string(word);
    if (limit == 0) throw BadNumber{join(what, ' ', shown, " of a matrix that has no ", what, 's')};
    throw BadNumber{join(what, ' ', shown, " is outside 1..", limit, hint)};
  }
  p = word.data() + word.size();
  return value;
}

template <class R>
R read_integer_slowly(const char*& p, bool strict) {
  const std::string_view word = word_at(p);
  std::string_view number = word;
  if (number.starts_with('+')) number.remove_prefix(1);
  std::string_view digits = number;
  if (digits.starts_with('-') && number.size() == word.size()) digits.remove_prefix(1);
  if (!all_digits(digits)) throw BadNumber{join("the field is integer, but the value is ", in_quotes(word))};
  const char* end = number.data() + number.size();
  std::int64_t exact = 0;
  p = end;
  if (std::from_chars(number.data(), end, exact).ec == std::errc{}) return static_cast<R>(exact);
  if (strict) throw BadNumber{join("strict: the integer ", in_quotes(word), " overflows 64 bits")};
  const char* q = number.data();
  return read_real<R>(q, end, strict);
}

template <class R>
R read_real_slowly(const char*& p, bool strict) {
  const std::string_view word = word_at(p);
  std::string_view number = word;
  if (number.starts_with('+') && !number.starts_with("+-")) number.remove_prefix(1);
  const char* end = number.data() + number.size();
  R value{};
  const auto [q, code] = std::from_chars(number.data(), end, value);
  if (code == std::errc::invalid_argument || q != end)
    throw BadNumber{join("the value ", in_quotes(word), " is not a number")};
  if (code == std::errc::result_out_of_range) {
    if (!too_small(number))
      throw BadNumber{join("overflow: the value ", in_quotes(word), " is too large for a ", scalar_name<R>())};
    value = number.starts_with('-') ? -R{0} : R{0};
  }
  if (strict && !std::isfinite(value)) throw BadNumber{join("strict: the value ", in_quotes(word), " is not finite")};
  p = end;
  return value;
}

template float read_integer_slowly(const char*&, bool);
template double read_integer_slowly(const char*&, bool);
template float read_real_slowly(const char*&, bool);
template double read_real_slowly(const char*&, bool);

}  // namespace millrace
