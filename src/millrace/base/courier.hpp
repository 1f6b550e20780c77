// Courier: a thread that looks after what others wait for, as messages of MPI that move only while somebody asks.
#pragma once

#include <functional>
#include <memory>

namespace millrace {

/// One thread, which begins with the first task and ends with the object. It sleeps between two looks, ever longer up
/// to 0.2 ms, so that it does not take a core from those who compute.
class Courier {
 public:
  Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier();

  /// Calls `step` on the courier's thread until it says true, or throws. One task at a time.
  void begin(std::function<bool()> step);
  /// Until the task is done; throws what it threw.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace millrace
