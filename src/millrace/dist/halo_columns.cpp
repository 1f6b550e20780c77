// To the ranks that have the rows, and back.
#include "millrace/dist/halo_columns.hpp"

#include <algorithm>

#include "millrace/base/to_size.hpp"

namespace millrace {

using detail::messages_of;

HaloColumns::HaloColumns(const Comm& comm, const HaloPlan& plan)
    : send_rows_(plan.send_rows),
      ghosts_(std::ssize(plan.ghosts)),
      rows_(std::ssize(plan.send_rows)),
      comm_(comm.duplicate()),
      there_(comm_, messages_of(plan.from, ghosts_, 1), messages_of(plan.to, rows_, 1), "numbers of columns"),
      back_(comm_, messages_of(plan.to, rows_, 1), messages_of(plan.from, ghosts_, 1),
            "numbers of columns, backwards") {}

void HaloColumns::join_largest(std::span<double> columns) {
  std::ranges::copy(columns.last(to_size(ghosts_.size())), ghosts_.data());
  back_.start();
  back_.wait();
  for (std::size_t k = 0; k < send_rows_.size(); ++k) {
    double& own = columns[to_size(send_rows_.data()[k])];
    own = std::max(own, rows_.data()[k]);
  }
  spread(columns);
}

void HaloColumns::spread(std::span<double> columns) {
  for (std::size_t k = 0; k < send_rows_.size(); ++k) rows_.data()[k] = columns[to_size(send_rows_.data()[k])];
  there_.start();
  there_.wait();
  std::ranges::copy(ghosts_.span(), columns.last(to_size(ghosts_.size())).begin());
}

}  // namespace millrace
