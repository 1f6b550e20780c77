// A point of a benchmark: one contender on one matrix, in one precision and state, checked and timed.
#pragma once

#include <string>
#include <vector>

#include "millrace/base/timer.hpp"
#include "millrace/bench/contender.hpp"
#include "millrace/bench/reference.hpp"
#include "millrace/bench/state.hpp"
#include "millrace/tune/bandwidth.hpp"

namespace millrace::bench {

struct MatrixFacts {
  std::string name{};  // of the file without its folder, or the gallery spec
  bool from_file = false;
  Index rows = 0, cols = 0;
  Offset entries = 0;
  std::string hash{};
};

/// One contender in one state.
struct Point {
  MatrixFacts matrix{};
  std::string precision{};
  int num_vectors = 1;
  std::string device{};
  int num_threads = 0;  // of the host; 0 on a GPU
  State state = State::hot;
  ContenderFacts contender{};
  CheckResult check{};
  double setup_seconds = 0;
  double traffic_bytes = 0;  // of one product by the traffic model
  double minimum_bytes = 0;  // format-free: the values, x and y once
  double flops = 0;
  Samples samples{};           // empty when the check failed
  double share_of_gather = 0;  // time of the gather ceiling over this one; 0: not measured

  bool timed() const { return !samples.seconds.empty(); }
  double median() const { return samples.median(); }
  double flop_rate() const { return flops / median(); }
  double byte_rate() const { return traffic_bytes / median(); }
  double share_of_read(const Bandwidth& limit) const { return byte_rate() / limit.read; }
  double share_of_minimum(const Bandwidth& limit) const { return minimum_bytes / median() / limit.read; }
};

}  // namespace millrace::bench
