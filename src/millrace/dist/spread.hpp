// The rows of a file or a generator spread over ranks as a user asks for it, and the way of vectors there and back.
#pragma once

#include <optional>

#include "millrace/dist/partition_kind.hpp"
#include "millrace/dist/renumber.hpp"

namespace millrace {

/// Rows on ranks, and vectors between them and a file that rank 0 reads and writes. All members are for all ranks.
template <class T>
class SpreadRows {
 public:
  /// The rows as they were read: each rank has those that follow the rank's before it. `multiple`: at what multiples
  /// of rows ranks begin, but for a partition by a graph, which renumbers rows and columns.
  SpreadRows(const Comm& comm, GlobalRows<T> as_read, PartitionKind kind, std::int64_t multiple = 1);

  const Partition& parts() const { return parts_; }
  /// The rows themselves: they leave.
  GlobalRows<T> take() { return std::move(rows_); }
  const GlobalRows<T>& rows() const { return rows_; }
  /// The numbers in the file of the rows here.
  std::vector<std::int64_t> file_rows() const;
  /// Vectors [num, all rows of the file] on rank 0 to [num, rows here], and back; rank 0 gets them, the others nothing.
  std::vector<T> from_file(std::span<const T> on_rank_0, int num) const;
  std::vector<T> to_file(std::span<const T> here, int num) const;

 private:
  Comm comm_;
  Partition parts_;
  GlobalRows<T> rows_;
  std::optional<Renumbered<T>> numbers_;  // by a graph: the way back, without rows
};

}  // namespace millrace
