// A sweep on a GPU: one kernel runs a step over all entries, and its last block adds up the sums and finishes the step.
// Where ranks share the vectors it leaves them in the mailbox instead, and a second kernel finishes with the answer.
#pragma once

#include "millrace/base/mailbox.cuh"
#include "millrace/base/multiprocessors.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::cuda {

inline constexpr int sweep_threads = 256;
/// The most thread blocks; where entries are more, they stride.
template <class Step>
inline constexpr int max_sweep_blocks = Step::num_sums > 0 ? sweep_blocks_with_sums : 16384;

/// Does the step want the last entries first? They are what the cache still holds of the sweep before.
template <class Step>
inline constexpr bool sweeps_backwards = requires { requires Step::backwards; };

/// Entries that one thread holds at once: about 16 numbers of 8 bytes in flight.
template <class Entry>
inline constexpr int sweep_unroll = sizeof(Entry) <= 16   ? 8
                                    : sizeof(Entry) <= 32 ? 4
                                    : sizeof(Entry) <= 64 ? 2
                                                          : 1;

// Mapping  a block takes a tile (grid-stride), from the first or the last on; a thread `unroll` entries of it that are
//          one block apart, all loads before the first store.
// Traffic  what the step loads and stores, once; the sums of a block.
// Result   repeatable: entries, blocks and the last block's tree depend on n alone; no atomics on sums.
// Shared   the sums of each warp, and whether this block is the last.
template <class Step>
__global__ void __launch_bounds__(sweep_threads)
    sweep_kernel(Step step, std::int64_t n, typename Step::Sum* parts, unsigned* arrived, MailboxView mail) {
  using Sum = typename Step::Sum;
  using Entry = decltype(step.load(0));
  constexpr int num = Step::num_sums, unroll = sweep_unroll<Entry>;
  constexpr std::int64_t tile = std::int64_t{unroll} * sweep_threads;
  const bool active = step.active();  // the first entries are on their way while this is: a wait less
  const auto c = step.coefficients();
  Sum sums[num > 0 ? num : 1] = {};
  const unsigned block = sweeps_backwards<Step> ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  for (std::int64_t first = block * tile + threadIdx.x; first < n; first += gridDim.x * tile) {
    Entry r_entries[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (first + u * sweep_threads < n) r_entries[u] = step.load(first + u * sweep_threads);
    if (!active) break;
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (first + u * sweep_threads < n) step.store(first + u * sweep_threads, r_entries[u], c, sums);
  }
  if (!active) {
    if (blockIdx.x == 0 && threadIdx.x == 0) detail::skip(step);
    return;
  }
  if constexpr (num > 0) {
    block_sums<sweep_threads>(sums);
    if (threadIdx.x == 0) {
#pragma unroll
      for (int k = 0; k < num; ++k) parts[k * gridDim.x + blockIdx.x] = sums[k];
    }
    if (!arrive_last(arrived, gridDim.x)) return;
#pragma unroll
    for (int k = 0; k < num; ++k) {
      sums[k] = Sum{};
#pragma unroll 4
      for (unsigned p = threadIdx.x; p < gridDim.x; p += sweep_threads)
        sums[k] += load_fresh(parts + k * gridDim.x + p);
    }
    block_sums<sweep_threads>(sums);
    if (threadIdx.x != 0) return;
    if (!mail) return step.finish(sums);
    ring(mail, num * num_reals<Sum>);
#pragma unroll
    for (int k = 0; k < num; ++k) hand_over(mail, k, sums[k]);
  }
}

// Mapping  one warp, a lane per sum. It asks active() as the sweep did: nothing but finish() changes what that sees.
// Traffic  the sums of all ranks, from the host.
// Result   repeatable: ranks add in their order.
template <class Step>
__global__ void __launch_bounds__(32) finish_sweep_kernel(Step step, MailboxView mail) {
  __shared__ typename Step::Sum s_sums[Step::num_sums];
  if (!step.active()) return;
  static_assert(Step::num_sums <= 32);
  if (threadIdx.x < Step::num_sums)
    s_sums[threadIdx.x] = wait_for_number<typename Step::Sum>(mail, static_cast<int>(threadIdx.x));
  __syncthreads();
  if (threadIdx.x != 0) return;
  end_turn(mail);
  step.finish(s_sums);
}

template <class Step>
void sweep(Queue& queue, const Comm& comm, std::int64_t n, const Step& step) {
  using Entry = decltype(step.load(0));
  constexpr int tile = sweep_unroll<Entry> * sweep_threads;
  constexpr bool has_sums = Step::num_sums > 0;
  const DeviceGuard guard(queue.device());
  const MailboxView mail = has_sums ? mailbox_for_sums(queue, comm) : MailboxView{};
  const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>((n + tile - 1) / tile, 1, max_sweep_blocks<Step>));
  const auto parts = queue.scratch<typename Step::Sum>(std::int64_t{Step::num_sums} * blocks);
  const auto arrived = queue.zeros(1);
  sweep_kernel<Step><<<blocks, sweep_threads, 0, queue.stream()>>>(step, n, parts.data(), arrived.data(), mail);
  check_launch("sweep_kernel", queue.stream());
  if constexpr (has_sums) {
    if (!mail) return;
    queue.mailbox().pass(queue);
    finish_sweep_kernel<Step><<<1, 32, 0, queue.stream()>>>(step, mail);
    check_launch("finish_sweep_kernel", queue.stream());
  }
}

}  // namespace millrace::cuda
