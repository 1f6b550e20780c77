// From entries as they are stored in a file to those of the matrix: positions of arrays, mirror images of the
// symmetries. Inside the library.
#pragma once

#include <complex>

#include "millrace/base/search.hpp"
#include "millrace/io/matrix_market_part.hpp"
#include "millrace/io/memory_limit.hpp"

namespace millrace {

/// Where value k of an array file stands: column by column, in one triangle if there is a symmetry.
class ArrayPosition {
 public:
  ArrayPosition(const MatrixMarketHeader& header, std::int64_t k)
      : rows_(header.rows),
        triangle_(header.symmetry != MmSymmetry::general),
        gap_(header.symmetry == MmSymmetry::skew_symmetric ? 1 : 0) {
    // The last column that begins at k or before.
    col_ = first_where(std::int64_t{1}, std::int64_t{header.cols}, [&](std::int64_t c) { return k < begin_of(c); }) - 1;
    row_ = first_row(col_) + (k - begin_of(col_));
  }
  Index row() const { return static_cast<Index>(row_); }
  Index col() const { return static_cast<Index>(col_); }
  void next() {
    if (++row_ == rows_) row_ = first_row(++col_);
  }

 private:
  std::int64_t first_row(std::int64_t col) const { return triangle_ ? col + gap_ : 0; }
  std::int64_t begin_of(std::int64_t col) const {
    return triangle_ ? col * (rows_ - gap_) - col * (col - 1) / 2 : col * rows_;
  }
  std::int64_t rows_, row_ = 0, col_ = 0;
  bool triangle_;
  std::int64_t gap_;  // rows between the diagonal and the first one stored
};

template <class T>
T mirrored(T value, MmSymmetry symmetry) {
  if (symmetry == MmSymmetry::skew_symmetric) return -value;
  if constexpr (is_complex<T>)
    if (symmetry == MmSymmetry::hermitian) return std::conj(value);
  return value;
}

/// f(row, col, value) for the entries of a chunk in the order of the file, each followed by its mirror image. So many
/// entries of the file come before the chunk.
template <class T, class F>
void for_each_entry(const StoredEntries<T>& stored, const TextChunk& chunk, const MatrixMarketHeader& header,
                    std::int64_t entries_before, F&& f) {
  if (chunk.num_entries == 0) return;
  const bool general = header.symmetry == MmSymmetry::general;
  ArrayPosition position(header, header.array ? entries_before : 0);
  for (std::int64_t s = chunk.slot; s < chunk.slot + chunk.num_entries; ++s) {
    const Index row = header.array ? position.row() : stored.rows.data()[s];
    const Index col = header.array ? position.col() : stored.cols.data()[s];
    if (header.array) position.next();
    const T value = stored.vals.data()[s];
    f(row, col, value);
    if (!general && row != col) f(col, row, mirrored(value, header.symmetry));
  }
}

/// A chunk of an array file with a symmetry: values off the diagonal, which have a mirror image, and the first value on
/// it that is not real (-1: none), counted from the chunk's first.
struct ArrayChunkFacts {
  std::int64_t num_mirrors = 0, not_real = -1;
};
template <class T>
ArrayChunkFacts array_facts(const StoredEntries<T>& stored, const TextChunk& chunk, const MatrixMarketHeader& header,
                            std::int64_t entries_before) {
  ArrayChunkFacts facts;
  if (chunk.num_entries == 0) return facts;
  ArrayPosition position(header, entries_before);
  for (std::int64_t k = 0; k < chunk.num_entries; ++k, position.next()) {
    if (position.row() != position.col())
      ++facts.num_mirrors;
    else if (facts.not_real < 0 && std::imag(stored.vals.data()[chunk.slot + k]) != 0)
      facts.not_real = k;
  }
  return facts;
}
inline constexpr const char* diagonal_not_real = "strict: the diagonal of a hermitian matrix must be real";

/// Rows and columns are what the text only claims: a tiny file may name 2 billion of them. Offsets and what their
/// assembly takes are 36 bytes per row; whoever uses the matrix has a vector or two of its columns.
template <class T>
void check_market_memory(const MatrixMarketHead& head, const std::string& name, std::size_t text_bytes,
                         std::int64_t max_memory) {
  const MatrixMarketHeader& header = head.header;
  const bool symmetric = header.symmetry != MmSymmetry::general;
  const double per_entry = (symmetric ? 3.0 : 2.0) * (2 * sizeof(Index) + sizeof(T));
  require_memory(join(name, ':', head.size_line), join(header.rows, " rows and ", header.cols, " columns"),
                 36.0 * static_cast<double>(header.rows) + 16.0 * static_cast<double>(header.cols) +
                     (max_memory > 0 ? per_entry * static_cast<double>(header.entries) : 0.0),
                 static_cast<std::int64_t>(text_bytes), max_memory);
}

template <class T>
void check_market_field(const MatrixMarketHead& head, const std::string& name) {
  require<IoError>(is_complex<T> || head.header.field != MmField::complex, name,
                   ":1: the file is complex; it cannot be read as ", scalar_name<T>());
}

}  // namespace millrace
