// Array<T>: the owner of a buffer on one device. `span()` is for the host only; memory of a GPU is
// handed on as a DeviceSpan, which has no element access, so a host loop over it does not compile.
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/base/memory.hpp"
#include "millrace/base/queue.hpp"

namespace millrace {

/// A pointer, a length and where they live. It cannot be indexed.
template <class T>
class DeviceSpan {
 public:
  DeviceSpan() = default;
  DeviceSpan(Device device, T* data, std::int64_t size) : device_(device), data_(data), size_(size) {}
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>)
  DeviceSpan(const DeviceSpan<U>& other) : DeviceSpan(other.device(), other.data(), other.size()) {}

  Device device() const { return device_; }
  T* data() const { return data_; }
  std::int64_t size() const { return size_; }

 private:
  Device device_;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// Host memory that is indexed and counted as the library counts, with signed numbers; otherwise a std::span.
template <class T>
class HostSpan : public std::span<T> {
 public:
  HostSpan() = default;
  HostSpan(T* data, std::int64_t size) : std::span<T>(data, static_cast<std::size_t>(size)) {}
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  HostSpan(const HostSpan<U>& other) : HostSpan(other.data(), other.size()) {}

  std::int64_t size() const { return static_cast<std::int64_t>(std::span<T>::size()); }
  template <std::integral I>
  T& operator[](I i) const {
    return std::span<T>::operator[](static_cast<std::size_t>(i));
  }
};

/// The owner of a buffer on one device. It is never copied silently: see clone() and to().
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  Array() = default;
  Array(Array&& other) noexcept : block_(std::move(other.block_)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    block_ = std::move(other.block_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  /// Uninitialised memory; its pages are touched by the threads that will stream it.
  Array(Device device, std::int64_t size, Memory kind = Memory::plain)
      : block_(device, bytes_of(size), kind), size_(size) {}
  /// Uninitialised memory in the order of a queue (a GPU's stream-ordered pool).
  Array(Queue& queue, std::int64_t size)
      : block_(queue.device().on_host() ? Block(queue.device(), bytes_of(size), Memory::plain)
                                        : Block(queue.shared_stream(), bytes_of(size))),
        size_(size) {}
  explicit Array(std::int64_t size) : Array(Device::host(), size) {}
  Array(std::int64_t size, T value) : Array(size) {
    const Work each{.bytes = sizeof(T)};
    parallel_for(default_num_threads(), size, each,
                 [&](std::int64_t begin, std::int64_t end) { std::fill(data() + begin, data() + end, value); });
  }
  explicit Array(std::span<const T> values) : Array(std::ssize(values)) {
    std::copy(values.begin(), values.end(), data());
  }
  Array(std::initializer_list<T> values) : Array(std::span<const T>(values.begin(), values.size())) {}

  /// Memory of somebody else's, which must live longer than this and is never freed here.
  static Array borrow(DeviceSpan<T> memory) {
    Array array;
    array.block_ = Block::borrow(memory.device(), memory.data(), bytes_of(memory.size()));
    array.size_ = memory.size();
    return array;
  }

  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }
  bool empty() const { return size_ == 0; }
  Device device() const { return block_.device(); }
  Memory kind() const { return block_.kind(); }
  bool borrowed() const { return kind() == Memory::borrowed; }
  T* data() { return static_cast<T*>(block_.data()); }
  const T* data() const { return static_cast<const T*>(block_.data()); }

  /// Its entries, of an array on the host.
  HostSpan<T> span() { return {on_host(), size_}; }
  HostSpan<const T> span() const { return {on_host(), size_}; }
  DeviceSpan<T> device_span() { return {device(), data(), size_}; }
  DeviceSpan<const T> device_span() const { return {device(), data(), size_}; }

  /// A copy on that device; done when it returns.
  Array to(Device target) const {
    Array copy(target, size_);
    copy_bytes(target, copy.data(), device(), data(), static_cast<std::size_t>(bytes()));
    return copy;
  }
  Array clone() const { return to(device()); }
  std::vector<T> to_vector() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    copy_bytes(Device::host(), values.data(), device(), data(), static_cast<std::size_t>(bytes()));
    return values;
  }
  /// Overwrites this array with values of the same number from any device.
  void assign(DeviceSpan<const T> values) {
    require(values.size() == size_, "assign: the array has ", size_, " entries, the source ", values.size());
    copy_bytes(device(), data(), values.device(), values.data(), static_cast<std::size_t>(bytes()));
  }
  void assign(std::span<const T> values) {
    assign(DeviceSpan<const T>(Device::host(), values.data(), std::ssize(values)));
  }

 private:
  static std::size_t bytes_of(std::int64_t size) {
    require(size >= 0 && size <= INT64_MAX / static_cast<std::int64_t>(sizeof(T)), "array: a length of ", size,
            " entries is not possible");
    return static_cast<std::size_t>(size) * sizeof(T);
  }
  T* on_host() const {
    require(
        device().on_host(), "span: this array lives on ", [&] { return to_string(device()); },
        "; copy it with to(Device::host())");
    return static_cast<T*>(block_.data());
  }

  Block block_;
  std::int64_t size_ = 0;
};

}  // namespace millrace

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<millrace::HostSpan<T>> = true;
