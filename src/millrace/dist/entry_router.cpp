// What has come waits as it came, a value and two indices for an entry, until all is there and is sorted by row.
#include "millrace/dist/entry_router.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "millrace/dist/lists.hpp"

namespace millrace {

template <class T>
EntryRouter<T>::EntryRouter(const Comm& comm, const Partition& parts)
    : comm_(comm), parts_(parts), out_(to_size(comm.size())) {}

template <class T>
void EntryRouter<T>::find_owner(Index row) {
  owner_ = parts_.owner(row);
  begin_ = parts_.begin(owner_);
  end_ = parts_.end(owner_);
}

template <class T>
std::vector<ReadState> EntryRouter<T>::exchange(ReadState mine) {
  std::vector<ReadState> states = comm_.gather(mine);
  if (std::ranges::find(states, ReadState::failed) == states.end())
    came_.push_back(exchange_lists(comm_, out_, "the routing of entries"));
  else
    came_ = {};
  for (Entries& some : out_) some.clear();
  return states;
}

template <class T>
template <class F>
void EntryRouter<T>::for_each_piece(bool by_rounds, F&& f) {
  const std::size_t rounds = came_.size(), ranks = out_.size();
  for (std::size_t i = 0; i < (by_rounds ? rounds : ranks); ++i)
    for (std::size_t j = 0; j < (by_rounds ? ranks : rounds); ++j) f(by_rounds ? came_[i][j] : came_[j][i]);
}

template <class T>
GlobalRows<T> EntryRouter<T>::take_rows(std::int64_t num_cols, bool by_rounds) {
  for (Entries& some : out_) some = {};
  const std::int64_t first = parts_.begin(comm_.rank()), num_rows = parts_.size(comm_.rank());
  Array<Offset> places(num_rows + 1, 0);  // where the next entry of a row goes
  Offset* place = places.data();
  for_each_piece(by_rounds, [&](const Entries& piece) {
    for (const Entry& entry : piece) ++place[entry.row - first + 1];
  });
  for (std::int64_t r = 0; r < num_rows; ++r) place[r + 1] += place[r];
  const Offset num_entries = place[num_rows];
  GlobalRows<T> rows{first, num_cols, {}, Array<std::int64_t>(num_entries), Array<T>(num_entries)};
  for_each_piece(by_rounds, [&](Entries& piece) {
    for (const Entry& entry : piece) {
      const Offset to = place[entry.row - first]++;
      rows.cols.data()[to] = entry.col;
      rows.vals.data()[to] = entry.value;
    }
    piece = {};
  });
  came_ = {};
  // Each place is now at the end of its row.
  std::copy_backward(place, place + num_rows, place + num_rows + 1);
  place[0] = 0;
  rows.row_ptr = std::move(places);
  return sort_rows(std::move(rows));
}

template class EntryRouter<float>;
template class EntryRouter<double>;
template class EntryRouter<std::complex<float>>;
template class EntryRouter<std::complex<double>>;

}  // namespace millrace
