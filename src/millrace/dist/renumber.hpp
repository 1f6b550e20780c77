// Rows that go to other ranks one by one, with new numbers: part by part, and inside a part in their old order.
#pragma once

#include "millrace/dist/partition.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// Rows and columns by their new numbers, and the way back to the old ones.
template <class T>
struct Renumbered {
  GlobalRows<T> rows{};                  // columns of a row ascend, equal ones are added up
  Partition parts{};                     // the new one
  Partition old_parts{};                 // that the rows came from
  std::vector<std::int64_t> old_rows{};  // [rows here]: the old number of each row here
};

/// Sends each row of a square matrix to the rank that `part_of_row` [rows here] names, and frees the rows on the way.
/// For all ranks.
template <class T>
Renumbered<T> renumber(const Comm& comm, GlobalRows<T>&& rows, std::span<const int> part_of_row);

/// Vectors [num, rows here by new numbers] as [num, rows here by old numbers]: to the ranks of old_parts. For all
/// ranks.
template <class T>
std::vector<T> to_old_numbers(const Comm& comm, const Renumbered<T>& numbers, std::span<const T> entries, int num = 1);

/// The reverse. For all ranks.
template <class T>
std::vector<T> to_new_numbers(const Comm& comm, const Renumbered<T>& numbers, std::span<const T> entries, int num = 1);

}  // namespace millrace
