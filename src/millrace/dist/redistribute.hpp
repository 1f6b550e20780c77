// Rows and vectors from one partition to another.
#pragma once

#include "millrace/dist/partition.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// The rows that this rank has in the other partition, with the same bits in the same order. For all ranks.
template <class T>
GlobalRows<T> redistribute(const Comm& comm, const GlobalRows<T>& rows, const Partition& to);

/// The entries of a vector, of which the ranks have some each, one rank after another. For all ranks.
template <class T>
std::vector<T> redistribute(const Comm& comm, std::span<const T> entries, const Partition& to);

}  // namespace millrace
