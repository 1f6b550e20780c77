// The .mrx format: a CSR matrix as it lies in memory, with a checksum of every part, so that loading takes as
// long as reading. docs/file-formats.md has the layout byte by byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "millrace/io/matrix_market.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// The scalar of the values in a binary file.
enum class BinaryScalar : std::uint32_t { real_float = 1, real_double = 2, complex_float = 3, complex_double = 4 };

/// What a binary file says of itself before its arrays.
struct BinaryHeader {
  BinaryScalar scalar = BinaryScalar::real_double;
  int offset_bytes = 4;  // of one row offset
  std::int64_t rows = 0, cols = 0, entries = 0;

  bool is_complex() const { return scalar >= BinaryScalar::complex_float; }
};
BinaryHeader read_binary_header(const std::filesystem::path& path);

/// Refuses a file that is damaged, cut off, too long, of another version or inconsistent. Values of a
/// narrower scalar are widened; what would lose something is refused.
template <class T>
Csr<T> read_binary(const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes a matrix; read_binary gives the same bits back.
template <class T>
void write_binary(const std::filesystem::path& path, const Csr<T>& a,
                  const std::function<void(double fraction)>& progress = {});

}  // namespace millrace
