// How many threads there are when nobody says, and the way from a region to the pool.
#include "millrace/base/parallel.hpp"

#include <charconv>

#include "millrace/base/environment.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/threads/cores.hpp"
#include "millrace/base/threads/pool.hpp"

namespace millrace {
namespace {

thread_local int limit = 0;  // of this thread; 0: none

// Of a list, one number per level of nested regions, as OpenMP has it, the first counts.
int threads_of_process() {
  constexpr int most = 4096;
  const std::string text = environment("OMP_NUM_THREADS");
  if (text.find_first_not_of(' ') == std::string::npos) return available_cores();
  const char* const begin = text.data() + text.find_first_not_of(' ');
  const char* const end = text.data() + std::min(text.find_last_not_of(' ') + 1, text.find(','));
  int number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  require(error == std::errc{} && stop == end && number >= 1 && number <= most, "OMP_NUM_THREADS is '", text,
          "'; a number from 1 to ", most, " is accepted");
  return number;
}

}  // namespace

// By benchmark_threads: a region whose threads are awake takes 0.5 us on 2 cores and 3 on 16, and entries that another
// core wrote last come at a tenth of the speed of one's own, so a thread needs some 128 KB of work. As one with fewer
// threads has as many for little work, more threads are never slower. Where others want the cores a region pays only
// when it lasts longer than they keep one, some 3 ms.
Team threads_for(int num_threads, std::int64_t num_items, Work each) {
  constexpr std::int64_t share = std::int64_t{128} << 10, bytes_per_flop = 8;
  constexpr std::int64_t pays_on_busy_cores = 256 * share;
  const std::int64_t per_item = std::max<std::int64_t>(each.bytes + bytes_per_flop * each.flops, 1);
  const std::int64_t items = (share + per_item - 1) / per_item;  // of a thread
  const std::int64_t threads = std::min<std::int64_t>({(num_items + items / 2) / items, num_items, num_threads});
  if (threads <= 1) return 1;
  return {static_cast<int>(threads), num_items < pays_on_busy_cores / per_item};
}

int default_num_threads() {
  if (limit > 0) return limit;
  static const int all = threads_of_process();
  return all;
}

ThreadLimit::ThreadLimit(int num_threads) : before_(limit) {
  require(num_threads >= 1, "thread_limit: ", num_threads, " threads; 1 or more are accepted");
  limit = num_threads;
}
ThreadLimit::ThreadLimit(const Queue& queue) : before_(limit) {
  if (queue.device().on_host()) limit = queue.num_threads();
}
ThreadLimit::~ThreadLimit() { limit = before_; }

namespace detail {

void run_threads(Team team, void (*body)(void*, int, int), void* context) {
  if (team <= 1) return body(context, 0, 1);
  if (ThreadPool* const pool = team.brief && cores_are_wanted() ? nullptr : ThreadPool::of_this_process())
    if (pool->run(team, body, context)) return;
  for (int part = 0; part < team; ++part) body(context, part, team);
}

}  // namespace detail
}  // namespace millrace
