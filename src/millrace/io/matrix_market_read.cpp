// From stored entries to a matrix: mirror images for the symmetries, then to CSR.
#include <algorithm>
#include <complex>

#include "millrace/base/search.hpp"
#include "millrace/io/drop_zeros.hpp"
#include "millrace/io/matrix_market_body.hpp"
#include "millrace/io/matrix_market_text.hpp"
#include "millrace/io/memory_limit.hpp"
#include "millrace/io/text_buffer.hpp"
#include "millrace/sparse/coo.hpp"

namespace millrace {
namespace {

// Where value k of an array file stands: column by column, in one triangle if there is a symmetry.
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

// Entries without gaps, each followed by its mirror image, in the order of the file.
template <class T>
Coo<T> expand(StoredEntries<T> stored, const MatrixMarketHeader& header, int num_threads, const IoProgress& progress) {
  const bool general = header.symmetry == MmSymmetry::general;
  Coo<T> a{static_cast<Index>(header.rows), static_cast<Index>(header.cols), {}, {}, {}};
  if (general && !header.array && stored.vals.size() == header.entries) {
    a.rows = std::move(stored.rows);
    a.cols = std::move(stored.cols);
    a.vals = std::move(stored.vals);
    return a;
  }
  std::vector<std::int64_t> first(stored.chunks.size());      // [num_chunks], entries of the file before it
  std::vector<std::int64_t> first_out(stored.chunks.size());  // [num_chunks], entries of the result before it
  std::int64_t num_entries = 0, num_out = 0;
  for (std::size_t c = 0; c < stored.chunks.size(); ++c) {
    const TextChunk& chunk = stored.chunks[c];
    first[c] = num_entries;
    first_out[c] = num_out;
    num_entries += chunk.num_entries;
    num_out += chunk.num_entries + chunk.num_mirrors;
  }
  a.rows = Array<Index>(num_out);
  a.cols = Array<Index>(num_out);
  a.vals = Array<T>(num_out);
  for_each_chunk(num_threads, std::ssize(stored.chunks), progress, [&](std::int64_t k) {
    const auto c = static_cast<std::size_t>(k);
    const TextChunk& chunk = stored.chunks[c];
    if (chunk.num_entries == 0) return;
    ArrayPosition position(header, first[c]);
    std::int64_t to = first_out[c];
    for (std::int64_t s = chunk.slot; s < chunk.slot + chunk.num_entries; ++s) {
      const Index row = header.array ? position.row() : stored.rows.data()[s];
      const Index col = header.array ? position.col() : stored.cols.data()[s];
      if (header.array) position.next();
      const T value = stored.vals.data()[s];
      a.rows.data()[to] = row;
      a.cols.data()[to] = col;
      a.vals.data()[to++] = value;
      if (general || row == col) continue;
      a.rows.data()[to] = col;
      a.cols.data()[to] = row;
      a.vals.data()[to++] = mirrored(value, header.symmetry);
    }
  });
  return a;
}

// The mirror images of an array file follow from its shape: one for every value off the diagonal.
template <class T>
void count_array_mirrors(StoredEntries<T>& stored, const MatrixMarketHead& head, const std::string& name, bool strict) {
  const bool real_diagonal = strict && head.header.symmetry == MmSymmetry::hermitian;
  std::int64_t first = 0;
  for (TextChunk& chunk : stored.chunks) {
    if (chunk.num_entries == 0) continue;
    ArrayPosition position(head.header, first);
    for (std::int64_t k = 0; k < chunk.num_entries; ++k, position.next()) {
      if (position.row() != position.col())
        ++chunk.num_mirrors;
      else if (real_diagonal && std::imag(stored.vals.data()[chunk.slot + k]) != 0)
        throw IoError(join(name, ':', line_of_entry(chunk, k, head.numbers_per_entry()),
                           ": strict: the diagonal of a hermitian matrix must be real"));
    }
    first += chunk.num_entries;
  }
}

// Rows and columns are what the text only claims: a tiny file may name 2 billion of them. Offsets and what their
// assembly takes are 36 bytes per row; whoever uses the matrix has a vector or two of its columns.
template <class T>
void check_memory(const MatrixMarketHead& head, const std::string& name, std::size_t text_bytes,
                  std::int64_t max_memory) {
  const MatrixMarketHeader& header = head.header;
  const bool mirrored = header.symmetry != MmSymmetry::general;
  const double per_entry = (mirrored ? 3.0 : 2.0) * (2 * sizeof(Index) + sizeof(T));
  require_memory(join(name, ':', head.size_line), join(header.rows, " rows and ", header.cols, " columns"),
                 36.0 * static_cast<double>(header.rows) + 16.0 * static_cast<double>(header.cols) +
                     (max_memory > 0 ? per_entry * static_cast<double>(header.entries) : 0.0),
                 static_cast<std::int64_t>(text_bytes), max_memory);
}

// Repeated entries are added up here, and not all of them can be.
template <class T>
Csr<T> assemble(const Coo<T>& entries, const std::string& name) {
  try {
    return to_csr(entries);
  } catch (const Error& error) {
    throw IoError(join(name, ": ", error.what()));
  }
}

}  // namespace

template <class T>
Csr<T> parse_matrix_market(std::string_view text, const MatrixMarketHead& head, const std::string& name,
                           const ReadOptions& options, const IoProgress& progress, std::int64_t chunk_bytes) {
  const MatrixMarketHeader& header = head.header;
  require<IoError>(is_complex<T> || header.field != MmField::complex, name,
                   ":1: the file is complex; it cannot be read as ", scalar_name<T>());
  StoredEntries<T> stored = parse_body<T>(text, head, name, options, chunk_bytes, progress.part(0, 0.8));
  check_memory<T>(head, name, text.size(), options.max_memory);
  if (header.array && header.symmetry != MmSymmetry::general) count_array_mirrors(stored, head, name, options.strict);
  const Coo<T> entries =
      expand(std::move(stored), header, threads_or_default(options.num_threads), progress.part(0.8, 0.9));
  Csr<T> a = assemble(entries, name);
  if (!options.keep_explicit_zeros) a = drop_zeros(a);
  progress(1);
  return a;
}

template <class T>
Csr<T> read_matrix_market(const std::filesystem::path& path, const ReadOptions& options) {
  return with_matrix_market(path, options, [&](std::string_view text, const MatrixMarketHead& head, IoProgress rest) {
    return parse_matrix_market<T>(text, head, path.string(), options, rest);
  });
}

MatrixMarketHeader read_matrix_market_header(const std::filesystem::path& path) {
  const std::function<void(double)> nobody;
  bool complete = false;
  TextBuffer file;
  for (std::size_t bytes = std::size_t{1} << 16; !complete && !head_is_complete(file.text()); bytes *= 16)
    file = load_text(path, IoProgress{nobody}, bytes, &complete);
  return parse_head(file.text(), path.string(), false).header;
}

template Csr<float> parse_matrix_market(std::string_view, const MatrixMarketHead&, const std::string&,
                                        const ReadOptions&, const IoProgress&, std::int64_t);
template Csr<double> parse_matrix_market(std::string_view, const MatrixMarketHead&, const std::string&,
                                         const ReadOptions&, const IoProgress&, std::int64_t);
template Csr<std::complex<float>> parse_matrix_market(std::string_view, const MatrixMarketHead&, const std::string&,
                                                      const ReadOptions&, const IoProgress&, std::int64_t);
template Csr<std::complex<double>> parse_matrix_market(std::string_view, const MatrixMarketHead&, const std::string&,
                                                       const ReadOptions&, const IoProgress&, std::int64_t);
template Csr<float> read_matrix_market(const std::filesystem::path&, const ReadOptions&);
template Csr<double> read_matrix_market(const std::filesystem::path&, const ReadOptions&);
template Csr<std::complex<float>> read_matrix_market(const std::filesystem::path&, const ReadOptions&);
template Csr<std::complex<double>> read_matrix_market(const std::filesystem::path&, const ReadOptions&);

}  // namespace millrace
