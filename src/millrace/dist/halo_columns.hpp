// One number per column, where several ranks have entries in a column.
#pragma once

#include <span>

#include "millrace/dist/exchange.hpp"

namespace millrace {

/// For the columns of a rank: those of its own rows, then those of the halo.
class HaloColumns {
 public:
  /// For all ranks.
  HaloColumns(const Comm& comm, const HaloPlan& plan);
  /// Every number becomes the largest that a rank has for this column. For all ranks.
  void join_largest(std::span<double> columns);
  /// The numbers of the halo become those of the ranks that have these rows. For all ranks.
  void spread(std::span<double> columns);

 private:
  std::vector<Index> send_rows_;
  Array<double> ghosts_, rows_;
  Comm comm_;
  Messages there_, back_;
};

}  // namespace millrace
