// What conversions refuse, in the same words on every device: a format that would need far more memory than CSR (before
// it takes any of it), repeated entries where there is one place for them, and entries outside the matrix.
#pragma once

#include <string_view>

#include "millrace/sparse/csr.hpp"

namespace millrace {

inline constexpr double max_growth = 20;  // times the memory of CSR

/// Throws Unsupported with the figures when `needed_bytes` exceed max_growth times the bytes of the CSR matrix.
template <class T>
void require_reasonable(std::string_view format, double needed_bytes, const Csr<T>& a, std::string_view why) {
  const auto csr_bytes = static_cast<double>(a.footprint().bytes);
  require<Unsupported>(needed_bytes <= max_growth * csr_bytes, format, ": this matrix would need ", needed_bytes / 1e6,
                       " MB, ", needed_bytes / csr_bytes, " times the ", csr_bytes / 1e6, " MB of csr (", why,
                       "); up to ", max_growth, " times are accepted");
}

/// For rows padded to `slots`, and `extra_bytes` besides.
template <class T>
void require_reasonable_padding(std::string_view format, Offset slots, std::int64_t extra_bytes, const Csr<T>& a,
                                Index longest, Offset entries) {
  const double entry_bytes = sizeof(Index) + sizeof(T);
  require_reasonable(format, entry_bytes * static_cast<double>(slots) + static_cast<double>(extra_bytes), a,
                     join("its longest row has ", longest, " entries, the mean is ",
                          static_cast<double>(entries) / std::max<double>(1, a.num_rows)));
}

template <class T>
void require_reasonable_diagonals(const Csr<T>& a, Offset num_diags) {
  const double slots = static_cast<double>(a.num_rows) * static_cast<double>(num_diags);
  require_reasonable("dia", slots * (static_cast<double>(sizeof(T)) + 0.125), a,
                     join(num_diags, " diagonals, each as long as the matrix has rows"));
}

/// Where a format has one place for every position of the matrix.
[[noreturn]] inline void refuse_repeated(std::string_view format, Index row, Index column) {
  throw Error(
      join(format, ": row ", row, " has column ", column, " twice; add repeated entries up first, with sort_rows"));
}

[[noreturn]] inline void refuse_sum(Index row, Index column) {
  throw Error(join("to_csr: repeated entries in row ", row, ", column ", column,
                   " are finite, but their sum is not; scale the matrix"));
}

[[noreturn]] inline void refuse_entry(Offset entry, Index row, Index column, Index num_rows, Index num_cols) {
  throw Error(join("coo: entry ", entry, " is at (", row, ", ", column, "); the matrix is ", num_rows, " x ", num_cols,
                   " and counts from 0"));
}

}  // namespace millrace
