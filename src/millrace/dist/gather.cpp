// One message per vector and rank, straight to its place.
#include "millrace/dist/gather.hpp"

#include <algorithm>
#include <complex>

#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/messages.hpp"

namespace millrace {
namespace {

void check_size(const Comm& comm, const Partition& parts, const char* what, std::size_t found, std::int64_t rows,
                int num) {
  together(comm, [&] {
    require(num >= 0 && parts.num_parts() == comm.size() && found == to_size(rows * num), what, ": ", found,
            " entries on this rank; ", num, " vectors of its ", rows, " rows, of a partition in ", parts.num_parts(),
            " parts for ", comm.size(), " ranks, are accepted");
  });
}

// The entries of a rank's rows in vectors of all rows.
template <class T>
std::vector<Message> messages_of_rank(int rank, T* all, const Partition& parts, int num) {
  std::vector<Message> messages;
  for (int v = 0; v < num && parts.size(rank) > 0; ++v)
    messages.push_back(message_of(rank, v, all + v * parts.num_rows() + parts.begin(rank), parts.size(rank)));
  return messages;
}

template <class T>
std::vector<Message> messages_of_others(const Comm& comm, T* all, const Partition& parts, int num) {
  std::vector<Message> messages;
  for (int r = 1; r < comm.size(); ++r) {
    const std::vector<Message> some = messages_of_rank(r, all, parts, num);
    messages.insert(messages.end(), some.begin(), some.end());
  }
  return messages;
}

// What a rank that is not 0 sends there or gets from there.
template <class T>
std::vector<Message> messages_with_0(T* mine, std::int64_t rows, int num) {
  std::vector<Message> messages;
  for (int v = 0; v < num && rows > 0; ++v) messages.push_back(message_of(0, v, mine + v * rows, rows));
  return messages;
}

}  // namespace

template <class T>
std::vector<T> gather_vectors(const Comm& comm, const Partition& parts, std::span<const T> mine, int num) {
  const std::int64_t rows = parts.size(comm.rank()), all_rows = parts.num_rows();
  check_size(comm, parts, "gather_vectors", mine.size(), rows, num);
  std::vector<T> all(comm.rank() == 0 ? to_size(all_rows * num) : 0);
  const bool first = comm.rank() == 0;
  Messages messages(comm, first ? messages_of_others(comm, all.data(), parts, num) : std::vector<Message>(),
                    first ? std::vector<Message>() : messages_with_0(mine.data(), rows, num), "a gathering of vectors");
  messages.start();
  for (int v = 0; v < num && first; ++v) std::copy_n(mine.data() + v * rows, rows, all.data() + v * all_rows);
  messages.wait();
  return all;
}

template <class T>
std::vector<T> deal_vectors(const Comm& comm, const Partition& parts, std::span<const T> all_on_rank_0, int num) {
  const bool first = comm.rank() == 0;
  const std::int64_t rows = parts.size(comm.rank()), all_rows = parts.num_rows();
  check_size(comm, parts, "deal_vectors", all_on_rank_0.size(), first ? all_rows : 0, num);
  std::vector<T> mine(to_size(rows * num));
  Messages messages(comm, first ? std::vector<Message>() : messages_with_0(mine.data(), rows, num),
                    first ? messages_of_others(comm, all_on_rank_0.data(), parts, num) : std::vector<Message>(),
                    "a dealing of vectors");
  messages.start();
  for (int v = 0; v < num && first; ++v) std::copy_n(all_on_rank_0.data() + v * all_rows, rows, mine.data() + v * rows);
  messages.wait();
  return mine;
}

#define MILLRACE_INSTANTIATE(T)                                                                   \
  template std::vector<T> gather_vectors(const Comm&, const Partition&, std::span<const T>, int); \
  template std::vector<T> deal_vectors(const Comm&, const Partition&, std::span<const T>, int)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
