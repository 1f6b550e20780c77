// Work on a file in chunks: threads take the next one when they are free, and one of them reports.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

#include "millrace/base/parallel.hpp"

namespace millrace {

/// A part of somebody's progress bar; calls of it come from one thread.
struct IoProgress {
  const std::function<void(double)>& report;
  double from = 0, to = 1;

  void operator()(double fraction) const {
    if (report) report(from + (to - from) * fraction);
  }
  IoProgress part(double begin, double end) const {
    return {report, from + (to - from) * begin, from + (to - from) * end};
  }
};

/// Runs f(k) for k in 0..n, each once, taken in ascending order.
template <class F>
void for_each_chunk(int num_threads, std::int64_t n, const IoProgress& progress, F&& f) {
  std::atomic<std::int64_t> next = 0;
  const auto threads = static_cast<int>(std::clamp<std::int64_t>(n, 1, num_threads));
  parallel(threads, [&](int thread, int) {
    for (std::int64_t k = next++; k < n; k = next++) {
      f(k);
      if (thread == 0) progress(static_cast<double>(k + 1) / static_cast<double>(n));
    }
  });
  progress(1);
}

inline int threads_or_default(int num_threads) { return num_threads > 0 ? num_threads : default_num_threads(); }

}  // namespace millrace
