// A 64-bit checksum of bytes, fast enough to keep up with memory. A change that is confined to 8 aligned
// bytes always changes it, for every step can be undone; other changes escape once in 2^64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

inline constexpr std::size_t checksum_chunk_bytes = std::size_t{1} << 20;

/// Of one chunk, at most checksum_chunk_bytes long.
std::uint64_t checksum_of_chunk(const void* data, std::size_t bytes);

/// Of a whole, from those of its chunks in order.
std::uint64_t combine_checksums(const std::uint64_t* chunks, std::int64_t num_chunks);

/// Of bytes in memory, in parallel.
std::uint64_t checksum(const void* data, std::size_t bytes, int num_threads);

}  // namespace millrace
