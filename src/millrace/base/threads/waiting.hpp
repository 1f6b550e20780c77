// How a thread of the pool waits: looking again and again for a while, then asleep. A thread that looks sees when it
// was taken off its core, and then all of them go to sleep sooner.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "millrace/base/parallel.hpp"

namespace millrace::detail {

/// Four bytes on which the kernel lets threads sleep.
using FutexWord = std::atomic<std::uint32_t>;
/// Sleeps while the word has that value, until somebody wakes; may return without either.
void sleep_on(FutexWord& word, std::uint32_t value);
void wake_all(FutexWord& word);

/// Tells the core that this thread only looks.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Times of looking, in ns: as long as the threads of OpenMP look while nobody else wants the core, and for as long as
/// a futex takes while somebody does.
struct LookingTimes {
  std::int64_t alone = 2'000'000, beside_others = 10'000, lost = 1'000'000;
};
inline constexpr LookingTimes looking;

std::int64_t now_ns();
/// cores_are_wanted() for the next 2 ms, and up to 0.1 s when that goes on, if the system counts many other tasks that
/// want to run: half as many as there are cores, or more. Asked when the first threads are made, when one that looked
/// was off its core, and at the end of that time again.
void look_at_others();
/// Threads of the pool that do not sleep, which are among the tasks that the system counts.
extern std::atomic<int> num_awake;

/// Of the text of /proc/loadavg, "0.20 0.18 0.12 1/80 11206": the tasks that run or want to; -1 of another text.
int tasks_that_run(const char* loadavg);

/// Looks until done() or until the time of looking is over; says which.
template <class Done>
bool look_until(Done&& done) {
  constexpr int looks = 8;  // some 0.3 us, for one look at the clock
  const std::int64_t begin = now_ns(), end = begin + (cores_are_wanted() ? looking.beside_others : looking.alone);
  for (std::int64_t last = begin; last < end;) {
    for (int i = 0; i < looks; ++i) {
      if (done()) return true;
      pause_core();
    }
    const std::int64_t now = now_ns();
    if (now - last > looking.lost) {
      look_at_others();
      break;
    }
    last = now;
  }
  return done();
}

}  // namespace millrace::detail
