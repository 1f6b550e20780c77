// Exchange<T>: values of the halo between ranks, there and back.
#pragma once

#include <map>

#include "millrace/base/operator.hpp"
#include "millrace/dist/halo.hpp"
#include "millrace/dist/messages.hpp"

namespace millrace {

namespace detail {
/// One message per vector and neighbour; `values` [num, ghosts or rows sent].
template <class T>
std::vector<Message> messages_of(const std::vector<Neighbour>& neighbours, Array<T>& values, int num) {
  std::vector<Message> messages;
  const std::int64_t size = num ? values.size() / num : 0;
  for (int v = 0; v < num; ++v)
    for (const Neighbour& each : neighbours)
      messages.push_back(message_of(each.rank, v, values.data() + v * size + each.begin, each.size()));
  return messages;
}
}  // namespace detail

/// Values at the rows of a HaloPlan. One exchange at a time.
template <class T>
class Exchange {
 public:
  /// `send_rows` of the plan, perhaps in the order of a format that has its own. For all ranks.
  Exchange(const Comm& comm, HaloPlan plan);

  const HaloPlan& plan() const { return plan_; }
  std::int64_t num_ghosts() const { return std::ssize(plan_.ghosts); }
  /// Takes the rows that others want out of x, and sends them; x may change afterwards.
  void start(Queue& queue, Vectors<const T> x);
  bool test() { return now_->there.test(); }
  /// Waits until the ghosts are here, in the order of the plan.
  Vectors<const T> finish();
  /// The other way round: values at the ghosts go to the ranks that have these rows, and are added to y there, by rank.
  void add_back(Queue& queue, Vectors<const T> ghosts, Vectors<T> y);
  /// Bytes that come and go for so many vectors.
  double bytes(int num_vectors) const {
    return static_cast<double>(num_ghosts() + std::ssize(plan_.send_rows)) * num_vectors * sizeof(T);
  }

 private:
  struct Room {             // for a number of vectors
    Array<T> ghosts, rows;  // [vectors, ghosts], [vectors, send_rows]
    Messages there{}, back{};
  };
  Room& room(int num_vectors);

  Comm comm_;
  HaloPlan plan_;
  std::map<int, Room> rooms_{};
  Room* now_ = nullptr;
  int num_ = 0;
};

extern template class Exchange<float>;
extern template class Exchange<double>;
extern template class Exchange<std::complex<float>>;
extern template class Exchange<std::complex<double>>;

}  // namespace millrace
