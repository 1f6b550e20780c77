// Algorithm 2 of the dense block format's paper (Roca, Nguyen, Peraire 2011): one thread inflates one entry of X, then
// one thread contracts one value of y. A and y are read and written side by side, X comes through the read-only cache.
#include <limits>

#include "dbf_reference.hpp"
#include "millrace/base/cuda.cuh"

namespace millrace::cuda {
namespace {

constexpr int threads = 256;

template <class T>
void require_there(const char* what, const Queue& queue, const Dbf<T>& a, std::int64_t from_size, std::int64_t from,
                   std::int64_t to_size, std::int64_t to, Device from_device, Device to_device) {
  const Device device = queue.device();
  require(from_size == from && to_size == to, what, ": ", from, " entries are read and ", to,
          " written; the arrays have ", from_size, " and ", to_size);
  require(
      !device.on_host() && a.device() == device && from_device == device && to_device == device, what,
      ": the queue, the matrix and both vectors must be on one GPU; they are on ", [&] { return to_string(device); },
      ", ", [&] { return to_string(a.device()); }, ", ", [&] { return to_string(from_device); }, " and ",
      [&] { return to_string(to_device); });
  require<Unsupported>(a.sections.size() == 2, what, ": the block rows are kept apart in ", a.sections.size() - 1,
                       " sections; block rows of equal width are accepted");
  const std::int64_t most = std::numeric_limits<Index>::max();
  require<Unsupported>(std::max(from, to) <= most, what, ": x inflated has ", std::max(from, to), " entries; up to ",
                       most, " are accepted");
}

// Mapping  thread t of block b writes entry i = b threads + t of X: entry i % m of stored block i / m.
// Traffic  4 bytes of table a block; x once (its reuse is the cache's), every entry of X written once.
// Result   repeatable: a copy, zeros for padding.
template <class T>
__global__ void __launch_bounds__(threads)
    inflate_entries(const Index* __restrict__ neighbours, const T* __restrict__ x, T* __restrict__ inflated,
                    std::uint32_t size, std::uint32_t m) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= size) return;
  const Index column = __ldg(neighbours + i / m);
  inflated[i] = column < 0 ? T{0} : __ldg(x + static_cast<std::int64_t>(column) * m + i % m);
}

// Mapping  thread t of block b computes value j = b threads + t of y: row j % m of block row j / m.
// Traffic  A[q, r, m] once, neighbouring threads side by side; X once, m threads read the same entry; y written once.
// Result   repeatable: every value is summed in the order of its columns.
template <class T>
__global__ void __launch_bounds__(threads)
    contract_values(const T* __restrict__ vals, const T* __restrict__ inflated, T* __restrict__ y,
                    std::uint32_t num_rows, std::uint32_t m, std::uint32_t num_columns) {
  const std::uint32_t j = blockIdx.x * threads + threadIdx.x;
  if (j >= num_rows) return;
  const T* x = inflated + static_cast<std::int64_t>(j / m) * num_columns;
  const T* a = vals + j;
  T sum{0};
#pragma unroll 4
  for (std::uint32_t q = 0; q < num_columns; ++q, a += num_rows) sum = multiply_add(*a, __ldg(x + q), sum);
  y[j] = sum;
}

}  // namespace

template <class T>
void inflate(Queue& queue, const Dbf<T>& a, DeviceSpan<const T> x, DeviceSpan<T> inflated) {
  require_there("inflate", queue, a, x.size(), a.num_cols, inflated.size(), a.neighbours.size() * a.block, x.device(),
                inflated.device());
  if (inflated.size() == 0) return;
  const DeviceGuard guard(queue.device());
  const auto size = static_cast<std::uint32_t>(inflated.size());
  inflate_entries<<<num_blocks(inflated.size(), threads), threads, 0, queue.stream()>>>(
      a.neighbours.data(), x.data(), inflated.data(), size, static_cast<std::uint32_t>(a.block));
  check_launch("inflate_entries", queue.stream());
}

template <class T>
void contract(Queue& queue, const Dbf<T>& a, DeviceSpan<const T> inflated, DeviceSpan<T> y) {
  require_there("contract", queue, a, inflated.size(), a.neighbours.size() * a.block, y.size(), a.num_rows,
                inflated.device(), y.device());
  require<Unsupported>(a.group >= a.num_block_rows(), "contract: the block rows are stored in groups of ", a.group,
                       "; the paper's layout has all ", a.num_block_rows(), " in one group");
  if (y.size() == 0) return;
  const DeviceGuard guard(queue.device());
  contract_values<<<num_blocks(y.size(), threads), threads, 0, queue.stream()>>>(
      a.vals.data(), inflated.data(), y.data(), static_cast<std::uint32_t>(a.num_rows),
      static_cast<std::uint32_t>(a.block), static_cast<std::uint32_t>(a.width * a.block));
  check_launch("contract_values", queue.stream());
}

#define MILLRACE_INSTANTIATE(T)                                                     \
  template void inflate(Queue&, const Dbf<T>&, DeviceSpan<const T>, DeviceSpan<T>); \
  template void contract(Queue&, const Dbf<T>&, DeviceSpan<const T>, DeviceSpan<T>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
