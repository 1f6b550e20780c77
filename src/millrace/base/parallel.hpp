// Host threads. OpenMP appears in parallel.cpp alone, so users of the headers need no compiler flag.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace millrace {

/// Threads that a queue takes when none are asked for: OMP_NUM_THREADS, or one per core.
int default_num_threads();

namespace detail {
void run_threads(int num_threads, void (*body)(void* context, int thread, int num_threads), void* context);
}

/// Runs f(thread, num_threads) once on each thread; the first exception thrown there is thrown here.
template <class F>
void parallel(int num_threads, F&& f) {
  detail::run_threads(
      num_threads,
      [](void* context, int thread, int count) { (*static_cast<std::remove_reference_t<F>*>(context))(thread, count); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

/// The part [begin, end) of 0..n that a thread takes when all take equal parts.
inline std::pair<std::int64_t, std::int64_t> even_part(std::int64_t n, int thread, int num_threads) {
  const std::int64_t base = n / num_threads, extra = n % num_threads;
  const std::int64_t begin = thread * base + std::min<std::int64_t>(thread, extra);
  return {begin, begin + base + (thread < extra ? 1 : 0)};
}

/// Runs f(begin, end) over equal parts of 0..n; on one thread when the work is small.
template <class F>
void parallel_for(int num_threads, std::int64_t n, F&& f) {
  constexpr std::int64_t work_per_thread = 4096;
  const int threads = static_cast<int>(std::clamp<std::int64_t>(n / work_per_thread, 1, num_threads));
  if (threads == 1) return f(std::int64_t{0}, n);
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(n, thread, count);
    f(begin, end);
  });
}

}  // namespace millrace
