// The one file that knows OpenMP.
#include "millrace/base/parallel.hpp"

#include <atomic>
#include <exception>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "millrace/base/error.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/thread_limit.hpp"

namespace millrace {
namespace {

// For regions that this thread opens.
void set_threads([[maybe_unused]] int num_threads) {
#ifdef _OPENMP
  omp_set_num_threads(num_threads);
#endif
}

}  // namespace

int default_num_threads() {
#ifdef _OPENMP
  return std::max(1, omp_get_max_threads());
#else
  return 1;
#endif
}

ThreadLimit::ThreadLimit(int num_threads) : before_(default_num_threads()) {
  require(num_threads >= 1, "thread_limit: ", num_threads, " threads; 1 or more are accepted");
  set_threads(num_threads);
}
ThreadLimit::ThreadLimit(const Queue& queue)
    : ThreadLimit(queue.device().on_host() ? queue.num_threads() : default_num_threads()) {}
ThreadLimit::~ThreadLimit() { set_threads(before_); }

namespace detail {

void run_threads(int num_threads, void (*body)(void*, int, int), void* context) {
  if (num_threads <= 1) return body(context, 0, 1);
#ifdef _OPENMP
  std::exception_ptr error;
  std::atomic_flag taken = ATOMIC_FLAG_INIT;
  // Every part must run even when the runtime grants fewer threads, hence the loop.
#pragma omp parallel for schedule(static, 1) num_threads(num_threads)
  for (int thread = 0; thread < num_threads; ++thread) {
    try {
      body(context, thread, num_threads);
    } catch (...) {
      if (!taken.test_and_set()) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
#else
  for (int thread = 0; thread < num_threads; ++thread) body(context, thread, num_threads);
#endif
}

}  // namespace detail
}  // namespace millrace
