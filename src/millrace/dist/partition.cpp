// Boundaries by counts of rows or entries.
#include "millrace/dist/partition.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

void check(std::int64_t num_rows, int num_parts, std::int64_t multiple) {
  require(num_rows >= 0 && num_parts >= 1 && multiple >= 1, "partition: ", num_rows, " rows in ", num_parts,
          " parts at multiples of ", multiple, "; rows from 0, parts and multiples from 1 on are accepted");
}

std::int64_t rounded(std::int64_t row, std::int64_t multiple, std::int64_t num_rows) {
  return std::min(num_rows, (row + multiple / 2) / multiple * multiple);
}

// The last row from which on fewer than `wanted` entries have come; `before(row)` entries come before a row.
template <class Before>
std::int64_t row_of(std::int64_t num_rows, std::int64_t wanted, Before&& before) {
  std::int64_t low = 0, high = num_rows;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (before(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace

int Partition::owner(std::int64_t row) const {
  return static_cast<int>(std::ranges::upper_bound(starts, row) - starts.begin()) - 1;
}

Partition by_rows(std::int64_t num_rows, int num_parts, std::int64_t multiple) {
  check(num_rows, num_parts, multiple);
  Partition parts{{}};
  for (int p = 0; p < num_parts; ++p)
    parts.starts.push_back(rounded(even_part(num_rows, p, num_parts).first, multiple, num_rows));
  parts.starts.push_back(num_rows);
  return parts;
}

Partition by_entries(std::span<const std::int64_t> row_ptr, int num_parts, std::int64_t multiple) {
  const std::int64_t num_rows = std::ssize(row_ptr) - 1;
  check(num_rows, num_parts, multiple);
  Partition parts{{}};
  for (int p = 0; p < num_parts; ++p) {
    const std::int64_t wanted = even_part(row_ptr[to_size(num_rows)], p, num_parts).first;
    const std::int64_t row = row_of(num_rows, wanted, [&](std::int64_t r) { return row_ptr[to_size(r)]; });
    parts.starts.push_back(rounded(row, multiple, num_rows));
  }
  parts.starts.push_back(num_rows);
  return parts;
}

// Each rank finds the boundaries that lie in its rows.
Partition by_entries(const Comm& comm, std::span<const std::int64_t> lengths, std::int64_t multiple) {
  const Partition now = as_they_are(comm, std::ssize(lengths));
  const std::int64_t num_rows = now.num_rows(), first = now.begin(comm.rank());
  check(num_rows, comm.size(), multiple);
  std::vector<std::int64_t> row_ptr{0};
  for (const std::int64_t length : lengths) row_ptr.push_back(row_ptr.back() + length);
  const Partition entries = as_they_are(comm, row_ptr.back());
  std::vector<std::int64_t> starts(to_size(comm.size() + 1), 0);
  for (int p = 1; p < comm.size(); ++p) {
    const std::int64_t wanted = even_part(entries.num_rows(), p, comm.size()).first;
    const std::int64_t here = wanted - entries.begin(comm.rank());
    if (here <= 0 || here > row_ptr.back()) continue;
    starts[to_size(p)] = first + row_of(std::ssize(lengths), here, [&](std::int64_t r) { return row_ptr[to_size(r)]; });
  }
  comm.max(starts);
  for (std::int64_t& start : starts) start = rounded(start, multiple, num_rows);
  starts.back() = num_rows;
  return {std::move(starts)};
}

Partition as_they_are(const Comm& comm, std::int64_t num_rows) {
  Partition parts{{0}};
  for (const std::int64_t count : comm.gather(num_rows)) parts.starts.push_back(parts.starts.back() + count);
  return parts;
}

}  // namespace millrace
