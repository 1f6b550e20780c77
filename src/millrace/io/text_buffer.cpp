// Text in mapped memory, which grows without copies.
#include "millrace/io/text_buffer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/base/human.hpp"
#include "millrace/io/compression.hpp"
#include "millrace/io/memory_limit.hpp"

namespace millrace {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

char* map_empty(std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(data != MAP_FAILED, "memory: ", bytes, " bytes for the text of a file could not be had");
  return static_cast<char*>(data);
}

}  // namespace

// The pages are private, so the line feed that is put behind the text never reaches the file. A file that
// fills its last page gets one more page for it.
TextBuffer TextBuffer::map(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require<IoError>(file >= 0, path.string(), ": cannot be opened: ", std::strerror(errno));
  struct stat facts {};
  const bool regular = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  TextBuffer buffer;
  bool mapped = regular;
  if (regular) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    buffer.mapped_bytes_ = whole_pages(size + 1);
    buffer.data_ = map_empty(buffer.mapped_bytes_);
    mapped =
        size == 0 || mmap(buffer.data_, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
    buffer.size_ = size;
  }
  close(file);
  require<IoError>(regular, path.string(), ": is not a regular file");
  require<IoError>(mapped, path.string(), ": cannot be mapped into memory: ", std::strerror(errno));
  if (buffer.size_ > 0) madvise(buffer.data_, buffer.size_, MADV_WILLNEED);
  buffer.data_[buffer.size_] = '\n';
  return buffer;
}

TextBuffer::~TextBuffer() {
  if (data_) munmap(data_, mapped_bytes_);
}

void TextBuffer::swap(TextBuffer& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
}

char* TextBuffer::room(std::size_t more) {
  const std::size_t need = size_ + more + 1;
  if (need > mapped_bytes_) {
    const std::size_t wanted = whole_pages(std::max(need, 2 * mapped_bytes_));
    if (!data_) {
      data_ = map_empty(wanted);
    } else {
      void* moved = mremap(data_, mapped_bytes_, wanted, MREMAP_MAYMOVE);
      require(moved != MAP_FAILED, "memory: ", wanted, " bytes for the text of a file could not be had");
      data_ = static_cast<char*>(moved);
    }
    mapped_bytes_ = wanted;
  }
  data_[size_] = '\n';
  return data_ + size_;
}

void TextBuffer::add(std::size_t bytes) {
  size_ += bytes;
  data_[size_] = '\n';
}

TextBuffer load_text(const std::filesystem::path& path, const IoProgress& progress, std::size_t max_bytes,
                     bool* complete, std::int64_t max_memory) {
  TextBuffer file = TextBuffer::map(path);
  const Compression kind = compression_of(path);
  bool all = true;
  if (kind != Compression::none) {
    TextBuffer text;
    text.room(4 * std::min(file.text().size(), max_bytes) + 1);
    const std::size_t packed = file.text().size();
    const auto limit = static_cast<std::size_t>(memory_limit(static_cast<std::int64_t>(packed), max_memory));
    all = unpack(kind, path.string(), file.text(), text, progress, std::min(max_bytes, limit));
    require<IoError>(all || text.text().size() < limit, path.string(), ": ", bytes_text(static_cast<double>(packed)),
                     " unpack to more than ", bytes_text(static_cast<double>(limit)),
                     "; a limit on memory (--max-memory) that is larger allows more");
    file = std::move(text);
  }
  if (complete) *complete = all;
  return file;
}

}  // namespace millrace
