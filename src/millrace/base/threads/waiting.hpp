// How a thread of the pool waits: it spins for a while, then sleeps on a futex. A spinning thread notices when it was
// preempted; while other processes compete for the cores, all threads of the pool spin for a much shorter time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "millrace/base/parallel.hpp"

namespace millrace::detail {

/// Four bytes on which the kernel lets threads sleep.
using FutexWord = std::atomic<std::uint32_t>;
/// Sleeps until woken, unless the word has another value already; spurious wake-ups happen.
void sleep_on(FutexWord& word, std::uint32_t value);
void wake_all(FutexWord& word);

/// Tells the core that this thread spins.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Times in ns. Without competition a thread spins as long as those of OpenMP do, else as long as a futex call takes. A
/// gap of `preempted` between two looks at the clock means that the thread was preempted.
struct SpinTimes {
  std::int64_t alone = 2'000'000, contended = 10'000, preempted = 1'000'000;
};
inline constexpr SpinTimes spin_times;

std::int64_t now_ns();
/// Sets what cores_are_wanted() says for the next 2 ms, and up to 0.1 s while competition goes on: yes if the system
/// counts as many other running tasks as half of its cores, or more. Called when the first threads are made, when a
/// spinning thread was preempted, and when that time is over.
void check_other_tasks();
/// Threads of the pool that do not sleep; they are among the running tasks that the system counts.
extern std::atomic<int> num_awake;

/// Of the text of /proc/loadavg, "0.20 0.18 0.12 1/80 11206": tasks that run or are ready to run; -1 of another text.
int running_tasks(const char* loadavg);

/// Spins until done() or until the time for it is over; returns done().
template <class Done>
bool spin_until(Done&& done) {
  constexpr int tries = 8;  // some 0.3 us, per look at the clock
  const std::int64_t begin = now_ns(), end = begin + (cores_are_wanted() ? spin_times.contended : spin_times.alone);
  for (std::int64_t last = begin; last < end;) {
    for (int i = 0; i < tries; ++i) {
      if (done()) return true;
      pause_core();
    }
    const std::int64_t now = now_ns();
    if (now - last > spin_times.preempted) {
      check_other_tasks();
      break;
    }
    last = now;
  }
  return done();
}

}  // namespace millrace::detail
