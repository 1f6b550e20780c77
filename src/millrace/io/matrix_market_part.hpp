// The entries in a part of a Matrix Market file, parsed in parallel by chunks cut at line ends. Inside the library.
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
  std::int64_t num_lines = 0;    // line ends in it
  std::int64_t first_line = 0;   // the number of its first line in the file
  std::int64_t slot = 0;         // where its entries go
  std::int64_t num_slots = 0;    // room for them
  std::int64_t num_entries = 0;  // found
  std::int64_t num_mirrors = 0;  // of them, off the diagonal of a matrix with a symmetry
  std::int64_t bad_line = 0;     // the first line at fault, 0 when there is none
  std::string what{};            // is wrong there
};

/// Chunks of at least so many bytes, but for the last one.
std::vector<TextChunk> cut_at_lines(const char* begin, const char* end, std::int64_t chunk_bytes);

/// The entries as they stand in the file. Chunks may leave slots empty (blank lines, comments).
template <class T>
struct StoredEntries {
  Array<Index> rows, cols;  // [num_slots], counted from 0; none for an array file
  Array<T> vals;            // [num_slots]
  std::vector<TextChunk> chunks;
};

/// How a part is parsed.
struct PartOptions {
  bool strict = false;
  int num_threads = 1;
  std::int64_t chunk_bytes = std::int64_t{1} << 20;
};

/// `text` is a part of a file behind its head: whole lines, of which the first has that number, followed by a line feed
/// that is not part of it. Lines at fault are noted in the chunks.
template <class T>
StoredEntries<T> parse_part(std::string_view text, const MatrixMarketHead& head, std::int64_t first_line,
                            const PartOptions& options, const IoProgress& progress);

/// Line ends, and entries as far as lines are right, in such a part.
struct PartCount {
  std::int64_t lines = 0, entries = 0;
};
PartCount count_part(std::string_view text, const MatrixMarketHead& head, const PartOptions& options);

/// A line at fault, 0 when there is none, and what is wrong with it.
struct LineFault {
  std::int64_t line = 0;
  std::string what{};
};
/// The first line at fault of all chunks, an entry too many among them. So many entries come before them.
LineFault first_fault(const std::vector<TextChunk>& chunks, const MatrixMarketHead& head, std::int64_t entries_before);
/// Fewer entries were found than the head declares: what is wrong with the last line.
std::string too_few(const MatrixMarketHead& head, std::int64_t found);

/// The line of the file on which an entry of a chunk stands, counted from 0 among the chunk's entries.
std::int64_t line_of_entry(const TextChunk& chunk, std::int64_t entry, std::int64_t numbers_per_entry);

}  // namespace millrace
