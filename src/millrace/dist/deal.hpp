// Records from every rank to every rank.
#pragma once

#include "millrace/base/to_size.hpp"
#include "millrace/dist/messages.hpp"

namespace millrace {

/// out[r] goes to rank r; returns what came, by rank. `what`: for the line of a rank that has waited too long. For all
/// ranks.
template <class Record>
std::vector<std::vector<Record>> deal(const Comm& comm, const std::vector<std::vector<Record>>& out, const char* what) {
  static_assert(std::is_trivially_copyable_v<Record>);
  struct Count {
    std::int32_t from, to;
    std::int64_t records;
  };
  std::vector<Count> mine;
  std::vector<Message> sent, received;
  for (int rank = 0; rank < comm.size(); ++rank)
    if (const auto& some = out[to_size(rank)]; rank != comm.rank() && !some.empty()) {
      mine.push_back({comm.rank(), rank, std::ssize(some)});
      sent.push_back(message_of(rank, 0, some.data(), std::ssize(some)));
    }
  std::vector<std::vector<Record>> in(to_size(comm.size()));
  for (const Count& count : comm.gather(std::span<const Count>(mine)))
    if (count.to == comm.rank()) {
      in[to_size(count.from)].resize(to_size(count.records));
      received.push_back(message_of(count.from, 0, in[to_size(count.from)].data(), count.records));
    }
  Messages messages(comm, received, sent, what);
  messages.start();
  in[to_size(comm.rank())] = out[to_size(comm.rank())];
  messages.wait();
  return in;
}

}  // namespace millrace
