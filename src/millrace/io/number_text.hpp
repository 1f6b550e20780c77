// Numbers from text, fast and exact. The text must end in a byte that belongs to no number (a line feed).
// Inside the library; a text that is no number makes these throw BadNumber.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace {

struct BadNumber {
  std::string what;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool ends_number(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

/// The bytes from p to the next blank or line end.
inline std::string_view word_at(const char* p) {
  const char* end = p;
  while (!ends_number(*end)) ++end;
  return {p, end};
}

/// Digits to a number; *p stands behind them afterwards. No more than 18 digits, or 0 is returned as if none were
/// there.
inline std::uint64_t read_digits(const char*& p) {
  const char* q = p;
  std::uint64_t value = 0;
  for (unsigned digit; (digit = static_cast<unsigned char>(*q) - unsigned{'0'}) < 10; ++q) value = 10 * value + digit;
  if (q - p > 18) return 0;
  p = q;
  return value;
}

// The uncommon cases and all the errors of the two functions below.
std::uint64_t read_index_slowly(const char*& p, std::uint64_t limit, const char* what, bool strict);
template <class R>
R read_integer_slowly(const char*& p, bool strict);
template <class R>
R read_real_slowly(const char*& p, bool strict);

/// An index in 1..limit.
inline std::uint64_t read_index(const char*& p, std::uint64_t limit, const char* what, bool strict) {
  const char* q = p;
  const std::uint64_t value = read_digits(q);
  if (value - 1 >= limit || !ends_number(*q)) [[unlikely]]
    return read_index_slowly(p, limit, what, strict);
  p = q;
  return value;
}

/// A value of a file whose field is integer, as the real number R that is nearest.
template <class R>
R read_integer(const char*& p, bool strict) {
  const bool negative = *p == '-';
  const char* begin = p + (negative ? 1 : 0);
  const char* q = begin;
  const auto value = static_cast<std::int64_t>(read_digits(q));
  if (q == begin || !ends_number(*q)) [[unlikely]]
    return read_integer_slowly<R>(p, strict);
  p = q;
  return static_cast<R>(negative ? -value : value);
}

/// A real number, correctly rounded. Infinity only where the text says so and strict does not forbid it.
template <class R>
R read_real(const char*& p, const char* end, bool strict) {
  R value{};
  const auto [q, code] = std::from_chars(p, end, value);
  if (code != std::errc{} || !ends_number(*q) || !std::isfinite(value)) [[unlikely]]
    return read_real_slowly<R>(p, strict);
  p = q;
  return value;
}

}  // namespace millrace
