// Which rank has which rows: every rank has some that follow each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "millrace/base/comm.hpp"

namespace millrace {

/// Rows 0 .. num_rows() in parts, one per rank; a part may be empty.
struct Partition {
  std::vector<std::int64_t> starts{0, 0};  // [parts + 1], from 0, never falling

  int num_parts() const { return static_cast<int>(starts.size()) - 1; }
  std::int64_t num_rows() const { return starts.back(); }
  std::int64_t begin(int part) const { return starts[static_cast<std::size_t>(part)]; }
  std::int64_t end(int part) const { return starts[static_cast<std::size_t>(part) + 1]; }
  std::int64_t size(int part) const { return end(part) - begin(part); }
  /// The part that has a row.
  int owner(std::int64_t row) const;
  friend bool operator==(const Partition&, const Partition&) = default;
};

/// Equal numbers of rows. Parts begin at multiples of `multiple`.
Partition by_rows(std::int64_t num_rows, int num_parts, std::int64_t multiple = 1);

/// Equal numbers of entries, for which row_ptr [rows + 1] of the whole matrix is asked.
Partition by_entries(std::span<const std::int64_t> row_ptr, int num_parts, std::int64_t multiple = 1);

/// The same where the rows lie on the ranks, one rank after another: lengths of this rank's rows. For all ranks.
Partition by_entries(const Comm& comm, std::span<const std::int64_t> lengths, std::int64_t multiple = 1);

/// As the ranks have them: `num_rows` on this one. For all ranks.
Partition as_they_are(const Comm& comm, std::int64_t num_rows);

}  // namespace millrace
