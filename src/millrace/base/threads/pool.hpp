// The threads of this process: made when first needed, one fewer than it has cores, and kept. Each region hands its
// parts out, one to each thread, and its caller takes back what has not begun when its own part is done: a thread that
// sleeps, or whose core another process has, delays nobody.
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
  void hand_out(Region& region);
  Worker* add_worker(std::uint32_t state);
  void take_back(Region& region);
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
