// Four independent chains of multiplications, so that a core sums up several bytes a cycle.
#include "millrace/io/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "millrace/base/parallel.hpp"

namespace millrace {
namespace {

// Odd numbers whose binary digits look random: the fractions of the square roots of 2, 3, 5, 7
// and 11, the first made odd.
constexpr std::uint64_t keys[] = {0x6a09e667f3bcc909, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                  0x510e527fade682d1};
constexpr int num_lanes = 4;

std::uint64_t step(std::uint64_t state, std::uint64_t word, std::uint64_t key) {
  return std::rotl((state ^ word) * key, 31);
}

std::uint64_t word_at(const unsigned char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

std::uint64_t checksum_of_chunk(const void* data, std::size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  const unsigned char* end = p + bytes;
  std::uint64_t lanes[num_lanes] = {keys[0], keys[1], keys[2], keys[3]};
  for (; end - p >= 8 * num_lanes; p += 8 * num_lanes)
    for (int i = 0; i < num_lanes; ++i) lanes[i] = step(lanes[i], word_at(p + 8 * i), keys[i]);
  std::uint64_t sum = bytes;
  for (; end - p >= 8; p += 8) sum = step(sum, word_at(p), keys[4]);
  for (; p < end; ++p) sum = step(sum, *p, keys[4]);
  for (int i = 0; i < num_lanes; ++i) sum = step(sum, lanes[i], keys[i]);
  return sum ^ (sum >> 32);
}

std::uint64_t combine_checksums(const std::uint64_t* chunks, std::int64_t num_chunks) {
  std::uint64_t sum = keys[4];
  for (std::int64_t k = 0; k < num_chunks; ++k) sum = step(sum, chunks[k], keys[4]);
  return sum ^ (sum >> 32);
}

std::uint64_t checksum(const void* data, std::size_t bytes, int num_threads) {
  const auto num_chunks = static_cast<std::int64_t>((bytes + checksum_chunk_bytes - 1) / checksum_chunk_bytes);
  std::vector<std::uint64_t> chunks(static_cast<std::size_t>(num_chunks));  // [num_chunks]
  const Work each{.bytes = static_cast<std::int64_t>(checksum_chunk_bytes)};
  parallel(threads_for(num_threads, num_chunks, each), [&](int thread, int count) {
    const auto [first, last] = even_part(num_chunks, thread, count);
    for (std::int64_t k = first; k < last; ++k) {
      const std::size_t begin = static_cast<std::size_t>(k) * checksum_chunk_bytes;
      chunks[static_cast<std::size_t>(k)] =
          checksum_of_chunk(static_cast<const char*>(data) + begin, std::min(checksum_chunk_bytes, bytes - begin));
    }
  });
  return combine_checksums(chunks.data(), num_chunks);
}

}  // namespace millrace
