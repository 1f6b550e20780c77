// Host threads: regions whose parts run at the same time on the threads of one pool (threads/pool.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace millrace {

/// Threads that a queue takes when none are asked for: those of a ThreadLimit of the calling thread, else
/// OMP_NUM_THREADS, else one per core that this process may use.
int default_num_threads();

/// What an item of a loop, or all of it, costs on one thread: bytes moved, floating-point operations.
struct Work {
  std::int64_t bytes = 0, flops = 0;
};

/// The threads of a region. A brief one runs on its caller alone while other processes want the cores, for then it
/// would wait for them longer than it lasts; it has the same parts all the same, and so the same bits.
struct Team {
  int size = 1;
  bool brief = false;

  constexpr Team(int num_threads, bool brief = false) : size(num_threads), brief(brief) {}
  constexpr operator int() const { return size; }
};

/// As many threads, of num_threads, as so much work pays for.
Team threads_for(int num_threads, std::int64_t num_items, Work each);

namespace detail {
/// Do other processes want the cores of this one? Known from threads that were taken off theirs (threads/waiting.hpp).
bool cores_are_wanted();
void run_threads(Team team, void (*body)(void* context, int part, int num_parts), void* context);
}  // namespace detail

/// Runs f(part, num_parts) once for each part of a region, as many as the team has threads, at the same time where
/// there are cores for that: part k on the same thread in every region, part 0 on the caller. Inside a region, parts of
/// another one run one after another. The first exception thrown by a part is thrown here, when all parts have ended.
template <class F>
void parallel(Team team, F&& f) {
  detail::run_threads(
      team,
      [](void* context, int part, int count) { (*static_cast<std::remove_reference_t<F>*>(context))(part, count); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

/// The part [begin, end) of 0..n that a thread takes when all take equal parts.
inline std::pair<std::int64_t, std::int64_t> even_part(std::int64_t n, int thread, int num_threads) {
  const std::int64_t base = n / num_threads, extra = n % num_threads;
  const std::int64_t begin = thread * base + std::min<std::int64_t>(thread, extra);
  return {begin, begin + base + (thread < extra ? 1 : 0)};
}

/// Runs f(begin, end) over equal parts of 0..n; over all of it at once where that is too little for threads.
template <class F>
void parallel_for(int num_threads, std::int64_t n, Work each, F&& f) {
  const Team team = threads_for(num_threads, n, each);
  if (team == 1) return f(std::int64_t{0}, n);
  parallel(team, [&](int thread, int count) {
    const auto [begin, end] = even_part(n, thread, count);
    if (begin < end) f(begin, end);
  });
}

/// The same for items that read and write an entry or two.
template <class F>
void parallel_for(int num_threads, std::int64_t n, F&& f) {
  parallel_for(num_threads, n, Work{.bytes = 32}, std::forward<F>(f));
}

}  // namespace millrace
