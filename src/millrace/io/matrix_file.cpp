// Chooses reader and writer by the end of a name; vectors as matrices of one column.
#include "millrace/io/matrix_file.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "millrace/base/error.hpp"
#include "millrace/io/binary.hpp"
#include "millrace/io/file_kind.hpp"
#include "millrace/io/matrix_market_text.hpp"
#include "millrace/io/text_writer.hpp"

namespace millrace {
namespace {

template <class T>
Csr<T> read_as(const std::filesystem::path& path, const ReadOptions& options) {
  return file_kind(path) == FileKind::binary ? read_binary<T>(path, options) : read_matrix_market<T>(path, options);
}

}  // namespace

AnyCsr read_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  if (file_kind(path) == FileKind::binary) {
    if (read_binary_header(path).is_complex()) return read_binary<std::complex<double>>(path, options);
    return read_binary<double>(path, options);
  }
  return with_matrix_market(path, options, [&](std::string_view text, const MatrixMarketHead& head, IoProgress rest) {
    if (head.header.field == MmField::complex)
      return AnyCsr(parse_matrix_market<std::complex<double>>(text, head, path.string(), options, rest));
    return AnyCsr(parse_matrix_market<double>(text, head, path.string(), options, rest));
  });
}

void write_matrix(const std::filesystem::path& path, const AnyCsr& a, const WriteOptions& options) {
  const FileKind kind = file_kind(path);
  std::visit(
      [&](const auto& matrix) {
        if (kind == FileKind::binary)
          write_binary(path, matrix, options.progress);
        else
          write_matrix_market(path, matrix, options);
      },
      a);
}

namespace {

template <class T>
Csr<T> read_sorted(const std::filesystem::path& path, const ReadOptions& options) {
  const Csr<T> stored = read_as<T>(path, options);
  try {
    return sort_rows(stored);  // a binary file may have a position twice
  } catch (const Error& error) {
    throw IoError(join(path.string(), ": ", error.what()));
  }
}

template <class T>
VectorSet<T> columns_of(const Csr<T>& a) {
  VectorSet<T> set{a.num_rows, a.num_cols};
  const auto size = static_cast<std::size_t>(a.num_rows);
  set.values.assign(size * static_cast<std::size_t>(a.num_cols), T{0});
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      set.values[static_cast<std::size_t>(a.cols.data()[k]) * size + static_cast<std::size_t>(r)] = a.vals.data()[k];
  return set;
}

}  // namespace

template <class T>
std::vector<T> read_vector(const std::filesystem::path& path, const ReadOptions& options) {
  const Csr<T> a = read_sorted<T>(path, options);
  require<IoError>(a.num_cols == 1, path.string(), ": holds a ", a.num_rows, " x ", a.num_cols,
                   " matrix; a vector is n x 1");
  return columns_of(a).values;
}

template <class T>
VectorSet<T> read_vectors(const std::filesystem::path& path, const ReadOptions& options) {
  return columns_of(read_sorted<T>(path, options));
}

template <class T>
void write_vector(const std::filesystem::path& path, std::span<const T> values, const WriteOptions& options) {
  write_vectors(path, values, 1, options);
}

template <class T>
void write_vectors(const std::filesystem::path& path, std::span<const T> values, Index num,
                   const WriteOptions& options) {
  require<IoError>(num > 0 && std::ssize(values) % num == 0, "write_vectors: ", values.size(), " numbers are not ", num,
                   " vectors of one size");
  require<IoError>(file_kind(path) == FileKind::matrix_market, path.string(),
                   ": vectors are written as .mtx, .mtx.gz or .mtx.xz");
  require(options.symmetry == MmSymmetry::general, "write_vector: a vector has no symmetry");
  constexpr std::size_t block = 1 << 18, longest_line = 64;
  TextWriter file(path);
  file.write(join("%%MatrixMarket matrix array ", is_complex<T> ? "complex" : "real", " general\n",
                  comment_lines(options.comment), std::ssize(values) / num, ' ', num, '\n'));
  file.write_blocks(
      static_cast<std::int64_t>((values.size() + block - 1) / block),
      [&](std::int64_t b, std::string& text) {
        const auto part = values.subspan(static_cast<std::size_t>(b) * block)
                              .first(std::min(block, values.size() - static_cast<std::size_t>(b) * block));
        text.resize(part.size() * longest_line);
        char* end = text.data() + text.size();
        char* to = text.data();
        for (const T value : part) {
          to = std::to_chars(to, end, std::real(value)).ptr;
          if constexpr (is_complex<T>) {
            *to++ = ' ';
            to = std::to_chars(to, end, value.imag()).ptr;
          }
          *to++ = '\n';
        }
        text.resize(static_cast<std::size_t>(to - text.data()));
      },
      IoProgress{options.progress});
  file.commit();
}

template std::vector<float> read_vector(const std::filesystem::path&, const ReadOptions&);
template std::vector<double> read_vector(const std::filesystem::path&, const ReadOptions&);
template std::vector<std::complex<float>> read_vector(const std::filesystem::path&, const ReadOptions&);
template std::vector<std::complex<double>> read_vector(const std::filesystem::path&, const ReadOptions&);
template VectorSet<float> read_vectors(const std::filesystem::path&, const ReadOptions&);
template VectorSet<double> read_vectors(const std::filesystem::path&, const ReadOptions&);
template VectorSet<std::complex<float>> read_vectors(const std::filesystem::path&, const ReadOptions&);
template VectorSet<std::complex<double>> read_vectors(const std::filesystem::path&, const ReadOptions&);
template void write_vectors(const std::filesystem::path&, std::span<const float>, Index, const WriteOptions&);
template void write_vectors(const std::filesystem::path&, std::span<const double>, Index, const WriteOptions&);
template void write_vectors(const std::filesystem::path&, std::span<const std::complex<float>>, Index,
                            const WriteOptions&);
template void write_vectors(const std::filesystem::path&, std::span<const std::complex<double>>, Index,
                            const WriteOptions&);
template void write_vector(const std::filesystem::path&, std::span<const float>, const WriteOptions&);
template void write_vector(const std::filesystem::path&, std::span<const double>, const WriteOptions&);
template void write_vector(const std::filesystem::path&, std::span<const std::complex<float>>, const WriteOptions&);
template void write_vector(const std::filesystem::path&, std::span<const std::complex<double>>, const WriteOptions&);

}  // namespace millrace
