// The thread waits for work, and naps between two looks at it.
#include "millrace/base/courier.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/base/patience.hpp"

namespace millrace {

struct Courier::State {
  std::mutex mutex{};
  std::condition_variable work{}, done{};
  std::function<bool()> step{};
  std::exception_ptr error{};
  bool end = false;
  std::thread thread{};

  void run() {
    prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);  // naps end within 1 us of their time, not 50
    std::unique_lock lock(mutex);
    for (;;) {
      work.wait(lock, [&] { return end || step; });
      if (end) return;
      const std::function<bool()> mine = step;
      lock.unlock();
      std::exception_ptr caught;
      try {
        for (double rest = 5e-6; !mine(); rest = std::min(2e-4, 1.5 * rest)) nap(rest);
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      error = caught;
      step = nullptr;
      done.notify_all();
    }
  }
};

Courier::Courier() : state_(std::make_unique<State>()) {}

Courier::~Courier() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->end = true;
  }
  state_->work.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

void Courier::begin(std::function<bool()> step) {
  {
    const std::lock_guard lock(state_->mutex);
    require(!state_->step, "courier: one task at a time is accepted, and the last is not done");
    state_->step = std::move(step);
    if (!state_->thread.joinable()) state_->thread = std::thread([this] { state_->run(); });
  }
  state_->work.notify_all();
}

void Courier::wait() {
  std::unique_lock lock(state_->mutex);
  state_->done.wait(lock, [&] { return !state_->step; });
  if (std::exception_ptr error = std::exchange(state_->error, nullptr)) std::rethrow_exception(error);
}

}  // namespace millrace
