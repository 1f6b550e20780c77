// Walks over a text by the well-formed sequences of UTF-8 (Unicode 15, table 3-7).
#include "millrace/base/printable.hpp"

#include <cstddef>

namespace millrace {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// Bytes of the sequence that begins there; 0: none does.
std::size_t sequence_bytes(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at), second = byte_at(text, at + 1);
  const auto goes_on = [&](std::size_t k) { return (byte_at(text, at + k) & 0xc0u) == 0x80u; };
  const auto between = [&](unsigned low, unsigned high) { return second >= low && second <= high; };
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return goes_on(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return between(first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && goes_on(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return between(first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && goes_on(2) && goes_on(3) ? 4 : 0;
  return 0;
}

bool is_control(std::string_view sequence) {
  const unsigned first = byte_at(sequence, 0);
  if (sequence.size() == 2) return first == 0xc2 && byte_at(sequence, 1) < 0xa0;
  return sequence.size() == 1 && (first == 0x7f || (first < 0x20 && first != '\n' && first != '\t'));
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : bytes) {
    const unsigned byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += digits[byte / 16];
    out += digits[byte % 16];
  }
}

std::string escaped(std::string_view text, bool controls) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_bytes(text, at);
    const std::string_view sequence = text.substr(at, length == 0 ? 1 : length);
    if (length == 0 || (controls && is_control(sequence)))
      append_escaped(out, sequence);
    else
      out += sequence;
    at += sequence.size();
  }
  return out;
}

}  // namespace

std::string valid_utf8(std::string_view text) { return escaped(text, false); }
std::string printable(std::string_view text) { return escaped(text, true); }

std::string in_quotes(std::string_view piece) {
  constexpr std::size_t longest = 40;
  return "'" + printable(piece.substr(0, longest)) + (piece.size() > longest ? "...'" : "'");
}

}  // namespace millrace
