// A hash of texts for names of files, and numbers as such names have them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace millrace {

/// FNV-1a (Fowler, Noll, Vo 1991); `from` goes on from the hash of what came before.
inline std::uint64_t hash_of(std::string_view text, std::uint64_t from = 0xcbf29ce484222325u) {
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return from;
}

/// The lowest hexadecimal digits of a number, zeros first.
inline std::string hexadecimal(std::uint64_t number, int digits = 16) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4)
    *digit = "0123456789abcdef"[number & 15];
  return text;
}

}  // namespace millrace
