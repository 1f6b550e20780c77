// How fast this machine's memory is: the ceiling that every product is measured against.
#pragma once

#include <cstdint>

#include "millrace/base/queue.hpp"

namespace millrace {

/// Medians of several runs. Bytes are those a program asks for: what a cache reads before it writes is not counted.
struct Bandwidth {
  double read = 0;            // bytes/s of a sum over memory
  double copy = 0;            // bytes/s read and written by b = a
  double triad = 0;           // bytes/s read and written by a = b + s c
  double launch_seconds = 0;  // an empty kernel launched alone, or an empty parallel region of the queue's threads
};

/// Measures the device of the queue, with its threads. `bytes` is the memory taken, all of which each of the three
/// runs through; 0 takes 768 MiB on the host and 4 GiB on a GPU, more if its cache is large, and never more than a
/// quarter of the memory installed. The results of the runs are checked.
Bandwidth measure_bandwidth(Queue& queue, std::int64_t bytes = 0);

}  // namespace millrace
