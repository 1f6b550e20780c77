// What the tests of files share: a folder that goes away, error texts, comparison to the last bit.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <complex>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/io/compression.hpp"
#include "millrace/io/matrix_market_text.hpp"
#include "millrace/sparse/csr.hpp"
#include "temporary_folder.hpp"

namespace millrace::test {

class TempFolder : public test::TemporaryFolder {
 public:
  TempFolder() : TemporaryFolder("millrace-io") {}
  std::filesystem::path operator/(std::string_view name) const { return path() / name; }
  std::size_t num_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path()), {}));
  }
};

inline void save(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Can this build pack and unpack files of such a name?
inline bool supported(const std::filesystem::path& path) {
  try {
    if (compression_of(path) != Compression::none) pack(compression_of(path), "text");
  } catch (const Unsupported&) {
    return false;
  }
  return true;
}

/// The text of the IoError that f throws; empty when it throws nothing. Other exceptions pass.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

/// Parses a text under the name "text" with chunks of a chosen size.
template <class T>
Csr<T> parse(const std::string& text, const ReadOptions& options = {}, std::int64_t chunk_bytes = 1 << 20) {
  const std::string with_end = text + '\n';
  const std::string_view all(with_end.data(), text.size());
  const MatrixMarketHead head = parse_head(all, "text", options.strict);
  return parse_matrix_market<T>(all, head, "text", options, IoProgress{options.progress}, chunk_bytes);
}

template <class T>
bool same_bits(const Csr<T>& a, const Csr<T>& b) {
  if (a.shape() != b.shape() || a.num_entries() != b.num_entries()) return false;
  for (Index r = 0; r <= a.num_rows; ++r)
    if (a.row_begin(r) != b.row_begin(r)) return false;
  const auto same = [](const auto& x, const auto& y) {
    return x.bytes() == 0 || std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.bytes())) == 0;
  };
  return same(a.cols, b.cols) && same(a.vals, b.vals);
}

/// All entries, row by row, with zeros where none is stored.
template <class T>
std::vector<T> dense(const Csr<T>& a) {
  std::vector<T> full(static_cast<std::size_t>(a.num_rows) * static_cast<std::size_t>(a.num_cols));
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      full[static_cast<std::size_t>(r) * static_cast<std::size_t>(a.num_cols) +
           static_cast<std::size_t>(a.cols.data()[k])] += a.vals.data()[k];
  return full;
}

/// Numbers that look random and are the same everywhere.
class Numbers {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ ^ (state_ >> 29);
  }
  Index below(Index limit) { return static_cast<Index>(next() % static_cast<std::uint64_t>(limit)); }

 private:
  std::uint64_t state_ = 42;
};

/// Folder with the real and odd matrices; empty where there is none.
inline std::filesystem::path data_folder() {
  const char* name = std::getenv("MILLRACE_DATA");
  return name ? name : "";
}

/// A table: one vector of fields a line, separated by tabs.
inline std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> table;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string>& fields = table.emplace_back();
    std::size_t begin = 0;
    for (std::size_t end; (end = line.find('\t', begin)) != line.npos; begin = end + 1)
      fields.push_back(line.substr(begin, end - begin));
    fields.push_back(line.substr(begin));
  }
  return table;
}

/// "1.5", "0j", "54+0j", "-6e-5-2j".
inline std::complex<double> parse_complex(const std::string& text) {
  char* end = nullptr;
  const double first = std::strtod(text.c_str(), &end);
  if (*end == 'j') return {0, first};
  return {first, *end == '\0' ? 0 : std::strtod(end, nullptr)};
}

template <class T>
struct Sums {
  T sum{};
  double sum_abs = 0;
  /// The bound of a sum in any order.
  double bound(Offset num_entries) const {
    return static_cast<double>(num_entries + 1) * std::numeric_limits<double>::epsilon() * sum_abs;
  }
};
template <class T>
Sums<T> sums_of(const Csr<T>& a) {
  Sums<T> sums;
  for (const T value : a.vals.span()) {
    sums.sum += value;
    sums.sum_abs += std::abs(value);
  }
  return sums;
}

}  // namespace millrace::test
