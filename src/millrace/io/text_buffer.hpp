// The text of a file in memory, mapped or unpacked. One line feed always follows the last byte, so that
// a scanner which stops at line feeds needs no other check of the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "millrace/io/chunks.hpp"

namespace millrace {

class TextBuffer {
 public:
  TextBuffer() = default;
  /// Maps a file as it is.
  static TextBuffer map(const std::filesystem::path& path);
  TextBuffer(TextBuffer&& other) noexcept { swap(other); }
  TextBuffer& operator=(TextBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TextBuffer();

  std::string_view text() const { return {data_, size_}; }
  /// Room for at least `more` bytes behind the text; what is written there is taken in by add().
  char* room(std::size_t more);
  std::size_t room_bytes() const { return mapped_bytes_ > size_ ? mapped_bytes_ - size_ - 1 : 0; }
  void add(std::size_t bytes);
  /// The first bytes of a mapped file will hardly be read again: their memory goes back to the system.
  void forget(std::size_t bytes);

 private:
  void swap(TextBuffer& other) noexcept;

  char* data_ = nullptr;
  std::size_t size_ = 0, mapped_bytes_ = 0;
};

/// The text of a plain, .gz or .xz file, up to about max_bytes of it. Sets *complete to whether that is all. What
/// unpacks to more than the limit on memory (memory_limit.hpp) is refused.
TextBuffer load_text(const std::filesystem::path& path, const IoProgress& progress, std::size_t max_bytes = SIZE_MAX,
                     bool* complete = nullptr, std::int64_t max_memory = 0);

}  // namespace millrace
