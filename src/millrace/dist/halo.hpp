// The halo of a rank: rows of others that its entries ask for, and rows of its own that others ask for.
#pragma once

#include <functional>

#include "millrace/base/scalar.hpp"
#include "millrace/dist/partition.hpp"

namespace millrace {

/// A rank that values come from or go to, and which of the ghosts or of the rows sent they are.
struct Neighbour {
  int rank = 0;
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// Which values come from whom and go to whom.
struct HaloPlan {
  std::vector<std::int64_t> ghosts{};  // rows of the whole that other ranks have, ascending, so by owner
  std::vector<Neighbour> from{};       // where they come from, by rank
  std::vector<Neighbour> to{};         // who wants rows of this rank, by rank
  std::vector<Index> send_rows{};      // which: counted from the first row of this rank
};

/// Rows that one rank asks another for.
struct RowRequest {
  int rank = 0;
  std::vector<std::int64_t> rows{};
};
/// Sends every request to its rank, and returns those that came here, by rank.
using AskRanks = std::function<std::vector<RowRequest>(const std::vector<RowRequest>&)>;

/// For columns of a square matrix whose rows and columns are in the same parts. It knows no MPI: whoever speaks with
/// the other ranks is handed in. `cols` may come in any order, and a number many times.
HaloPlan make_halo_plan(const Partition& parts, int rank, std::span<const std::int64_t> cols, const AskRanks& ask);

/// The same, among the ranks of a job. For all of them.
HaloPlan make_halo_plan(const Comm& comm, const Partition& parts, std::span<const std::int64_t> cols);

}  // namespace millrace
