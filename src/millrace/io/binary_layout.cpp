// What the head of an .mrx file must say.
#include "millrace/io/binary_layout.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "millrace/base/error.hpp"
#include "millrace/io/checksum.hpp"

namespace millrace {

std::int64_t mrx_scalar_bytes(std::uint32_t scalar) {
  switch (static_cast<BinaryScalar>(scalar)) {
    case BinaryScalar::real_float:
      return 4;
    case BinaryScalar::real_double:
      return 8;
    case BinaryScalar::complex_float:
      return 8;
    case BinaryScalar::complex_double:
      return 16;
  }
  return 0;
}

MrxHead make_mrx_head(const BinaryHeader& facts) {
  MrxHead head;
  std::memcpy(head.magic, mrx_magic, sizeof mrx_magic);
  head.byte_order = mrx_byte_order;
  head.version = mrx_version;
  head.scalar = static_cast<std::uint32_t>(facts.scalar);
  head.offset_bytes = static_cast<std::uint32_t>(facts.offset_bytes);
  head.rows = facts.rows;
  head.cols = facts.cols;
  head.entries = facts.entries;
  const std::int64_t bytes[mrx_num_sections] = {(facts.rows + 1) * facts.offset_bytes,
                                                facts.entries * std::int64_t{sizeof(Index)},
                                                facts.entries * mrx_scalar_bytes(head.scalar)};
  for (int s = 0; s < mrx_num_sections; ++s) head.sections[s].bytes = bytes[s];
  head.file_bytes = place_sections(sizeof head, head.sections);
  return head;
}

void check_mrx_head(const MrxHead& head, std::int64_t file_bytes, const std::string& name) {
  require<Unsupported>(std::endian::native == std::endian::little, name,
                       ": .mrx files are little-endian, and this machine is not");
  require<IoError>(
      file_bytes >= std::int64_t{sizeof head.magic} && std::memcmp(head.magic, mrx_magic, sizeof mrx_magic) == 0, name,
      ": this is not an .mrx file: its first 8 bytes are others");
  require<IoError>(file_bytes >= std::int64_t{sizeof head}, name, ": the file is cut off: it has ", file_bytes,
                   " bytes, its head alone ", sizeof head);
  require<IoError>(head.byte_order == mrx_byte_order, name,
                   head.byte_order == 0x04030201 ? ": the file is big-endian; .mrx files are little-endian"
                                                 : ": the head is damaged (mark of the byte order)");
  require<IoError>(head.version == mrx_version, name, ": the file has version ", head.version,
                   " of the .mrx format, this library reads version ", mrx_version);
  require<IoError>(checksum_of_chunk(&head, offsetof(MrxHead, checksum)) == head.checksum, name,
                   ": the head is damaged (its checksum differs)");
  require<IoError>(mrx_scalar_bytes(head.scalar) > 0, name, ": unknown scalar type ", head.scalar,
                   "; known are 1 to 4");
  require<IoError>(head.offset_bytes == 4 || head.offset_bytes == 8, name, ": row offsets of ", head.offset_bytes,
                   " bytes; known are 4 and 8");
  constexpr std::int64_t most = std::numeric_limits<Index>::max(), max_entries = std::int64_t{1} << 56;
  require<IoError>(head.rows >= 0 && head.rows <= most && head.cols >= 0 && head.cols <= most && head.entries >= 0 &&
                       head.entries <= max_entries,
                   name, ": ", head.rows, " x ", head.cols, " with ", head.entries,
                   " entries is no possible matrix: indices have 32 bits, 1..2147483647");
  MrxHead expected = make_mrx_head({static_cast<BinaryScalar>(head.scalar), static_cast<int>(head.offset_bytes),
                                    head.rows, head.cols, head.entries});
  for (int s = 0; s < mrx_num_sections; ++s) expected.sections[s].checksum = head.sections[s].checksum;
  expected.checksum = head.checksum;
  require<IoError>(std::memcmp(&expected, &head, sizeof head) == 0, name,
                   ": the sections named in the head do not fit the matrix");
  require<IoError>(file_bytes >= head.file_bytes, name, ": the file is cut off: it has ", file_bytes, " of its ",
                   head.file_bytes, " bytes");
  require<IoError>(file_bytes == head.file_bytes, name, ": ", file_bytes - head.file_bytes,
                   " bytes too many follow the matrix");
}

}  // namespace millrace
