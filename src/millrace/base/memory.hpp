// Raw memory on a device: how it is taken, given back and copied. `Array` is the typed owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "millrace/base/device.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace millrace {

class Queue;

enum class Memory {
  plain,     // host: huge pages, touched first by the threads that will use it; GPU: device memory
  pinned,    // host memory that a GPU copies from and to at full speed
  borrowed,  // somebody else's: never freed here
};

/// A CUDA stream with its owner; shared with the memory that is given back in its order.
struct Stream {
  Device device;
  CUstream_st* handle = nullptr;
  bool owned = false;
  Stream(Device device, CUstream_st* handle, bool owned) : device(device), handle(handle), owned(owned) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();
};

/// An untyped buffer on one device. Host buffers are aligned to 64 bytes or more.
class Block {
 public:
  Block() = default;
  Block(Device device, std::size_t bytes, Memory kind);
  Block(std::shared_ptr<Stream> stream, std::size_t bytes);  // from the stream-ordered pool
  static Block borrow(Device device, void* data, std::size_t bytes);
  Block(Block&& other) noexcept { swap(other); }
  Block& operator=(Block&& other) noexcept {
    Block(std::move(other)).swap(*this);
    return *this;
  }
  ~Block();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  Memory kind() const { return kind_; }
  void swap(Block& other) noexcept;

 private:
  Device device_;
  Memory kind_ = Memory::plain;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::shared_ptr<Stream> stream_;  // set when the memory came from its pool
};

/// Copies between any two devices and returns when it is done.
void copy_bytes(Device to, void* target, Device from, const void* source, std::size_t bytes);

/// Copies in the order of a queue; on a GPU it may return before it is done.
void copy_bytes(Queue& queue, Device to, void* target, Device from, const void* source, std::size_t bytes);

}  // namespace millrace
