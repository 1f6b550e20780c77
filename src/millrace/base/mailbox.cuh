// A mailbox inside kernels: numbers are left, it is rung, and the answer is waited for.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/base/mailbox.hpp"

namespace millrace::cuda {

/// Real numbers of one scalar.
template <class A>
inline constexpr int num_reals = is_complex<A> ? 2 : 1;

__device__ inline void write_word(MailboxWord* word, std::uint32_t turn, std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits), high = static_cast<std::uint32_t>(bits >> 32);
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(word), "r"(low), "r"(turn), "r"(high)
               : "memory");
}
/// Until it is of this turn.
__device__ inline std::uint64_t wait_for_word(const MailboxWord* word, std::uint32_t turn) {
  std::uint32_t low, high, low_turn, high_turn;
  do {
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(low), "=r"(low_turn), "=r"(high), "=r"(high_turn)
                 : "l"(word)
                 : "memory");
  } while ((low_turn != turn && low_turn != MailboxWord::abandoned) ||
           (high_turn != turn && high_turn != MailboxWord::abandoned));
  return low | std::uint64_t{high} << 32;
}

/// Scalar k of a ring, by any thread.
template <class A>
__device__ inline void hand_over(const MailboxView& mail, int k, A value) {
  const std::uint32_t turn = *mail.turns + 1;
  const auto put = [&](int place, double real) {
    write_word(mail.handed + 1 + place, turn, static_cast<std::uint64_t>(__double_as_longlong(real)));
  };
  if constexpr (is_complex<A>)
    put(2 * k, value.re), put(2 * k + 1, value.im);
  else
    put(k, value);
}
/// By one thread: asks for the task, with so many real numbers, which other threads may still hand over. What else the
/// host is to read must have been written, and a __threadfence_system() passed, before.
__device__ inline void ring(const MailboxView& mail, int count) {
  write_word(mail.handed, *mail.turns + 1, static_cast<std::uint64_t>(mail.task) << 32 | static_cast<unsigned>(count));
}
/// Scalar k of the answer, by any thread, as soon as it is there.
template <class A>
__device__ inline A wait_for_number(const MailboxView& mail, int k) {
  const std::uint32_t turn = *mail.turns + 1;
  const auto get = [&](int place) {
    const double real = __longlong_as_double(static_cast<long long>(wait_for_word(mail.answered + 1 + place, turn)));
    return static_cast<RealOf<A>>(real);
  };
  if constexpr (is_complex<A>)
    return {get(2 * k), get(2 * k + 1)};
  else
    return get(k);
}
/// By one thread: until all is done that was asked for, so that others can read it elsewhere.
__device__ inline void wait_for_answer(const MailboxView& mail) {
  wait_for_word(mail.answered, *mail.turns + 1);
  __threadfence_system();
}
/// By one thread, once per ring, when all threads have what they wait for.
__device__ inline void end_turn(const MailboxView& mail) { ++*mail.turns; }

}  // namespace millrace::cuda
