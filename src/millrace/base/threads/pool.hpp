// The thread pool of this process: workers are created when first needed, at most one fewer than there are cores, and
// kept. A region assigns one part to each worker; when the caller is done with its own part it reclaims those that have
// not begun, so a worker that sleeps or is preempted before it begins delays nobody.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "millrace/base/threads/waiting.hpp"

namespace millrace::detail {

class ThreadPool {
 public:
  using Body = void (*)(void* context, int part, int num_parts);

  /// The pool that this thread may use now; null inside a region. A child that was forked gets a pool of its own.
  static ThreadPool* of_this_process();
  /// Threads that this process's pool has made so far.
  static int num_workers();

  /// Runs all parts and returns when they have ended; throws what the first of them threw. False, and nothing has run:
  /// too many callers at once.
  bool run(int num_parts, Body body, void* context);

 private:
  struct Worker;
  struct Member;
  struct Region;

  explicit ThreadPool(ThreadPool* before);
  Region* take_region();
  void assign_parts(Region& region);
  Worker* add_worker(std::uint32_t state);
  void reclaim_parts(Region& region);
  void wait_for(Region& region);
  void work(Worker& me);
  void bind(int worker) const;

  static constexpr int max_regions = 64;  // callers at once
  std::atomic<int> max_workers_;          // fewer than cores where the system gives no more threads
  std::unique_ptr<Region[]> regions_;
  std::vector<std::unique_ptr<Worker>> workers_;  // [max_workers], the first num_workers_ are there
  std::atomic<int> num_workers_ = 0;
  std::mutex growing_;
  const std::vector<std::vector<int>> places_;  // of OpenMP, where it binds threads: part k runs on place k
  [[maybe_unused]] ThreadPool* const before_;   // of the process that forked this one, which it shares no threads with
};

}  // namespace millrace::detail
