// Matrix Market files (.mtx, .mtx.gz, .mtx.xz): the text format in which most sparse matrices travel.
// Every refusal is an IoError "path:line: what is wrong"; docs/file-formats.md has the dialect.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// How a matrix file is read. A file that claims more rows or columns than the limit on memory allows, or that unpacks
/// to more, is refused with the figure.
struct ReadOptions {
  int num_threads = 0;                              // 0: as many as default_num_threads()
  bool strict = false;                              // only what the format's own text allows
  bool keep_explicit_zeros = true;                  // false: no entry of the result is zero
  std::function<void(double fraction)> progress{};  // 0..1, called from one thread
  std::int64_t max_memory = 0;                      // bytes; 0: 1 GB, or 50 times the file where that is more
};

/// The words of the banner of a Matrix Market file.
enum class MmField { real, integer, complex, pattern };
enum class MmSymmetry { general, symmetric, skew_symmetric, hermitian };

/// What a Matrix Market file says before its entries.
struct MatrixMarketHeader {
  bool array = false;  // dense, column by column; otherwise coordinates
  MmField field = MmField::real;
  MmSymmetry symmetry = MmSymmetry::general;
  std::int64_t rows = 0, cols = 0;
  std::int64_t entries = 0;  // that the file must hold, before symmetry is expanded
  std::string comments{};    // without their '%', one per line
};
MatrixMarketHeader read_matrix_market_header(const std::filesystem::path& path);

/// The whole matrix: symmetry expanded, repeated positions added up, columns of a row ascending.
template <class T>
Csr<T> read_matrix_market(const std::filesystem::path& path, const ReadOptions& options = {});

/// How a Matrix Market file is written.
struct WriteOptions {
  MmSymmetry symmetry = MmSymmetry::general;        // another one writes the lower triangle, after a check
  std::string comment{};                            // one or more lines for the head of the file
  std::function<void(double fraction)> progress{};  // 0..1, called from one thread
};

/// Coordinates with as many digits as bring every value back to the last bit. The file appears
/// under its name only when it is complete; .gz and .xz compress.
template <class T>
void write_matrix_market(const std::filesystem::path& path, const Csr<T>& a, const WriteOptions& options = {});

}  // namespace millrace
