// Kernels of a halo: rows of vectors go into pinned memory and come from there, and rows with columns of other ranks
// are added to what the local part has left. They know mailboxes, and nothing of messages.
#pragma once

#include <algorithm>

#include "millrace/base/mailbox.cuh"
#include "millrace/base/operator.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/dist/halo.hpp"

namespace millrace::cuda {

inline constexpr int exchange_threads = 256;
inline constexpr int max_exchange_blocks = 64;
inline constexpr int loads_at_once = 4;  // of a thread, over the bus

inline dim3 exchange_blocks(std::int64_t count, int num_vectors) {
  return {static_cast<unsigned>(
              std::clamp<std::int64_t>(count / (loads_at_once * exchange_threads), 1, max_exchange_blocks)),
          static_cast<unsigned>(num_vectors)};
}

/// What the host has written.
template <class A>
__device__ inline A load_from_host(const A* data) {
  if constexpr (is_complex<A>)
    return {__ldcv(&data->re), __ldcv(&data->im)};
  else
    return __ldcv(data);
}

// Mapping  grid-stride over the rows, grid y: vectors; the last block rings.
// Traffic  the rows once, their numbers, and the same rows over the bus.
// Result   repeatable: every entry belongs to one thread.
template <class A>
__global__ void __launch_bounds__(exchange_threads)
    pack_kernel(const A* x, std::int64_t stride, const Index* rows, std::int64_t count, A* packed, MailboxView mail,
                unsigned* arrived) {
  x += blockIdx.y * stride;
  packed += blockIdx.y * count;
  const std::int64_t step = gridDim.x * std::int64_t{exchange_threads};
#pragma unroll 1
  for (std::int64_t k = blockIdx.x * std::int64_t{exchange_threads} + threadIdx.x; k < count; k += step)
    packed[k] = x[rows ? rows[k] : k];
  __threadfence_system();
  __syncthreads();
  if (arrive_last(arrived, gridDim.x * gridDim.y) && threadIdx.x == 0) ring(mail, 0);
}

// Mapping  one thread: more blocks would keep multiprocessors from the kernels that other ranks wait for.
// Traffic  a word over the bus, again and again.
// Result   none.
template <int threads>
__global__ void __launch_bounds__(threads) wait_kernel(MailboxView mail) {
  wait_for_answer(mail);
  end_turn(mail);
}

// Mapping  as pack_kernel.
// Traffic  the values over the bus, and to the GPU's memory.
// Result   repeatable: every entry belongs to one thread.
template <class A>
__global__ void __launch_bounds__(exchange_threads)
    take_kernel(const A* packed, std::int64_t count, A* to, std::int64_t stride) {
  packed += blockIdx.y * count;
  to += blockIdx.y * stride;
  const std::int64_t step = gridDim.x * std::int64_t{exchange_threads};
#pragma unroll 1
  for (std::int64_t first = blockIdx.x * std::int64_t{exchange_threads} + threadIdx.x; first < count;
       first += loads_at_once * step) {
    A r_values[loads_at_once];
#pragma unroll
    for (int u = 0; u < loads_at_once; ++u)
      if (first + u * step < count) r_values[u] = load_from_host(packed + first + u * step);
#pragma unroll
    for (int u = 0; u < loads_at_once; ++u)
      if (first + u * step < count) to[first + u * step] = r_values[u];
  }
}

// Mapping  grid-stride over rows begin .. end, which are all different; grid y: vectors.
// Traffic  the values once, y twice at these rows.
// Result   repeatable: every entry belongs to one thread.
template <class A>
__global__ void __launch_bounds__(exchange_threads)
    add_rows_kernel(const Index* rows, std::int64_t begin, std::int64_t end, const A* values, std::int64_t count, A* y,
                    std::int64_t stride) {
  values += blockIdx.y * count;
  y += blockIdx.y * stride;
  const std::int64_t step = gridDim.x * std::int64_t{exchange_threads};
#pragma unroll 1
  for (std::int64_t k = begin + blockIdx.x * std::int64_t{exchange_threads} + threadIdx.x; k < end; k += step)
    y[rows[k]] += values[k];
}

template <class A>
void pack(Queue& queue, const Vectors<const A>& x, const Index* rows, std::int64_t count, A* packed,
          const MailboxView& mail) {
  const DeviceGuard guard(queue.device());
  const auto arrived = queue.zeros(1);
  pack_kernel<A><<<exchange_blocks(count, x.num), exchange_threads, 0, queue.stream()>>>(x.data, x.stride, rows, count,
                                                                                         packed, mail, arrived.data());
  check_launch("pack_kernel", queue.stream());
}

template <class A>
void take(cudaStream_t stream, const MailboxView& mail, const A* packed, const Vectors<A>& to) {
  const DeviceGuard guard(to.device);
  wait_kernel<1><<<1, 1, 0, stream>>>(mail);
  check_launch("wait_kernel", stream);
  if (to.size == 0) return;
  take_kernel<A>
      <<<exchange_blocks(to.size, to.num), exchange_threads, 0, stream>>>(packed, to.size, to.data, to.stride);
  check_launch("take_kernel", stream);
}

template <class A>
void add_rows(Queue& queue, const Index* rows, const Neighbour& some, const Vectors<const A>& values,
              const Vectors<A>& y) {
  const DeviceGuard guard(queue.device());
  add_rows_kernel<A><<<exchange_blocks(some.size(), y.num), exchange_threads, 0, queue.stream()>>>(
      rows, some.begin, some.end, values.data, values.stride, y.data, y.stride);
  check_launch("add_rows_kernel", queue.stream());
}

inline constexpr int row_threads = 256;
inline constexpr unsigned max_row_blocks = 256;

inline dim3 row_blocks(std::int64_t count, int num_vectors) {
  return {std::clamp(num_blocks(count, 2 * row_threads), 1u, max_row_blocks), static_cast<unsigned>(num_vectors)};
}

// Mapping  grid-stride over the rows, grid y: vectors; for a dot product of one the last block adds the sums of all.
// Traffic  the sums once; y twice and x once at these rows.
// Result   repeatable: every entry belongs to one thread; a tree that depends on the number of rows alone.
// Shared   the sums of each warp.
template <class A>
__global__ void __launch_bounds__(row_threads)
    add_boundary_kernel(const Index* rows, std::int64_t count, const A* sums, const A* x, A* y, std::int64_t ldy,
                        A* dot, A* parts, unsigned* arrived) {
  A part{};
  sums += blockIdx.y * count;
  y += blockIdx.y * ldy;
  const std::int64_t step = gridDim.x * std::int64_t{row_threads};
#pragma unroll 1
  for (std::int64_t k = blockIdx.x * std::int64_t{row_threads} + threadIdx.x; k < count; k += step) {
    const Index row = rows[k];
    const A sum = sums[k];
    y[row] += sum;
    if (dot) part = multiply_add(conjugate(x[row]), sum, part);
  }
  if (!dot) return;
  part = block_sum<row_threads>(part);
  if (threadIdx.x == 0) parts[blockIdx.x] = part;
  if (!arrive_last(arrived, gridDim.x)) return;
  part = block_sum<row_threads>(threadIdx.x < gridDim.x ? load_fresh(parts + threadIdx.x) : A{});
  if (threadIdx.x == 0) *dot += part;
}

// Mapping  grid-stride over the rows, grid y: vectors.
// Traffic  the rows once, their numbers, the result.
// Result   repeatable: every entry belongs to one thread.
template <class A>
__global__ void __launch_bounds__(row_threads)
    gather_rows_kernel(const Index* rows, std::int64_t count, const A* x, std::int64_t ldx, A* to) {
  const std::int64_t step = gridDim.x * std::int64_t{row_threads};
#pragma unroll 1
  for (std::int64_t k = blockIdx.x * std::int64_t{row_threads} + threadIdx.x; k < count; k += step)
    to[blockIdx.y * count + k] = x[blockIdx.y * ldx + rows[k]];
}

// Mapping  grid-stride over the entries, grid y: vectors.
// Traffic  the sums once, y (read too when beta is not 0).
// Result   repeatable: every entry belongs to one thread.
template <class A>
__global__ void __launch_bounds__(row_threads)
    add_scaled_kernel(std::int64_t size, const A* sums, std::int64_t ld, A beta, A* y, std::int64_t ldy) {
  sums += blockIdx.y * ld;
  y += blockIdx.y * ldy;
  const std::int64_t step = gridDim.x * std::int64_t{row_threads};
#pragma unroll 1
  for (std::int64_t i = blockIdx.x * std::int64_t{row_threads} + threadIdx.x; i < size; i += step)
    y[i] = is_zero(beta) ? sums[i] : multiply_add(beta, y[i], sums[i]);
}

}  // namespace millrace::cuda
