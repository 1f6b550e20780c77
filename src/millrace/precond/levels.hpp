// The order in which the rows of a factorisation can be worked on together: a row waits for the rows before it that it
// shares an entry with (either way), and rows of one level wait for no other row of it (Anderson, Saad 1989).
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/scalar.hpp"
#include "millrace/sparse/format/bsr.hpp"

namespace millrace {

/// Rows begin..end of the new order, for one thread. Tasks of a stage run at the same time; a stage waits for the one
/// before. Levels with little work are put together into one task, whose rows are worked on in their order.
struct LevelTask {
  Index begin, end;
  std::int64_t stage_begin, stage_end;  // tasks of its stage
};

struct Levels {
  std::vector<Index> order;      // [num_rows], row of the matrix at every place of the new order, level by level
  std::vector<Index> level_ptr;  // [num_levels + 1], places before every level
  std::vector<LevelTask> tasks;
  bool worth_threads = false;  // is at least half of the work in levels wide enough for several threads?

  /// Threads wait for each other at every stage, so a core that another process takes stops all of them: always brief.
  Team team(int num_threads) const { return worth_threads ? Team(num_threads, true) : Team(1); }
  Index num_levels() const { return static_cast<Index>(level_ptr.size()) - 1; }
};

/// Of a square pattern. `entry_work`: arithmetic of one stored block.
Levels find_levels(const BlockPattern& pattern, Offset entry_work);

/// Runs f(begin, end) over all tasks, in the order of the levels or against it. The result does not depend on the
/// threads where a row's does not depend on the order inside its level. Tasks are handed out in order, so the first
/// unfinished one is always at work: no deadlock, however few threads there are.
template <class F>
void run_levels(Team threads, const std::vector<LevelTask>& tasks, bool forward, F&& f) {
  const auto num_tasks = std::ssize(tasks);
  const auto task_at = [&](std::int64_t k) -> const LevelTask& {
    return tasks[static_cast<std::size_t>(forward ? k : num_tasks - 1 - k)];
  };
  if (threads <= 1) {
    for (std::int64_t k = 0; k < num_tasks; ++k) f(task_at(k).begin, task_at(k).end);
    return;
  }
  alignas(64) std::atomic<std::int64_t> next = 0;
  alignas(64) std::atomic<std::int64_t> done = 0;
  alignas(64) std::atomic<bool> failed = false;
  parallel(threads, [&](int, int) {
    for (std::int64_t k = next++; k < num_tasks; k = next++) {
      const LevelTask& task = task_at(k);
      const std::int64_t before = forward ? task.stage_begin : num_tasks - task.stage_end;
      for (int looks = 0; done.load(std::memory_order_acquire) < before; ++looks) {
        if (failed) return;
        if (looks > 1000) std::this_thread::yield();
      }
      try {
        f(task.begin, task.end);
      } catch (...) {
        failed = true;
        throw;
      }
      done.fetch_add(1, std::memory_order_release);
    }
  });
}

}  // namespace millrace
