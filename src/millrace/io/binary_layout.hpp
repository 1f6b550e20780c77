// The first 192 bytes of an .mrx file and where its sections lie. Inside the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "millrace/io/binary.hpp"
#include "millrace/io/file_sections.hpp"

namespace millrace {

inline constexpr char mrx_magic[8] = {'\x89', 'M', 'R', 'X', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t mrx_byte_order = 0x01020304, mrx_version = 1;
inline constexpr int mrx_num_sections = 3;  // row offsets, columns, values

struct MrxHead {
  char magic[8]{};
  std::uint32_t byte_order = 0, version = 0;
  std::uint32_t scalar = 0, offset_bytes = 0;
  std::int64_t rows = 0, cols = 0, entries = 0;
  std::int64_t file_bytes = 0;
  FileSection sections[mrx_num_sections];  // [row_ptr, cols, vals]
  std::int64_t reserved[7]{};              // zero
  std::uint64_t checksum = 0;              // of the 184 bytes before it
};
static_assert(sizeof(MrxHead) == 192 && std::is_trivially_copyable_v<MrxHead>);
static_assert(offsetof(MrxHead, sections) == 56 && offsetof(MrxHead, checksum) == 184);

/// Size of one value, 0 for an unknown scalar.
std::int64_t mrx_scalar_bytes(std::uint32_t scalar);

/// A head without checksums: every number of it follows from these.
MrxHead make_mrx_head(const BinaryHeader& facts);

/// Checks everything but the checksums of the sections. `head` is what was read of a file of that size.
void check_mrx_head(const MrxHead& head, std::int64_t file_bytes, const std::string& name);

}  // namespace millrace
