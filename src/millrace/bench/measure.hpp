// Timing several contenders in turns, so that a drift of the machine hits all of them alike.
#pragma once

#include <functional>
#include <vector>

#include "millrace/base/timer.hpp"

namespace millrace::bench {

struct MeasureOptions {
  double min_time = 0.5;  // seconds of samples for each contender
  bool cold = false;      // caches emptied before each run; then at most 60 runs
};

/// One round after another over all works; entry i of the result are the samples of works[i].
std::vector<Samples> measure_in_turns(Queue& queue, const std::vector<std::function<void()>>& works,
                                      const MeasureOptions& options, const std::function<void(double)>& progress);

}  // namespace millrace::bench
