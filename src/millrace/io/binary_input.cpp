// Bytes of an .mrx file by their place.
#include "millrace/io/binary_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "millrace/io/memory_limit.hpp"

namespace millrace {

MrxInput::MrxInput(const std::filesystem::path& path) : name_(path.string()) {
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require<IoError>(file_ >= 0, name_, ": cannot be opened: ", std::strerror(errno));
  try {
    struct stat facts {};
    require<IoError>(fstat(file_, &facts) == 0 && S_ISREG(facts.st_mode), name_, ": is not a regular file");
    const std::int64_t bytes = std::min<std::int64_t>(facts.st_size, sizeof head);
    read_bytes(&head, static_cast<std::size_t>(bytes), 0);
    check_mrx_head(head, facts.st_size, name_);
  } catch (...) {
    close(file_);
    throw;
  }
}

MrxInput::~MrxInput() { close(file_); }

BinaryHeader MrxInput::facts() const {
  return {static_cast<BinaryScalar>(head.scalar), static_cast<int>(head.offset_bytes), head.rows, head.cols,
          head.entries};
}

void MrxInput::check_gaps() const {
  for (int s = 0; s < mrx_num_sections; ++s) {
    const std::int64_t begin =
        s == 0 ? std::int64_t{sizeof head} : head.sections[s - 1].offset + head.sections[s - 1].bytes;
    char gap[mrx_alignment];
    const auto bytes = static_cast<std::size_t>(head.sections[s].offset - begin);
    read_bytes(gap, bytes, begin);
    require<IoError>(std::all_of(gap, gap + bytes, [](char c) { return c == 0; }), name_,
                     ": the file is damaged (bytes between its sections are not zero)");
  }
}

void MrxInput::check_memory(std::int64_t max_memory) const {
  require_memory(name_, join(head.rows, " rows and ", head.cols, " columns"), 16.0 * static_cast<double>(head.cols),
                 head.file_bytes, max_memory);
}

void MrxInput::refuse_matrix(std::string_view why) const {
  throw IoError(join(name_, ": the checksums are right, the matrix is not: ", why));
}

std::int64_t MrxInput::num_chunks(int section) const {
  constexpr auto chunk = static_cast<std::int64_t>(checksum_chunk_bytes);
  return (head.sections[section].bytes + chunk - 1) / chunk;
}

std::uint64_t MrxInput::read_chunk(int section, std::int64_t chunk, char* to) const {
  const MrxSection& place = head.sections[section];
  const std::int64_t begin = chunk * static_cast<std::int64_t>(checksum_chunk_bytes);
  const std::size_t bytes = std::min(checksum_chunk_bytes, static_cast<std::size_t>(place.bytes - begin));
  read_bytes(to, bytes, place.offset + begin);
  return checksum_of_chunk(to, bytes);
}

void MrxInput::check_sums(int section, const std::vector<std::uint64_t>& sums) const {
  require<IoError>(combine_checksums(sums.data(), std::ssize(sums)) == head.sections[section].checksum, name_, ": the ",
                   mrx_section_names[section], " are damaged (their checksum differs)");
}

void MrxInput::read_bytes(void* to, std::size_t bytes, std::int64_t offset) const {
  auto* p = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t done = pread(file_, p, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    require<IoError>(done >= 0, name_, ": cannot be read: ", std::strerror(errno));
    require<IoError>(done > 0, name_, ": the file became shorter while it was read");
    p += done;
    offset += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

}  // namespace millrace
