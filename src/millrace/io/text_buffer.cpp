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
#include "millrace/io/packed_text.hpp"

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

void TextBuffer::forget(std::size_t bytes) {
  if (const std::size_t whole = whole_pages(bytes + 1) - whole_pages(1); whole > 0)
    madvise(data_, whole, MADV_DONTNEED);
}

TextBuffer load_text(const std::filesystem::path& path, const IoProgress& progress, std::size_t max_bytes,
                     bool* complete, std::int64_t max_memory) {
  if (compression_of(path) == Compression::none) {
    if (complete) *complete = true;
    return TextBuffer::map(path);
  }
  constexpr std::size_t step_bytes = std::size_t{1} << 20;
  PackedText packed(path, max_memory, max_bytes);
  TextBuffer text;
  text.room(4 * std::min(packed.packed_bytes(), max_bytes) + 1);
  while (!packed.done() && text.text().size() < max_bytes) {
    text.add(packed.read(text.room(step_bytes), step_bytes));
    progress(packed.fraction());
  }
  if (complete) *complete = packed.done();
  return text;
}

}  // namespace millrace
