// Queues of the host, and the scratch memory that any queue keeps.
#include "millrace/base/queue.hpp"

#include <cstdint>
#include <cstring>

#include "millrace/base/error.hpp"
#include "millrace/base/mailbox.hpp"

namespace millrace {

namespace cuda {
CUstream_st* make_stream(Device device);
void wait(const Stream& stream);
bool capturing(const Stream& stream);
void zero_in_order(const Stream& stream, void* data, std::size_t bytes);
}  // namespace cuda

Queue::Queue(Device device, int num_threads) : device_(device) {
  require(num_threads >= 0, "queue: ", num_threads, " threads were asked for; 0 (all) or more are accepted");
  if (device.on_host()) {
    num_threads_ = num_threads > 0 ? num_threads : default_num_threads();
  } else if constexpr (build::cuda) {
    stream_ = std::make_shared<Stream>(device, cuda::make_stream(device), true);
  } else {
    throw Unsupported("queue: a CUDA device was asked for, but this build has no CUDA");
  }
}

Queue Queue::borrow(Device device, CUstream_st* stream) {
  require<Unsupported>(build::cuda && !device.on_host(), "queue: only a stream of a GPU can be borrowed");
  Queue queue;
  queue.device_ = device;
  queue.num_threads_ = 1;
  queue.stream_ = std::make_shared<Stream>(device, stream, false);
  return queue;
}

void Queue::wait() const {
  if constexpr (build::cuda)
    if (stream_) cuda::wait(*stream_);
  if (mailbox_) mailbox_->check();
}

Mailbox& Queue::mailbox() {
  require<Unsupported>(!device_.on_host(), "queue: the host has no mailbox; it asks itself");
  if (!mailbox_) mailbox_ = std::make_shared<Mailbox>(*this);
  return *mailbox_;
}

bool Queue::capturing() const {
  if constexpr (build::cuda)
    if (stream_) return cuda::capturing(*stream_);
  return false;
}

Queue::Slot* Queue::take(std::int64_t size, std::size_t item_bytes, bool zeros) {
  require(size >= 0 && size <= INT64_MAX / static_cast<std::int64_t>(item_bytes), "queue: scratch memory for ", size,
          " entries of ", item_bytes, " bytes is not possible");
  const std::size_t bytes = static_cast<std::size_t>(size) * item_bytes;
  Slot* best = nullptr;  // the smallest free slot that is large enough
  for (const auto& slot : slots_)
    if (!slot->taken && slot->zeros == zeros && slot->block.bytes() >= bytes &&
        (!best || slot->block.bytes() < best->block.bytes()))
      best = slot.get();
  if (!best) {  // smaller ones stay: a captured graph may still use them
    require(!capturing(), "queue: ", bytes,
            " bytes of scratch memory are needed while a graph is captured; run the same call once before the capture");
    slots_.push_back(std::make_unique<Slot>());
    best = slots_.back().get();
    best->block = device_.on_host() ? Block(device_, bytes, Memory::plain) : Block(stream_, bytes);
    best->zeros = zeros;
    if (zeros && device_.on_host())
      std::memset(best->block.data(), 0, bytes);
    else if constexpr (build::cuda)
      if (zeros && bytes > 0) cuda::zero_in_order(*stream_, best->block.data(), bytes);
  }
  best->taken = true;
  return best;
}

}  // namespace millrace
