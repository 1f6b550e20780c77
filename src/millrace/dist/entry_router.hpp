// Entries of a matrix on their way from the rank that read them to the rank that has their row. Inside the library.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/dist/partition.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// Where a rank stands with its part of a file.
enum class ReadState : std::int64_t { working, finished, failed };

/// Entries come in the order of the file on each rank, and go to their owners round by round.
template <class T>
class EntryRouter {
 public:
  EntryRouter(const Comm& comm, const Partition& parts);

  void add(Index row, Index col, T value) {
    if (row < begin_ || row >= end_) find_owner(row);
    out_[static_cast<std::size_t>(owner_)].push_back({value, row, col});
  }
  /// Sends what was added since the last round, unless a rank has failed: then all entries are forgotten. Returns how
  /// all ranks stand. For all ranks.
  std::vector<ReadState> exchange(ReadState mine);
  /// The rows of this rank. Entries of one position are added up by rounds, and by ranks in a round (`by_rounds`), or
  /// by ranks, and by rounds of a rank. Columns ascend.
  GlobalRows<T> take_rows(std::int64_t num_cols, bool by_rounds);

 private:
  struct Entry {
    T value;
    Index row, col;
  };
  using Entries = std::vector<Entry>;

  void find_owner(Index row);
  template <class F>
  void for_each_piece(bool by_rounds, F&& f);

  Comm comm_;
  Partition parts_;
  std::vector<Entries> out_;                  // [ranks]: for each of them
  std::vector<std::vector<Entries>> came_{};  // [rounds][ranks]: from each of them
  int owner_ = 0;
  std::int64_t begin_ = 0, end_ = 0;  // of the rows of that owner
};

}  // namespace millrace
