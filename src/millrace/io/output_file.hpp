// A file that appears under its name only when it is complete and on the disk. Until then it is a part file
// (base/part_file.hpp), "<path>.part-" and more.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "millrace/base/part_file.hpp"

namespace millrace {

class OutputFile {
 public:
  /// Opens the part file; what is read-only is refused. A device or pipe that exists under the name is written in
  /// place.
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the part file unless commit() was called.
  ~OutputFile();

  void write(std::string_view bytes);
  void write(const void* data, std::size_t bytes) { write({static_cast<const char*>(data), bytes}); }
  /// Writes what is buffered and gives the file its name.
  void commit();
  const std::filesystem::path& path() const { return path_; }

 private:
  void flush();
  void write_now(std::string_view bytes);
  void close_file() noexcept;

  std::filesystem::path path_, target_;  // as asked, behind symbolic links
  PartFile part_;
  std::string buffer_;
  int file_ = -1;  // that of the part file, or of a device
  int slot_ = -1;  // in the list of unfinished files
};

/// Removes the part files of this process. Calls only what a signal handler may call; the process should
/// end soon after, for the files are still open.
void remove_unfinished_output_files() noexcept;

}  // namespace millrace
