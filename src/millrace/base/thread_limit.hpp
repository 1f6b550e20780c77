// A limit on host threads for all that the caller's thread does while the limit lives: also for set-up work that is
// given no queue, and for memory that is touched first.
#pragma once

namespace millrace {

class Queue;

/// default_num_threads() is num_threads as long as this lives, for the thread that made it. Limits nest.
class ThreadLimit {
 public:
  explicit ThreadLimit(int num_threads);
  /// As many as the queue has; a queue of a GPU limits nothing.
  explicit ThreadLimit(const Queue& queue);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

}  // namespace millrace
