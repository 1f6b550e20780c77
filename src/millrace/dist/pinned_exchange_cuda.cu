// Packing into pinned memory, waiting for what comes there, and the way back.
#include <algorithm>
#include <exception>

#include "millrace/dist/exchange.hpp"
#include "millrace/dist/halo_kernels.cuh"
#include "millrace/dist/pinned_exchange.hpp"

namespace millrace {
namespace cuda {

/// A stream beside a queue's own, and the events that lead there and back; they can be captured.
class SideStream {
 public:
  explicit SideStream(Device device) : device_(device) {
    const DeviceGuard guard(device);
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (cudaEvent_t& event : events_)
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t fork(const Queue& queue) { return follow(queue.stream(), stream_, events_[0]); }
  void join(const Queue& queue) { follow(stream_, queue.stream(), events_[1]); }

 private:
  cudaStream_t follow(cudaStream_t first, cudaStream_t second, cudaEvent_t event) {
    const DeviceGuard guard(device_);
    check(cudaEventRecord(event, first), "cudaEventRecord");
    check(cudaStreamWaitEvent(second, event, 0), "cudaStreamWaitEvent");
    return second;
  }
  Device device_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t events_[2] = {};
};

}  // namespace cuda

/// Shared with the tasks of the mailbox: one may be under way when an error ends the exchange.
template <class T>
struct PinnedExchange<T>::Parcel {
  Array<T> ghosts, rows;  // [num, ghosts], [num, send_rows] pinned: kernels write and read them
  Messages there{}, back{};
};

template <class T>
struct PinnedExchange<T>::Service {
  std::weak_ptr<Mailbox> mailbox;
  int num;  // vectors
  std::shared_ptr<Parcel> parcel;
  int there_task = 0, back_task = 0;
  std::unique_ptr<cuda::SideStream> side{};  // where kernels wait beside the queue's work
};

template <class T>
PinnedExchange<T>::PinnedExchange(const Comm& comm, const HaloPlan& plan, Device device)
    : comm_(comm),
      plan_(plan),
      exceptions_(std::uncaught_exceptions()),
      send_rows_(Array<Index>(std::span<const Index>(plan.send_rows)).to(device)) {}

template <class T>
PinnedExchange<T>::~PinnedExchange() {
  if (std::uncaught_exceptions() == exceptions_) cudaDeviceSynchronize();  // kernels may be about to ring
  for (const Service& each : services_)
    if (const auto mailbox = each.mailbox.lock()) {
      mailbox->remove(each.there_task);
      mailbox->remove(each.back_task);
    }
}

template <class T>
void PinnedExchange<T>::use(Queue& queue, int num) {
  std::erase_if(services_, [](const Service& each) { return each.mailbox.expired(); });
  const auto known = std::ranges::find_if(
      services_, [&](const Service& each) { return each.num == num && each.mailbox.lock() == queue.shared_mailbox(); });
  if (known != services_.end()) {
    now_ = &*known;
    return;
  }
  require(!queue.capturing(), "exchange: the first one of ", num,
          " vectors cannot be captured in a CUDA graph; run the same call once before the capture");
  Mailbox& mailbox = queue.mailbox();
  mailbox.sums(queue, comm_);  // so that it knows whether kernels may wait
  const auto pinned = [&](std::int64_t size) { return Array<T>(Device::host(), size * num, Memory::pinned); };
  const auto parcel = std::make_shared<Parcel>(Parcel{pinned(num_ghosts()), pinned(num_sent())});
  services_.push_back({queue.shared_mailbox(), num, parcel});
  now_ = &services_.back();
  const std::vector<Message> ghosts = detail::messages_of(plan_.from, parcel->ghosts, num),
                             rows = detail::messages_of(plan_.to, parcel->rows, num);
  const Comm own = comm_.duplicate();  // queues may be at different places
  parcel->there = Messages(own, ghosts, rows, "the exchange of a halo");
  parcel->back = Messages(own, rows, ghosts, "the exchange of a halo, backwards");
  const auto pass = [&parcel](Messages Parcel::*which) {
    return [parcel, which](std::span<double>) {
      Messages& messages = (*parcel).*which;
      messages.start();
      messages.wait();
    };
  };
  now_->there_task = mailbox.add(pass(&Parcel::there));
  now_->back_task = mailbox.add(pass(&Parcel::back));
  now_->side = std::make_unique<cuda::SideStream>(queue.device());
}

template <class T>
void PinnedExchange<T>::start(Queue& queue, Vectors<const T> x) {
  if (comm_.size() == 1) return;
  use(queue, x.num);
  if (is_empty()) return;
  const MailboxView mail = queue.mailbox().view(now_->there_task);
  cuda::pack(queue, arith(x), send_rows_.data(), num_sent(), arith(now_->parcel->rows.data()), mail);
  queue.mailbox().pass(queue);
}

template <class T>
void PinnedExchange<T>::finish(Queue& queue, Vectors<T> ghosts) {
  if (is_empty()) return;
  cuda::take(queue.stream(), queue.mailbox().view(now_->there_task), arith(now_->parcel->ghosts.data()), arith(ghosts));
}

template <class T>
void PinnedExchange<T>::finish_aside(Queue& queue, Vectors<T> ghosts) {
  if (is_empty()) return;
  cuda::take(now_->side->fork(queue), queue.mailbox().view(now_->there_task), arith(now_->parcel->ghosts.data()),
             arith(ghosts));
}

template <class T>
void PinnedExchange<T>::join(Queue& queue) {
  if (!is_empty()) now_->side->join(queue);
}

template <class T>
void PinnedExchange<T>::add_back(Queue& queue, Vectors<const T> ghosts, Vectors<T> y) {
  if (comm_.size() == 1) return;
  use(queue, ghosts.num);
  if (is_empty()) return;
  const MailboxView mail = queue.mailbox().view(now_->back_task);
  cuda::pack(queue, arith(ghosts), nullptr, num_ghosts(), arith(now_->parcel->ghosts.data()), mail);
  queue.mailbox().pass(queue);
  const Scratch<T> memory = queue.scratch<T>(num_sent() * y.num);
  const Vectors<T> rows(queue.device(), memory.data(), num_sent(), y.num);
  cuda::take(queue.stream(), mail, arith(now_->parcel->rows.data()), arith(rows));
  for (const Neighbour& each : plan_.to)  // a row may have gone to several ranks
    cuda::add_rows(queue, send_rows_.data(), each, arith(Vectors<const T>(rows)), arith(y));
}

template class PinnedExchange<float>;
template class PinnedExchange<double>;
template class PinnedExchange<std::complex<float>>;
template class PinnedExchange<std::complex<double>>;

}  // namespace millrace
