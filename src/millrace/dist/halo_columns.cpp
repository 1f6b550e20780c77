// To the ranks that have the rows, and back.
#include "millrace/dist/halo_columns.hpp"

#include <algorithm>

#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

std::vector<Message> messages_of(const std::vector<Neighbour>& neighbours, std::vector<double>& values) {
  std::vector<Message> messages;
  for (const Neighbour& each : neighbours)
    messages.push_back(message_of(each.rank, 0, values.data() + each.begin, each.size()));
  return messages;
}

}  // namespace

HaloColumns::HaloColumns(const Comm& comm, const HaloPlan& plan)
    : send_rows_(plan.send_rows),
      ghosts_(plan.ghosts.size()),
      rows_(plan.send_rows.size()),
      comm_(comm.duplicate()),
      there_(comm_, messages_of(plan.from, ghosts_), messages_of(plan.to, rows_), "numbers of columns"),
      back_(comm_, messages_of(plan.to, rows_), messages_of(plan.from, ghosts_), "numbers of columns, backwards") {}

void HaloColumns::join_largest(std::span<double> columns) {
  std::ranges::copy(columns.last(ghosts_.size()), ghosts_.begin());
  back_.start();
  back_.wait();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    double& own = columns[to_size(send_rows_[k])];
    own = std::max(own, rows_[k]);
  }
  spread(columns);
}

void HaloColumns::spread(std::span<double> columns) {
  for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k] = columns[to_size(send_rows_[k])];
  there_.start();
  there_.wait();
  std::ranges::copy(ghosts_, columns.last(ghosts_.size()).begin());
}

}  // namespace millrace
