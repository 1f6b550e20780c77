// Numbers and words of a gmsh file, text or binary, one after another; what is wrong is reported with its place.
// Inside the library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "millrace/base/error.hpp"

namespace millrace {

class GmshScanner {
 public:
  /// A line feed must follow the text.
  GmshScanner(std::string_view text, std::string name)
      : begin_(text.data()), end_(begin_ + text.size()), at_(begin_), token_(begin_), name_(std::move(name)) {}

  bool binary() const { return binary_; }
  void set_binary(bool other_byte_order) {
    binary_ = true;
    swap_ = other_byte_order;
  }
  std::int64_t bytes_left() const { return end_ - at_; }
  /// True when nothing but blanks and line ends is left.
  bool at_end();

  /// Text, in binary files too. Words and numbers may stand on any line.
  std::string_view word(std::string_view what);
  std::string_view rest_of_line();
  std::int64_t text_integer(std::string_view what);
  double text_real(std::string_view what);
  /// A word that was read last, as a number.
  std::int64_t to_integer(std::string_view word, std::string_view what) const;
  /// Goes behind the next line that is `line`; false when there is none.
  bool skip_past(std::string_view line);

  // Numbers as the file has them: text, or bytes of an int, a size_t or a double.
  std::int64_t integer(std::string_view what);
  std::int64_t size(std::string_view what);
  double real(std::string_view what);
  /// A size of things that take at least so many bytes each, so that it cannot promise more than the file holds.
  std::int64_t count(std::string_view what, std::int64_t bytes_each = 2);
  std::int64_t checked_count(std::int64_t count, std::string_view what, std::int64_t bytes_each = 2) const;
  /// In text the numbers read between these two stand on one line, and nothing else stands there.
  void begin_record();
  void end_record(std::string_view what);
  /// The one line end that stands before binary data.
  void end_text_line();

  /// Throws an IoError at the place where the last word or number began.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw IoError(join(place(), ": ", parts...));
  }
  std::string place() const;

 private:
  void skip_space();
  double finite(double value, std::string_view what) const;
  template <class T>
  T bytes_of(std::string_view what);
  [[noreturn]] void fail_expected(std::string_view what, std::string_view found) const;

  const char *begin_, *end_, *at_, *token_;
  std::string name_;
  bool binary_ = false, swap_ = false, in_record_ = false;
};

}  // namespace millrace
