// Bytes of an .mrx file by their place.
#include "millrace/io/binary_input.hpp"

#include "millrace/io/memory_limit.hpp"

namespace millrace {

MrxInput::MrxInput(const std::filesystem::path& path) : file_(path) {
  file_.read(&head, std::min<std::int64_t>(file_.size(), sizeof head), 0);
  check_mrx_head(head, file_.size(), name());
}

BinaryHeader MrxInput::facts() const {
  return {static_cast<BinaryScalar>(head.scalar), static_cast<int>(head.offset_bytes), head.rows, head.cols,
          head.entries};
}

void MrxInput::check_gaps() const { millrace::check_gaps(file_, sizeof head, head.sections, "sections"); }

void MrxInput::check_memory(std::int64_t max_memory) const {
  require_memory(name(), join(head.rows, " rows and ", head.cols, " columns"), 16.0 * static_cast<double>(head.cols),
                 head.file_bytes, max_memory);
}

void MrxInput::refuse_matrix(std::string_view why) const {
  throw IoError(join(name(), ": the checksums are right, the matrix is not: ", why));
}

std::int64_t MrxInput::num_chunks(int section) const {
  constexpr auto chunk = static_cast<std::int64_t>(checksum_chunk_bytes);
  return (head.sections[section].bytes + chunk - 1) / chunk;
}

std::uint64_t MrxInput::read_chunk(int section, std::int64_t chunk, char* to) const {
  const FileSection& place = head.sections[section];
  const std::int64_t begin = chunk * static_cast<std::int64_t>(checksum_chunk_bytes);
  const std::size_t bytes = std::min(checksum_chunk_bytes, static_cast<std::size_t>(place.bytes - begin));
  file_.read(to, static_cast<std::int64_t>(bytes), place.offset + begin);
  return checksum_of_chunk(to, bytes);
}

void MrxInput::check_sums(int section, const std::vector<std::uint64_t>& sums) const {
  require<IoError>(combine_checksums(sums.data(), std::ssize(sums)) == head.sections[section].checksum, name(),
                   ": the ", mrx_section_names[section], " are damaged (their checksum differs)");
}

}  // namespace millrace
