// The error family and `require`, the one way to check an argument.
// A text says what was asked, what was found and what would be accepted.
#pragma once

#include <concepts>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace millrace {

/// The family of all errors that the library throws; what() says what was asked, found and accepted.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text, std::source_location place = std::source_location::current())
      : std::runtime_error(text), place_(place) {}

  /// Where the check stands in the source; not part of what().
  const std::source_location& place() const noexcept { return place_; }

 private:
  std::source_location place_;
};

// Constructors are written out: nvcc 13 fails on inherited ones with such a default argument.

/// A right request that this build or operator cannot serve.
class Unsupported : public Error {
 public:
  explicit Unsupported(const std::string& text, std::source_location place = std::source_location::current())
      : Error(text, place) {}
};
/// A file that cannot be read or written as asked.
class IoError : public Error {
 public:
  explicit IoError(const std::string& text, std::source_location place = std::source_location::current())
      : Error(text, place) {}
};
/// What CUDA reports.
class CudaError : public Error {
 public:
  explicit CudaError(const std::string& text, std::source_location place = std::source_location::current())
      : Error(text, place) {}
};
/// What MPI reports.
class MpiError : public Error {
 public:
  explicit MpiError(const std::string& text, std::source_location place = std::source_location::current())
      : Error(text, place) {}
};

/// A truth with the place where it was asked; made implicitly from a bool.
struct Condition {
  bool holds;
  std::source_location place;
  template <class B>
    requires std::constructible_from<bool, B>
  constexpr Condition(const B& value, std::source_location where = std::source_location::current())
      : holds(static_cast<bool>(value)), place(where) {}
};

namespace detail {
inline void append(std::string& out, std::string_view part) { out += part; }
inline void append(std::string& out, char part) { out += part; }
void append(std::string& out, double part);
template <std::integral I>
void append(std::string& out, I part) {
  out += std::to_string(part);
}
/// A part that costs something to make is handed over as a function, called only when the text is needed.
template <std::invocable F>
void append(std::string& out, const F& part) {
  append(out, part());
}
}  // namespace detail

/// Joins strings, characters, numbers and functions that give one of these into one text.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::string text;
  (detail::append(text, parts), ...);
  return text;
}

/// Throws E with the joined parts unless the condition holds; formats only then.
template <class E = Error, class... Parts>
void require(Condition condition, const Parts&... parts) {
  if (!condition.holds) [[unlikely]]
    throw E(join(parts...), condition.place);
}

}  // namespace millrace
