// Host memory: huge pages, first touch by the threads; GPU memory is handed to memory_cuda.cu.
#include "millrace/base/memory.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/queue.hpp"

namespace millrace {

namespace cuda {
void* allocate(Device device, std::size_t bytes);
void free(Device device, void* data) noexcept;
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* data) noexcept;
void* allocate_in_order(const Stream& stream, std::size_t bytes);
void free_in_order(const Stream& stream, void* data) noexcept;
void destroy(Stream& stream) noexcept;
void copy(Device to, void* target, Device from, const void* source, std::size_t bytes);
void copy_in_order(const Stream& stream, void* target, const void* source, std::size_t bytes);
}  // namespace cuda

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::int64_t page = 4096;

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// So large that it comes from the system, and goes back there at once: malloc keeps up to 64 MB and whatever lies below
// a block in use, and MPI may tell it to keep all that is freed, every copy of a matrix that a rank ever had.
bool is_mapped(std::size_t bytes) { return bytes >= 4 * huge_page; }

void* map(std::size_t rounded) {
  const std::size_t more = rounded + huge_page;
  void* const all =
      more >= rounded ? mmap(nullptr, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  if (all == MAP_FAILED) return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(all), begin = round_up(first, huge_page);
  if (begin > first) munmap(all, begin - first);
  munmap(reinterpret_cast<void*>(begin + rounded), first + more - (begin + rounded));
  return reinterpret_cast<void*>(begin);
}

void free_host(void* data, std::size_t bytes) noexcept {
  if (is_mapped(bytes))
    munmap(data, round_up(bytes, huge_page));
  else
    std::free(data);
}

// Large buffers ask for huge pages, and every thread touches the part it will stream (first touch).
void* allocate_host(std::size_t bytes) {
  const bool large = bytes >= 2 * huge_page;
  const std::size_t alignment = large ? huge_page : 64, rounded = round_up(bytes, alignment);
  void* const data = rounded < bytes    ? nullptr
                     : is_mapped(bytes) ? map(rounded)
                                        : std::aligned_alloc(alignment, rounded);
  require(data, "memory: ", bytes, " bytes could not be had on the host");
  if (large) {
    madvise(data, rounded, MADV_HUGEPAGE);
    const Work each{.bytes = page};
    parallel_for(default_num_threads(), static_cast<std::int64_t>(rounded) / page, each,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t p = begin; p < end; ++p) static_cast<volatile char*>(data)[p * page] = 0;
                 });
  }
  return data;
}

/// Traffic: each byte read and written once.
void copy_on_host(int num_threads, void* target, const void* source, std::size_t bytes) {
  parallel_for(num_threads, static_cast<std::int64_t>(bytes), {.bytes = 2}, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<char*>(target) + begin, static_cast<const char*>(source) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

[[noreturn]] void no_cuda(const char* what) {
  throw Unsupported(join(what, ": a CUDA device was asked for, but this build has no CUDA"));
}

}  // namespace

Stream::~Stream() {
  if constexpr (build::cuda)
    if (owned) cuda::destroy(*this);
}

Block::Block(Device device, std::size_t bytes, Memory kind) : device_(device), kind_(kind), bytes_(bytes) {
  require(kind != Memory::borrowed, "memory: borrowed memory is not allocated; use borrow");
  require(kind != Memory::pinned || device.on_host(), "memory: pinned memory lives on the host, not on ",
          to_string(device));
  if (bytes == 0) return;
  if (device.on_host() && kind == Memory::plain) {
    data_ = allocate_host(bytes);
  } else if constexpr (build::cuda) {
    data_ = kind == Memory::pinned ? cuda::allocate_pinned(bytes) : cuda::allocate(device, bytes);
  } else {
    no_cuda("memory");
  }
}

Block::Block(std::shared_ptr<Stream> stream, std::size_t bytes)
    : device_(stream->device), bytes_(bytes), stream_(std::move(stream)) {
  if (bytes == 0) return;
  if constexpr (build::cuda)
    data_ = cuda::allocate_in_order(*stream_, bytes);
  else
    no_cuda("memory");
}

Block Block::borrow(Device device, void* data, std::size_t bytes) {
  Block block;
  block.device_ = device;
  block.kind_ = Memory::borrowed;
  block.data_ = data;
  block.bytes_ = bytes;
  return block;
}

Block::~Block() {
  if (!data_ || kind_ == Memory::borrowed) return;
  if (device_.on_host() && kind_ == Memory::plain) {
    free_host(data_, bytes_);
  } else if constexpr (build::cuda) {
    if (stream_)
      cuda::free_in_order(*stream_, data_);
    else if (kind_ == Memory::pinned)
      cuda::free_pinned(data_);
    else
      cuda::free(device_, data_);
  }
}

void Block::swap(Block& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(kind_, other.kind_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(stream_, other.stream_);
}

void copy_bytes(Device to, void* target, Device from, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  if (to.on_host() && from.on_host()) {
    copy_on_host(default_num_threads(), target, source, bytes);
  } else if constexpr (build::cuda) {
    cuda::copy(to, target, from, source, bytes);
  } else {
    no_cuda("copy");
  }
}

void copy_bytes(Queue& queue, Device to, void* target, Device from, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  if (to.on_host() && from.on_host()) {
    copy_on_host(queue.device().on_host() ? queue.num_threads() : default_num_threads(), target, source, bytes);
  } else if (queue.device().on_host()) {
    copy_bytes(to, target, from, source, bytes);
  } else if constexpr (build::cuda) {
    cuda::copy_in_order(*queue.shared_stream(), target, source, bytes);
  } else {
    no_cuda("copy");
  }
}

}  // namespace millrace
