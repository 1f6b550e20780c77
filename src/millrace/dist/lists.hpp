// Lists for other ranks, each of its own length. Inside the library.
#pragma once

#include <vector>

#include "millrace/base/to_size.hpp"
#include "millrace/dist/messages.hpp"

namespace millrace {

/// What this rank has for each rank, itself among them, goes there; returns what came from each [ranks]. Counts go
/// first, those that are not zero, which all ranks get to know. `what`: for the line of a rank that has waited too
/// long. For all ranks.
template <class T>
std::vector<std::vector<T>> exchange_lists(const Comm& comm, const std::vector<std::vector<T>>& out, const char* what) {
  struct Count {
    std::int32_t from, to;
    std::int64_t size;
  };
  std::vector<Count> counts;
  std::vector<Message> in, sent;
  for (int r = 0; r < comm.size(); ++r)
    if (const std::vector<T>& list = out[to_size(r)]; r != comm.rank() && !list.empty()) {
      counts.push_back({comm.rank(), r, std::ssize(list)});
      sent.push_back(message_of(r, 0, list.data(), std::ssize(list)));
    }
  std::vector<std::vector<T>> came(out.size());
  came[to_size(comm.rank())] = out[to_size(comm.rank())];
  for (const Count& count : comm.gather(std::span<const Count>(counts)))
    if (count.to == comm.rank()) {
      std::vector<T>& list = came[to_size(count.from)];
      list.resize(to_size(count.size));
      in.push_back(message_of(count.from, 0, list.data(), count.size));
    }
  Messages messages(comm, in, sent, what);
  messages.start();
  messages.wait();
  return came;
}

}  // namespace millrace
