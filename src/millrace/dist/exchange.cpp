// Packing, and messages per vector and neighbour. Also how the ranks ask each other for rows.
#include "millrace/dist/exchange.hpp"

#include <algorithm>

#include "millrace/base/to_size.hpp"
#include "millrace/dist/lists.hpp"

namespace millrace {

template <class T>
Exchange<T>::Exchange(const Comm& comm, HaloPlan plan) : comm_(comm.duplicate()), plan_(std::move(plan)) {}

template <class T>
typename Exchange<T>::Room& Exchange<T>::room(int num) {
  if (const auto found = rooms_.find(num); found != rooms_.end()) return found->second;
  Room& room = rooms_[num];
  room.ghosts = Array<T>(num_ghosts() * num);
  room.rows = Array<T>(std::ssize(plan_.send_rows) * num);
  const std::vector<Message> ghosts = detail::messages_of(plan_.from, room.ghosts, num),
                             rows = detail::messages_of(plan_.to, room.rows, num);
  room.there = Messages(comm_, ghosts, rows, "the exchange of a halo");
  room.back = Messages(comm_, rows, ghosts, "the exchange of a halo, backwards");
  return room;
}

template <class T>
void Exchange<T>::start(Queue& queue, Vectors<const T> x) {
  now_ = &room(num_ = x.num);
  const std::int64_t count = std::ssize(plan_.send_rows);
  parallel_for(queue.num_threads(), count, {.bytes = 16 * x.num}, [&](std::int64_t begin, std::int64_t end) {
    for (int v = 0; v < x.num; ++v)
      for (std::int64_t k = begin; k < end; ++k)
        now_->rows.data()[v * count + k] = x.data[v * x.stride + plan_.send_rows[to_size(k)]];
  });
  now_->there.start();
}

template <class T>
Vectors<const T> Exchange<T>::finish() {
  now_->there.wait();
  return {Device::host(), now_->ghosts.data(), num_ghosts(), num_};
}

template <class T>
void Exchange<T>::add_back(Queue&, Vectors<const T> ghosts, Vectors<T> y) {
  Room& here = room(ghosts.num);
  for (int v = 0; v < ghosts.num; ++v)
    std::copy_n(ghosts.data + v * ghosts.stride, num_ghosts(), here.ghosts.data() + v * num_ghosts());
  here.back.start();
  here.back.wait();
  const std::int64_t count = std::ssize(plan_.send_rows);
  for (int v = 0; v < y.num; ++v)
    for (std::int64_t k = 0; k < count; ++k)
      y.data[v * y.stride + plan_.send_rows[to_size(k)]] += here.rows.data()[v * count + k];
}

template class Exchange<float>;
template class Exchange<double>;
template class Exchange<std::complex<float>>;
template class Exchange<std::complex<double>>;

HaloPlan make_halo_plan(const Comm& comm, const Partition& parts, std::span<const std::int64_t> cols) {
  if (comm.size() == 1) return {};
  const auto ask = [&](const std::vector<RowRequest>& requests) {
    std::vector<std::vector<std::int64_t>> out(to_size(comm.size()));
    for (const RowRequest& request : requests) out[to_size(request.rank)] = request.rows;
    std::vector<std::vector<std::int64_t>> lists = exchange_lists(comm, out, "the making of a halo");
    std::vector<RowRequest> came;
    for (int r = 0; r < comm.size(); ++r)
      if (!lists[to_size(r)].empty()) came.push_back({r, std::move(lists[to_size(r)])});
    return came;
  };
  return make_halo_plan(parts, comm.rank(), cols, ask);
}

}  // namespace millrace
