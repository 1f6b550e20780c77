// Sections of our binary files (.mrx, .mrs): where they lie follows from their sizes, and zeros are between them.
// Inside the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "millrace/base/error.hpp"
#include "millrace/io/placed_file.hpp"

namespace millrace {

inline constexpr std::int64_t section_alignment = 64;

struct FileSection {
  std::int64_t offset = 0;     // from the beginning of the file
  std::int64_t bytes = 0;      // without the zeros up to the next section
  std::uint64_t checksum = 0;  // of the bytes, in chunks of 1 MiB
};

/// Sets the offsets of sections that follow a head. Returns the size of the file.
inline std::int64_t place_sections(std::int64_t head_bytes, std::span<FileSection> sections) {
  std::int64_t end = head_bytes;
  for (FileSection& section : sections) {
    section.offset = (end + section_alignment - 1) / section_alignment * section_alignment;
    end = section.offset + section.bytes;
  }
  return end;
}

/// An IoError unless all between the sections, which lie as place_sections says, is zero. `called`: what they are.
inline void check_gaps(const PlacedFile& file, std::int64_t head_bytes, std::span<const FileSection> sections,
                       const char* called) {
  std::int64_t end = head_bytes;
  for (const FileSection& section : sections) {
    char gap[section_alignment];
    const std::int64_t bytes = section.offset - end;
    file.read(gap, bytes, end);
    require<IoError>(std::all_of(gap, gap + bytes, [](char c) { return c == 0; }), file.name(),
                     ": the file is damaged (bytes between its ", called, " are not zero)");
    end = section.offset + section.bytes;
  }
}

}  // namespace millrace
