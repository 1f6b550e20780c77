// Lists for other ranks, each of its own length. Inside the library.
#pragma once

#include <vector>

#include "millrace/base/to_size.hpp"
#include "millrace/dist/messages.hpp"

namespace millrace {

/// What this rank has for each rank, itself among them, goes there; returns what came from each [ranks]. Counts go
/// first, which all ranks get to know. `what`: for the line of a rank that has waited too long. For all ranks.
template <class T>
std::vector<std::vector<T>> exchange_lists(const Comm& comm, const std::vector<std::vector<T>>& out, const char* what) {
  const std::size_t ranks = out.size(), here = to_size(comm.rank());
  std::vector<std::int64_t> counts;
  for (const std::vector<T>& list : out) counts.push_back(std::ssize(list));
  const std::vector<std::int64_t> all = comm.gather(std::span<const std::int64_t>(counts));  // [from, to]
  std::vector<std::vector<T>> came(ranks);
  std::vector<Message> in, sent;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == here) {
      came[r].assign(out[r].begin(), out[r].end());
      continue;
    }
    came[r].resize(to_size(all[r * ranks + here]));
    if (!came[r].empty()) in.push_back(message_of(static_cast<int>(r), 0, came[r].data(), std::ssize(came[r])));
    if (!out[r].empty()) sent.push_back(message_of(static_cast<int>(r), 0, out[r].data(), std::ssize(out[r])));
  }
  Messages messages(comm, in, sent, what);
  messages.start();
  messages.wait();
  return came;
}

}  // namespace millrace
