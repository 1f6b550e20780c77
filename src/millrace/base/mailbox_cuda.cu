// Sums over ranks of numbers that lie on a GPU.
#include "millrace/base/mailbox.cuh"

namespace millrace::cuda {
namespace {

constexpr int sum_threads = 128;

// Mapping  one block; its threads stride over the numbers, each waits for its own.
// Traffic  the numbers, to the host and back.
// Result   repeatable: the host adds in the order of the ranks.
template <class R>
__global__ void __launch_bounds__(sum_threads)
    sum_kernel(MailboxView mail, R* values, int count, bool hand, bool take) {
  const auto begin = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
  if (hand) {
    if (threadIdx.x == 0) ring(mail, count);
    for (int i = begin; i < count; i += step) hand_over(mail, i, values[i]);
  }
  if (!take) return;
  for (int i = begin; i < count; i += step) values[i] = wait_for_number<R>(mail, i);
  __syncthreads();
  if (threadIdx.x == 0) end_turn(mail);
}

}  // namespace

template <class R>
void sum_numbers(Queue& queue, const MailboxView& mail, R* values, int count, bool hand, bool take) {
  const DeviceGuard guard(queue.device());
  const int threads = count > 32 ? sum_threads : 32;
  sum_kernel<R><<<1, threads, 0, queue.stream()>>>(mail, values, count, hand, take);
  check_launch("sum_kernel", queue.stream());
}

template void sum_numbers(Queue&, const MailboxView&, float*, int, bool, bool);
template void sum_numbers(Queue&, const MailboxView&, double*, int, bool, bool);

}  // namespace millrace::cuda
