// PinnedExchange<T>: values of the halo of vectors on a GPU. Kernels pack them into pinned memory and wait for those of
// others, the thread behind the queue's mailbox passes them on; so any MPI will do, and a CUDA graph can hold it all.
#pragma once

#include <list>
#include <memory>

#include "millrace/base/mailbox.hpp"
#include "millrace/base/operator.hpp"
#include "millrace/dist/halo.hpp"
#include "millrace/dist/messages.hpp"

namespace millrace {

/// As Exchange, on a GPU. One exchange at a time on a queue; queues have memory and messages of their own. The first
/// with so many vectors on a queue is for all ranks, and cannot be captured.
template <class T>
class PinnedExchange {
 public:
  PinnedExchange(const Comm& comm, const HaloPlan& plan, Device device);
  PinnedExchange(const PinnedExchange&) = delete;
  PinnedExchange& operator=(const PinnedExchange&) = delete;
  ~PinnedExchange();

  /// Takes the rows that others want out of x and has them sent; x may change afterwards.
  void start(Queue& queue, Vectors<const T> x);
  /// Waits, in the order of the queue, and brings the ghosts to the GPU.
  void finish(Queue& queue, Vectors<T> ghosts);
  /// The same beside what the queue does next, up to join().
  void finish_aside(Queue& queue, Vectors<T> ghosts);
  void join(Queue& queue);
  /// The other way round: values at the ghosts go to the ranks that have these rows, and are added to y there, by rank.
  void add_back(Queue& queue, Vectors<const T> ghosts, Vectors<T> y);

 private:
  struct Parcel;   // what goes and comes
  struct Service;  // of a queue, for a number of vectors
  void use(Queue& queue, int num_vectors);
  std::int64_t num_ghosts() const { return std::ssize(plan_.ghosts); }
  std::int64_t num_sent() const { return std::ssize(plan_.send_rows); }
  bool is_empty() const { return num_ghosts() == 0 && num_sent() == 0; }

  Comm comm_;
  HaloPlan plan_;
  int exceptions_;
  Array<Index> send_rows_;
  std::list<Service> services_{};
  Service* now_ = nullptr;
};

extern template class PinnedExchange<float>;
extern template class PinnedExchange<double>;
extern template class PinnedExchange<std::complex<float>>;
extern template class PinnedExchange<std::complex<double>>;

}  // namespace millrace
