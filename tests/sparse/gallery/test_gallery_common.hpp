// What the gallery's tests share: row lengths, storage of the padded formats, symmetry, a fingerprint.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace::gallery_test {

inline std::vector<Index> row_lengths(const Csr<double>& a) {
  std::vector<Index> lengths;
  for (Index r = 0; r < a.num_rows; ++r) lengths.push_back(a.row_length(r));
  return lengths;
}

struct Lengths {
  Index shortest, longest;
  double mean;
};
inline Lengths summary(const Csr<double>& a) {
  const auto lengths = row_lengths(a);
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  return {*shortest, *longest, static_cast<double>(a.num_entries()) / a.num_rows};
}

/// Percent of ELLPACK's storage that pJDS with blocks of 32 rows saves.
inline double pjds_reduction(const Csr<double>& a) {
  auto lengths = row_lengths(a);
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  double padded = 0;
  std::size_t num_blocks = 0;
  for (std::size_t r = 0; r < lengths.size(); r += 32, ++num_blocks) padded += 32.0 * lengths[r];
  return 100 * (1 - padded / (32.0 * static_cast<double>(num_blocks) * lengths[0]));
}

inline double entry(const Csr<double>& a, Index row, Index col) {  // 0 where nothing is stored
  const Index* first = a.cols.data() + a.row_begin(row);
  const Index* last = a.cols.data() + a.row_begin(row + 1);
  const Index* at = std::lower_bound(first, last, col);
  return at != last && *at == col ? a.vals.data()[at - a.cols.data()] : 0;
}

/// FNV-1a over offsets, columns and the bits of the values, 8 bytes each.
inline std::uint64_t fingerprint(const Csr<double>& a) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xff)) * 0x100000001b3u;
  };
  for (Index r = 0; r <= a.num_rows; ++r) add(static_cast<std::uint64_t>(a.row_begin(r)));
  for (const Index col : a.cols.span()) add(static_cast<std::uint64_t>(col));
  for (const double val : a.vals.span()) add(std::bit_cast<std::uint64_t>(val));
  return hash;
}

}  // namespace millrace::gallery_test
