// Writes coordinates, in blocks that are formatted in parallel.
#include <algorithm>
#include <charconv>
#include <complex>
#include <string>

#include "millrace/base/search.hpp"
#include "millrace/io/matrix_market.hpp"
#include "millrace/io/text_writer.hpp"

namespace millrace {
namespace {

const char* name_of(MmSymmetry symmetry) {
  switch (symmetry) {
    case MmSymmetry::symmetric:
      return "symmetric";
    case MmSymmetry::skew_symmetric:
      return "skew-symmetric";
    case MmSymmetry::hermitian:
      return "hermitian";
    default:
      return "general";
  }
}

template <class T>
T partner(T value, MmSymmetry symmetry) {  // what the transposed matrix must hold
  return symmetry == MmSymmetry::skew_symmetric ? -value : value;
}

template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

// Compares a matrix, sorted by rows, with its transposed one.
template <class T>
void check_symmetry(const std::string& name, const Csr<T>& a, MmSymmetry symmetry) {
  require<IoError>(a.num_rows == a.num_cols, name, ": a ", a.num_rows, " x ", a.num_cols,
                   " matrix cannot be written as ", name_of(symmetry), "; write it as general");
  const Csr<T> b = transpose(a, symmetry == MmSymmetry::hermitian);
  for (Index r = 0; r < a.num_rows; ++r) {
    const Offset first = a.row_begin(r), last = a.row_begin(r + 1);
    bool equal = first == b.row_begin(r) && last == b.row_begin(r + 1);
    Offset k = first;
    while (equal && k < last) {
      equal = a.cols.data()[k] == b.cols.data()[k] && same(a.vals.data()[k], partner(b.vals.data()[k], symmetry));
      k += equal ? 1 : 0;
    }
    require<IoError>(equal, name, ": the matrix is not ", name_of(symmetry), " in row ", r + 1,
                     k < last ? join(", column ", a.cols.data()[k] + 1) : std::string{}, "; write it as general");
  }
}

char* put_index(char* to, char* end, Index index) { return std::to_chars(to, end, index + std::int64_t{1}).ptr; }

template <class R>
char* put_real(char* to, char* end, R value) {
  *to = ' ';
  return std::to_chars(to + 1, end, value).ptr;  // the shortest digits that bring the value back
}

template <class T>
char* put_value(char* to, char* end, T value) {
  if constexpr (is_complex<T>)
    return put_real(put_real(to, end, value.real()), end, value.imag());
  else
    return put_real(to, end, value);
}

template <class T>
Index row_of(const Csr<T>& a, Offset entry) {
  return first_where(Index{1}, a.num_rows, [&](Index r) { return entry < a.row_begin(r); }) - 1;
}

// Entries [begin, end) as text; only those of the lower triangle if there is a symmetry.
template <class T>
void format_entries(const Csr<T>& a, bool lower, Offset begin, Offset end, std::string& text) {
  constexpr std::size_t longest_line = 96;  // two indices of 10 digits, two values of 24 characters, blanks
  text.resize(static_cast<std::size_t>(end - begin) * longest_line);
  char* limit = text.data() + text.size();
  char* to = text.data();
  Index row = row_of(a, begin);
  for (Offset k = begin; k < end; ++k) {
    while (k >= a.row_begin(row + 1)) ++row;
    const Index col = a.cols.data()[k];
    if (lower && col > row) continue;
    to = put_index(to, limit, row);
    *to++ = ' ';
    to = put_value(put_index(to, limit, col), limit, a.vals.data()[k]);
    *to++ = '\n';
  }
  text.resize(static_cast<std::size_t>(to - text.data()));
}

template <class T>
Offset count_lower(const Csr<T>& a) {
  Offset count = 0;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) count += a.cols.data()[k] <= r;
  return count;
}

template <class T>
void write_entries(const std::filesystem::path& path, const Csr<T>& a, const WriteOptions& options) {
  constexpr Offset block = 1 << 18;  // entries, some 6 MB of text
  const bool lower = options.symmetry != MmSymmetry::general;
  TextWriter file(path);
  file.write(join("%%MatrixMarket matrix coordinate ", is_complex<T> ? "complex " : "real ", name_of(options.symmetry),
                  '\n', comment_lines(options.comment), a.num_rows, ' ', a.num_cols, ' ',
                  lower ? count_lower(a) : a.num_entries(), '\n'));
  file.write_blocks((a.num_entries() + block - 1) / block,
                    [&](std::int64_t b, std::string& text) {
                      format_entries(a, lower, b * block, std::min((b + 1) * block, a.num_entries()), text);
                    },
                    IoProgress{options.progress});
  file.commit();
}

}  // namespace

template <class T>
void write_matrix_market(const std::filesystem::path& path, const Csr<T>& a, const WriteOptions& options) {
  require(a.device().on_host(), "write_matrix_market: the matrix lives on ", to_string(a.device()),
          "; copy it with to(Device::host())");
  const std::string name = path.string();
  require<IoError>(options.symmetry != MmSymmetry::hermitian || is_complex<T>, name,
                   ": hermitian needs complex values, these are ", scalar_name<T>(), "; write the matrix as symmetric");
  if (options.symmetry == MmSymmetry::general) return write_entries(path, a, options);
  const Csr<T> sorted = sort_rows(a);
  check_symmetry(name, sorted, options.symmetry);
  write_entries(path, sorted, options);
}

template void write_matrix_market(const std::filesystem::path&, const Csr<float>&, const WriteOptions&);
template void write_matrix_market(const std::filesystem::path&, const Csr<double>&, const WriteOptions&);
template void write_matrix_market(const std::filesystem::path&, const Csr<std::complex<float>>&, const WriteOptions&);
template void write_matrix_market(const std::filesystem::path&, const Csr<std::complex<double>>&, const WriteOptions&);

}  // namespace millrace
