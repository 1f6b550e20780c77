// Levels in one pass over the rows, the order of the levels by counting, and the tasks by their work.
#include "millrace/precond/levels.hpp"

#include <algorithm>
#include <numeric>

namespace millrace {
namespace {

constexpr Offset task_work = 4096;  // a few microseconds of a core, several times what waiting for a stage costs
constexpr Offset max_tasks = 64;    // of a level

std::vector<Index> level_of_rows(const BlockPattern& pattern) {
  const Index n = pattern.num_block_rows();
  std::vector<Index> level(static_cast<std::size_t>(n), 0);
  for (Index r = 0; r < n; ++r) {
    Index& mine = level[static_cast<std::size_t>(r)];
    const Offset begin = pattern.block_ptr.data()[r], end = pattern.block_ptr.data()[r + 1];
    const Index* cols = pattern.block_cols.data();
    for (Offset s = begin; s < end && cols[s] < r; ++s)
      mine = std::max(mine, level[static_cast<std::size_t>(cols[s])] + 1);
    for (Offset s = end - 1; s >= begin && cols[s] > r; --s) {  // they wait for this row too
      Index& other = level[static_cast<std::size_t>(cols[s])];
      other = std::max(other, mine + 1);
    }
  }
  return level;
}

void make_tasks(const BlockPattern& pattern, Offset entry_work, Levels& levels) {
  const Offset* ptr = pattern.block_ptr.data();
  const auto work_of = [&](Index place) {
    const Index r = levels.order[static_cast<std::size_t>(place)];
    return 4 + (ptr[r + 1] - ptr[r]) * entry_work;
  };
  Offset thin = 0, total = 0;
  Index open = 0;  // first row of thin levels that are not in a task yet
  const auto close = [&](Index end) {
    const auto here = std::ssize(levels.tasks);
    if (open < end) levels.tasks.push_back({open, end, here, here + 1});
    open = end;
  };
  for (Index l = 0; l < levels.num_levels(); ++l) {
    const Index begin = levels.level_ptr[static_cast<std::size_t>(l)],
                end = levels.level_ptr[static_cast<std::size_t>(l) + 1];
    Offset work = 0;
    for (Index i = begin; i < end; ++i) work += work_of(i);
    total += work;
    if (work < 2 * task_work) {
      thin += work;
      continue;
    }
    close(begin);
    const auto first = std::ssize(levels.tasks);
    const Offset enough = std::max(task_work, work / max_tasks);
    Offset sum = 0;
    for (Index i = begin; i < end; ++i) {
      sum += work_of(i);
      if (sum < enough && i + 1 < end) continue;
      levels.tasks.push_back({open, i + 1, first, 0});
      open = i + 1;
      sum = 0;
    }
    for (auto t = first; t < std::ssize(levels.tasks); ++t)
      levels.tasks[static_cast<std::size_t>(t)].stage_end = std::ssize(levels.tasks);
  }
  close(pattern.num_block_rows());
  levels.worth_threads = 2 * thin < total;
}

}  // namespace

Levels find_levels(const BlockPattern& pattern, Offset entry_work) {
  const std::vector<Index> level = level_of_rows(pattern);
  Levels levels;
  const Index count = level.empty() ? 0 : *std::max_element(level.begin(), level.end()) + 1;
  levels.level_ptr.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const Index l : level) ++levels.level_ptr[static_cast<std::size_t>(l) + 1];
  std::partial_sum(levels.level_ptr.begin(), levels.level_ptr.end(), levels.level_ptr.begin());
  std::vector<Index> next(levels.level_ptr.begin(), levels.level_ptr.end() - 1);
  levels.order.resize(level.size());
  for (std::size_t r = 0; r < level.size(); ++r)
    levels.order[static_cast<std::size_t>(next[static_cast<std::size_t>(level[r])]++)] = static_cast<Index>(r);
  make_tasks(pattern, entry_work, levels);
  return levels;
}

}  // namespace millrace
