// Two ranks share the rows between the later of their first and the earlier of their last: lengths first, then entries.
#include "millrace/dist/redistribute.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/halo.hpp"
#include "millrace/dist/messages.hpp"

namespace millrace {
namespace {

/// What a rank with rows first .. last shares with the parts, counted from its first row.
std::vector<Neighbour> shares_of(const Partition& parts, std::int64_t first, std::int64_t last) {
  std::vector<Neighbour> shares;
  for (int rank = 0; rank < parts.num_parts(); ++rank) {
    const std::int64_t begin = std::max(first, parts.begin(rank)), end = std::min(last, parts.end(rank));
    if (begin < end) shares.push_back({rank, begin - first, end - first});
  }
  return shares;
}

template <class T>
void move(const Comm& comm, const T* from, const std::vector<Neighbour>& out, T* to, const std::vector<Neighbour>& in) {
  std::vector<Message> sent, received;
  const Neighbour *own_out = nullptr, *own_in = nullptr;
  for (const Neighbour& share : out)
    if (share.rank == comm.rank())
      own_out = &share;
    else
      sent.push_back(message_of(share.rank, 0, from + share.begin, share.size()));
  for (const Neighbour& share : in)
    if (share.rank == comm.rank())
      own_in = &share;
    else
      received.push_back(message_of(share.rank, 0, to + share.begin, share.size()));
  Messages messages(comm, received, sent, "a redistribution of rows");
  messages.start();
  if (own_out) std::copy(from + own_out->begin, from + own_out->end, to + own_in->begin);
  messages.wait();
}

/// Neighbours of rows as shares of their entries.
std::vector<Neighbour> by_entries_of(std::vector<Neighbour> shares, const Array<Offset>& row_ptr) {
  for (Neighbour& share : shares) share = {share.rank, row_ptr.data()[share.begin], row_ptr.data()[share.end]};
  return shares;
}

void require_same_rows(const Comm& comm, const Partition& from, const Partition& to) {
  require(from.num_rows() == to.num_rows() && to.num_parts() == comm.size(), "redistribute: the ranks have ",
          from.num_rows(), " rows, and the new partition ", to.num_rows(), " in ", to.num_parts(), " parts for ",
          comm.size(), " ranks");
}

}  // namespace

template <class T>
GlobalRows<T> redistribute(const Comm& comm, const GlobalRows<T>& rows, const Partition& to) {
  together(comm, [&] { check_rows(rows); });
  const Partition from = as_they_are(comm, rows.num_rows());
  together(comm, [&] {
    require_same_rows(comm, from, to);
    require(rows.first == from.begin(comm.rank()), "redistribute: rows from ", rows.first,
            " on; the ranks before have ", from.begin(comm.rank()));
  });
  const std::int64_t begin = to.begin(comm.rank()), end = to.end(comm.rank());
  const std::vector<Neighbour> out = shares_of(to, rows.first, rows.end()), in = shares_of(from, begin, end);
  std::vector<Offset> lengths(to_size(rows.num_rows()));
  for (std::int64_t r = 0; r < rows.num_rows(); ++r)
    lengths[to_size(r)] = rows.row_ptr.data()[r + 1] - rows.row_ptr.data()[r];
  GlobalRows<T> made{begin, rows.num_cols, Array<Offset>(end - begin + 1)};
  made.row_ptr.data()[0] = 0;
  move(comm, lengths.data(), out, made.row_ptr.data() + 1, in);
  for (std::int64_t r = 0; r < end - begin; ++r) made.row_ptr.data()[r + 1] += made.row_ptr.data()[r];
  made.cols = Array<std::int64_t>(made.row_ptr.data()[end - begin]);
  made.vals = Array<T>(made.row_ptr.data()[end - begin]);
  const std::vector<Neighbour> sent = by_entries_of(out, rows.row_ptr), received = by_entries_of(in, made.row_ptr);
  move(comm, rows.cols.data(), sent, made.cols.data(), received);
  move(comm, rows.vals.data(), sent, made.vals.data(), received);
  return made;
}

template <class T>
std::vector<T> redistribute(const Comm& comm, std::span<const T> entries, const Partition& to) {
  const Partition from = as_they_are(comm, std::ssize(entries));
  require_same_rows(comm, from, to);  // alike on all ranks
  std::vector<T> made(to_size(to.size(comm.rank())));
  move(comm, entries.data(), shares_of(to, from.begin(comm.rank()), from.end(comm.rank())), made.data(),
       shares_of(from, to.begin(comm.rank()), to.end(comm.rank())));
  return made;
}

#define MILLRACE_INSTANTIATE(T)                                                             \
  template GlobalRows<T> redistribute(const Comm&, const GlobalRows<T>&, const Partition&); \
  template std::vector<T> redistribute(const Comm&, std::span<const T>, const Partition&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
