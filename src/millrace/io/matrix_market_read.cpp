// From stored entries to a matrix: mirror images for the symmetries, then to CSR.
#include <algorithm>
#include <complex>

#include "millrace/io/drop_zeros.hpp"
#include "millrace/io/matrix_market_expand.hpp"
#include "millrace/io/matrix_market_text.hpp"
#include "millrace/io/text_buffer.hpp"
#include "millrace/sparse/coo.hpp"

namespace millrace {
namespace {

// All entries, of which the first line at fault is refused.
template <class T>
StoredEntries<T> parse_body(std::string_view text, const MatrixMarketHead& head, const std::string& name,
                            const PartOptions& options, const IoProgress& progress) {
  StoredEntries<T> stored = parse_part<T>(text.substr(head.body), head, head.size_line + 1, options, progress);
  const LineFault fault = first_fault(stored.chunks, head, 0);
  require<IoError>(fault.line == 0, name, ':', fault.line, ": ", fault.what);
  std::int64_t line = head.size_line + 1, found = 0;
  for (const TextChunk& chunk : stored.chunks) {
    line += chunk.num_lines;
    found += chunk.num_entries;
  }
  const std::int64_t last_line = text.empty() || text.back() == '\n' ? line - 1 : line;
  require<IoError>(found == head.header.entries, name, ':', last_line, ": ", [&] { return too_few(head, found); });
  return stored;
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
    std::int64_t to = first_out[c];
    for_each_entry(stored, chunk, header, first[c], [&](Index row, Index col, T value) {
      a.rows.data()[to] = row;
      a.cols.data()[to] = col;
      a.vals.data()[to++] = value;
    });
  });
  return a;
}

// The mirror images of an array file follow from its shape: one for every value off the diagonal.
template <class T>
void count_array_mirrors(StoredEntries<T>& stored, const MatrixMarketHead& head, const std::string& name, bool strict) {
  const bool real_diagonal = strict && head.header.symmetry == MmSymmetry::hermitian;
  std::int64_t first = 0;
  for (TextChunk& chunk : stored.chunks) {
    const ArrayChunkFacts facts = array_facts(stored, chunk, head.header, first);
    require<IoError>(
        !real_diagonal || facts.not_real < 0, name, ':',
        [&] { return line_of_entry(chunk, facts.not_real, head.numbers_per_entry()); }, ": ", diagonal_not_real);
    chunk.num_mirrors = facts.num_mirrors;
    first += chunk.num_entries;
  }
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
  const int threads = threads_or_default(options.num_threads);
  check_market_field<T>(head, name);
  StoredEntries<T> stored =
      parse_body<T>(text, head, name, {options.strict, threads, chunk_bytes}, progress.part(0, 0.8));
  check_market_memory<T>(head, name, text.size(), options.max_memory);
  if (header.array && header.symmetry != MmSymmetry::general) count_array_mirrors(stored, head, name, options.strict);
  const Coo<T> entries = expand(std::move(stored), header, threads, progress.part(0.8, 0.9));
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
