// The entries of a Matrix Market file, parsed in parallel by chunks cut at line ends. Inside the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "millrace/io/chunks.hpp"
#include "millrace/io/matrix_market_header.hpp"

namespace millrace {

/// A piece of the text that begins and ends at line ends, and what came out of it.
struct TextChunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::int64_t first_line = 0;   // the number of its first line in the file
  std::int64_t slot = 0;         // where its entries go
  std::int64_t num_slots = 0;    // room for them
  std::int64_t num_entries = 0;  // found
  std::int64_t num_mirrors = 0;  // of them, off the diagonal of a matrix with a symmetry
  std::int64_t bad_line = 0;     // the first line at fault, 0 when there is none
  std::string what{};            // is wrong there
};

/// The entries as they stand in the file. Chunks may leave slots empty (blank lines, comments).
template <class T>
struct StoredEntries {
  Array<Index> rows, cols;  // [num_slots], counted from 0; none for an array file
  Array<T> vals;            // [num_slots]
  std::vector<TextChunk> chunks;
};

/// `text` is the whole file, followed by a line feed that is not part of it.
template <class T>
StoredEntries<T> parse_body(std::string_view text, const MatrixMarketHead& head, const std::string& name,
                            const ReadOptions& options, std::int64_t chunk_bytes, const IoProgress& progress);

/// The line of the file on which an entry of a chunk stands, counted from 0 among the chunk's entries.
std::int64_t line_of_entry(const TextChunk& chunk, std::int64_t entry, std::int64_t numbers_per_entry);

}  // namespace millrace
