// Running sums and sorts of conversions on a GPU, by CUB. A sort looks only at the bits that the keys have.
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <utility>

#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {
namespace {

/// Calls f twice: for the bytes of scratch memory it wants, and with them.
template <class F>
void with_memory(DeviceSteps& steps, const char* what, F&& f) {
  std::size_t bytes = 0;
  check(f(nullptr, bytes), what);
  Array<char> memory = steps.scratch<char>(static_cast<Offset>(bytes) + 1);
  check(f(memory.data(), bytes), what);
}

int num_bits(convert::Key max_key) { return std::max(1, static_cast<int>(std::bit_width(max_key))); }

}  // namespace

// In parts: CUB's kernel for 8-byte counts spills registers.
void DeviceSteps::scan(Offset* values, Offset n) {
  constexpr Offset part = Offset{1} << 30;
  for (Offset begin = 0; begin < n; begin += part) {
    if (begin > 0) for_each(1, [=] __device__(Offset) { values[begin] += values[begin - 1]; });
    const auto count = static_cast<int>(std::min(part, n - begin));
    with_memory(*this, "inclusive sum", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(memory, bytes, values + begin, values + begin, count, queue_.stream());
    });
  }
}

void DeviceSteps::sort(Array<convert::Key>& keys, convert::Key max_key) {
  if (keys.size() < 2) return;
  Array<convert::Key> other = scratch<convert::Key>(keys.size());
  cub::DoubleBuffer<convert::Key> both(keys.data(), other.data());
  with_memory(*this, "radix sort", [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, both, keys.size(), 0, num_bits(max_key), queue_.stream());
  });
  if (both.Current() != keys.data()) std::swap(keys, other);
}

template <class K>
void DeviceSteps::sort_pairs(Array<K>& keys, Array<convert::Place>& places, K max_key) {
  if (keys.size() < 2) return;
  Array<K> other_keys = scratch<K>(keys.size());
  Array<convert::Place> other_places = scratch<convert::Place>(keys.size());
  cub::DoubleBuffer<K> both_keys(keys.data(), other_keys.data());
  cub::DoubleBuffer<convert::Place> both_places(places.data(), other_places.data());
  with_memory(*this, "radix sort", [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, both_keys, both_places, keys.size(), 0, num_bits(max_key),
                                           queue_.stream());
  });
  if (both_keys.Current() != keys.data()) std::swap(keys, other_keys);
  if (both_places.Current() != places.data()) std::swap(places, other_places);
}
void DeviceSteps::sort(Array<convert::Key>& keys, Array<convert::Place>& places, convert::Key max_key) {
  sort_pairs(keys, places, max_key);
}
void DeviceSteps::sort(Array<std::uint32_t>& keys, Array<convert::Place>& places, std::uint32_t max_key) {
  sort_pairs(keys, places, max_key);
}

}  // namespace millrace::cuda
