// A file that is read by place, from several threads or ranks at a time. Inside the library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace millrace {

class PlacedFile {
 public:
  /// An IoError for what cannot be opened, or is no regular file.
  explicit PlacedFile(const std::filesystem::path& path);
  PlacedFile(const PlacedFile&) = delete;
  PlacedFile& operator=(const PlacedFile&) = delete;
  ~PlacedFile();

  const std::string& name() const { return name_; }
  std::int64_t size() const { return size_; }  // when it was opened
  void read(void* to, std::int64_t bytes, std::int64_t place) const;

 private:
  std::string name_;
  int file_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace millrace
