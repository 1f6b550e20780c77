// Futexes of Linux, and the count of running tasks in /proc/loadavg.
#include "millrace/base/threads/waiting.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>

namespace millrace::detail {
namespace {

constexpr std::int64_t shortest = 2'000'000, longest = 100'000'000;  // ns between two checks of the other tasks
std::atomic<std::int64_t> wanted_until = 0;                          // 0: they are not
std::atomic<std::int64_t> wanted_for = 0;

// Tasks of other processes that run or are ready to; -1 where the system does not say.
int other_running_tasks() {
  char text[128] = {};
  const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const auto size = read(file, text, sizeof text - 1);
  close(file);
  const int all = size > 0 ? running_tasks(text) : -1;
  return all < 0 ? -1 : std::max(0, all - 1 - num_awake.load(std::memory_order_relaxed));
}

}  // namespace

std::atomic<int> num_awake = 0;

int running_tasks(const char* loadavg) {
  int tasks = 0;
  return std::sscanf(loadavg, "%*s %*s %*s %d/", &tasks) == 1 ? tasks : -1;
}

void sleep_on(FutexWord& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_all(FutexWord& word) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0); }

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool cores_are_wanted() {
  const std::int64_t until = wanted_until.load(std::memory_order_relaxed);
  if (until == 0) return false;
  if (now_ns() >= until) check_other_tasks();
  return wanted_until.load(std::memory_order_relaxed) != 0;
}

void check_other_tasks() {
  static const int cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  // The process that started this one runs for a moment, too, so the first checks follow each other quickly.
  const bool wanted = other_running_tasks() >= std::max(1, cores / 2);
  const std::int64_t time = wanted ? std::clamp(2 * wanted_for.load(std::memory_order_relaxed), shortest, longest) : 0;
  wanted_for.store(time, std::memory_order_relaxed);
  wanted_until.store(wanted ? now_ns() + time : 0, std::memory_order_relaxed);
}

}  // namespace millrace::detail
