// Words and numbers of a gmsh file.
#include "millrace/io/gmsh_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "millrace/base/printable.hpp"

namespace millrace {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

std::string GmshScanner::place() const {
  if (binary_) return join(name_, ": byte ", token_ - begin_);
  return join(name_, ":", std::count(begin_, token_, '\n') + 1);
}

void GmshScanner::fail_expected(std::string_view what, std::string_view found) const {
  if (found.empty()) fail("expected ", what, ", found the end of the file");
  fail("expected ", what, ", found ", in_quotes(found));
}

void GmshScanner::skip_space() {
  while (at_ < end_ && is_space(*at_)) ++at_;
  token_ = at_;
}

bool GmshScanner::at_end() {
  skip_space();
  return at_ == end_;
}

std::string_view GmshScanner::word(std::string_view what) {
  if (in_record_) {
    while (at_ < end_ && *at_ != '\n' && is_space(*at_)) ++at_;
    token_ = at_;
    if (at_ < end_ && *at_ == '\n') fail("expected ", what, ", found the end of the line");
  }
  if (at_end()) fail_expected(what, "");
  while (at_ < end_ && !is_space(*at_)) ++at_;
  return {token_, at_};
}

std::string_view GmshScanner::rest_of_line() {
  token_ = at_;
  at_ = std::find(at_, end_, '\n');
  return {token_, at_};
}

std::int64_t GmshScanner::text_integer(std::string_view what) { return to_integer(word(what), what); }

std::int64_t GmshScanner::to_integer(std::string_view text, std::string_view what) const {
  std::int64_t value = 0;
  const char* first = text.data() + (text.size() > 1 && text[0] == '+' ? 1 : 0);
  const auto [end, code] = std::from_chars(first, text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) fail_expected(what, text);
  return value;
}

bool GmshScanner::skip_past(std::string_view line) {
  for (const char* from = at_;;) {
    const auto found = std::string_view(from, end_).find(line);
    if (found == std::string_view::npos) return false;
    const char *begin = from + found, *end = begin + line.size();
    from = end;
    if ((begin != begin_ && begin[-1] != '\n') || (end < end_ && !is_space(*end))) continue;
    at_ = end;
    return true;
  }
}

template <class T>
T GmshScanner::bytes_of(std::string_view what) {
  token_ = at_;
  if (bytes_left() < static_cast<std::int64_t>(sizeof(T))) fail_expected(what, "");
  char bytes[sizeof(T)];
  std::copy(at_, at_ + sizeof(T), bytes);
  if (swap_) std::reverse(bytes, bytes + sizeof(T));
  at_ += sizeof(T);
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

std::int64_t GmshScanner::integer(std::string_view what) {
  if (binary_) return bytes_of<std::int32_t>(what);
  const std::int64_t value = text_integer(what);
  if (value < INT32_MIN || value > INT32_MAX) fail(what, " is ", value, ", which 32 bits do not hold");
  return value;
}

std::int64_t GmshScanner::size(std::string_view what) {
  const std::int64_t value = binary_ ? bytes_of<std::int64_t>(what) : text_integer(what);
  if (value < 0) fail(what, " is ", value, "; it cannot be negative");
  return value;
}

double GmshScanner::text_real(std::string_view what) {
  double value = 0;
  const std::string_view text = word(what);
  const char* first = text.data() + (text.size() > 1 && text[0] == '+' ? 1 : 0);
  const auto [end, code] = std::from_chars(first, text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range && end == text.data() + text.size())
    value = std::strtod(std::string(text).c_str(), nullptr);  // 0 or a denormal number where it is tiny
  else if (code != std::errc{} || end != text.data() + text.size())
    fail_expected(what, text);
  return finite(value, what);
}

double GmshScanner::real(std::string_view what) {
  return binary_ ? finite(bytes_of<double>(what), what) : text_real(what);
}

double GmshScanner::finite(double value, std::string_view what) const {
  if (!std::isfinite(value)) fail(what, " is ", value, "; a finite number is needed");
  return value;
}

std::int64_t GmshScanner::checked_count(std::int64_t count, std::string_view what, std::int64_t bytes_each) const {
  if (count < 0) fail(what, " is ", count, "; it cannot be negative");
  if (count > bytes_left() / bytes_each + 1)
    fail(what, " is ", count, ", but the file ends after ", bytes_left(), " more bytes");
  return count;
}

std::int64_t GmshScanner::count(std::string_view what, std::int64_t bytes_each) {
  return checked_count(size(what), what, bytes_each);
}

void GmshScanner::begin_record() {
  if (binary_) return;
  skip_space();
  in_record_ = true;
}

void GmshScanner::end_record(std::string_view what) {
  if (binary_) return;
  in_record_ = false;
  while (at_ < end_ && *at_ != '\n' && is_space(*at_)) ++at_;
  if (at_ < end_ && *at_ != '\n') {
    const std::string_view found = word(what);
    fail("the line goes on with ", in_quotes(found), " behind ", what);
  }
}

void GmshScanner::end_text_line() {
  if (at_ < end_ && *at_ == '\r') ++at_;
  token_ = at_;
  if (at_ == end_ || *at_ != '\n') fail("expected the end of the line before binary data");
  ++at_;
}

}  // namespace millrace
