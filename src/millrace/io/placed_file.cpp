// pread, until all bytes are there.
#include "millrace/io/placed_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "millrace/base/error.hpp"

namespace millrace {

PlacedFile::PlacedFile(const std::filesystem::path& path) : name_(path.string()) {
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require<IoError>(file_ >= 0, name_, ": cannot be opened: ", std::strerror(errno));
  struct stat facts {};
  const bool regular = fstat(file_, &facts) == 0 && S_ISREG(facts.st_mode);
  if (!regular) close(file_);
  require<IoError>(regular, name_, ": is not a regular file");
  size_ = facts.st_size;
}

PlacedFile::~PlacedFile() { close(file_); }

void PlacedFile::read(void* to, std::int64_t bytes, std::int64_t place) const {
  auto* p = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t done = pread(file_, p, static_cast<std::size_t>(bytes), place);
    if (done < 0 && errno == EINTR) continue;
    require<IoError>(done >= 0, name_, ": cannot be read: ", std::strerror(errno));
    require<IoError>(done > 0, name_, ": the file became shorter while it was read");
    p += done;
    place += done;
    bytes -= done;
  }
}

}  // namespace millrace
