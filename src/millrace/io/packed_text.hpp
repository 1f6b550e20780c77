// The text of a .gz or .xz file, one piece after another. Inside the library.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "millrace/io/compression.hpp"
#include "millrace/io/text_buffer.hpp"

namespace millrace {

/// A packed file and how far it has been unpacked. Little of it is in memory at a time.
class PackedText {
 public:
  /// `max_bytes` of text are the most that will be read. What unpacks to more than the limit on memory
  /// (memory_limit.hpp) is refused by read().
  explicit PackedText(const std::filesystem::path& path, std::int64_t max_memory = 0, std::size_t max_bytes = SIZE_MAX);

  /// Writes the next bytes of the text, up to `room` of them and perhaps none; returns how many. Damage is an IoError
  /// that begins with name:line.
  std::size_t read(char* to, std::size_t room);
  bool done() const { return unpacker_->done(); }
  std::size_t packed_bytes() const { return packed_bytes_; }
  /// Of the packed bytes that have been used.
  double fraction() const;

 private:
  std::string name_;
  TextBuffer file_;
  std::size_t packed_bytes_, limit_, forgotten_ = 0;
  std::unique_ptr<Unpacker> unpacker_;
  std::size_t text_bytes_ = 0;
  std::int64_t num_lines_ = 0;  // that have ended
};

}  // namespace millrace
