// Whole vectors on rank 0, and from there to the ranks: for files, which rank 0 reads and writes.
#pragma once

#include <span>
#include <vector>

#include "millrace/dist/partition.hpp"

namespace millrace {

/// All entries on rank 0, none elsewhere: vectors [num, rows of this rank] become [num, all rows]. For all ranks.
template <class T>
std::vector<T> gather_vectors(const Comm& comm, const Partition& parts, std::span<const T> mine, int num);

/// The reverse: of vectors [num, all rows] on rank 0 the entries of each rank's rows. For all ranks.
template <class T>
std::vector<T> deal_vectors(const Comm& comm, const Partition& parts, std::span<const T> all_on_rank_0, int num);

}  // namespace millrace
