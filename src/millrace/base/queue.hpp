// Queue: where work runs, host threads or one stream of a GPU, with the scratch memory that work needs.
// A queue serves one thread at a time; several threads use several queues.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "millrace/base/memory.hpp"
#include "millrace/base/parallel.hpp"

namespace millrace {

template <class T>
class Scratch;
class Mailbox;

/// Where work runs, in order: host threads, or one stream of a GPU, with a pool of scratch memory.
class Queue {
 public:
  /// Host threads (0: as many as default_num_threads()), or a new stream of a GPU.
  explicit Queue(Device device = Device::host(), int num_threads = 0);
  /// Work in the order of a stream that somebody else owns.
  static Queue borrow(Device device, CUstream_st* stream);

  Device device() const { return device_; }
  int num_threads() const { return num_threads_; }
  CUstream_st* stream() const { return stream_ ? stream_->handle : nullptr; }
  const std::shared_ptr<Stream>& shared_stream() const { return stream_; }

  /// What kernels of this queue ask their host for, made when it is first wanted (mailbox.hpp); of a GPU.
  Mailbox& mailbox();
  const std::shared_ptr<Mailbox>& shared_mailbox() const { return mailbox_; }

  /// Returns when all work given to this queue is done.
  void wait() const;
  /// Is a CUDA graph being captured from this queue's stream?
  bool capturing() const;

  /// Memory for the time of one call, taken from what the queue keeps; the queue grows when it must,
  /// but never while a graph is captured: then run the call once before the capture.
  template <class T>
  Scratch<T> scratch(std::int64_t size);
  /// The same, full of zeros: counters for one call, which must leave zeros behind.
  Scratch<unsigned> zeros(std::int64_t size);

 private:
  friend class ScratchBase;
  struct Slot {
    Block block;
    bool zeros = false;
    bool taken = false;
  };
  Slot* take(std::int64_t size, std::size_t item_bytes, bool zeros);

  Device device_;
  int num_threads_ = 1;
  std::shared_ptr<Stream> stream_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::shared_ptr<Mailbox> mailbox_;
};

/// Untyped scratch memory of a queue; Scratch<T> is the typed one.
class ScratchBase {
 protected:
  ScratchBase(Queue& queue, std::int64_t size, std::size_t item_bytes, bool zeros)
      : slot_(queue.take(size, item_bytes, zeros)) {}
  ScratchBase(ScratchBase&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  ScratchBase& operator=(ScratchBase&&) = delete;
  ~ScratchBase() {
    if (slot_) slot_->taken = false;  // the next taker's work comes later in the same queue
  }
  Queue::Slot* slot_;
};

/// Borrowed from a queue, given back when it goes out of scope.
template <class T>
class Scratch : ScratchBase {
 public:
  Scratch(Queue& queue, std::int64_t size, bool zeros = false)
      : ScratchBase(queue, size, sizeof(T), zeros), size_(size) {}
  T* data() const { return static_cast<T*>(this->slot_->block.data()); }
  std::int64_t size() const { return size_; }

 private:
  std::int64_t size_;
};

template <class T>
Scratch<T> Queue::scratch(std::int64_t size) {
  return Scratch<T>(*this, size);
}
inline Scratch<unsigned> Queue::zeros(std::int64_t size) { return Scratch<unsigned>(*this, size, true); }

}  // namespace millrace
