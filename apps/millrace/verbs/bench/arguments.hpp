// What `millrace bench` is told.
#pragma once

#include "command.hpp"
#include "millrace/bench/state.hpp"
#include "terminal/terminal.hpp"
#include "verbs/ranks.hpp"

namespace millrace::command {

struct BenchArguments {
  std::vector<std::string> matrices;
  std::string formats = "all", precisions, device = "cpu", num_vectors = "1", json;
  int num_threads = 0;
  std::int64_t max_memory = 0;
  StateChoice states;
  bool no_peers = false, gather = false;
  double min_time = 0.5;
  RankArguments ranks{};
  Drawing drawing = Drawing::automatic;
};

/// A number of right-hand sides.
int parse_num_vectors(const std::string& text);

/// On many ranks: every format in its fastest mode, or in the one that is asked for; checked, and timed in turns by the
/// slowest rank. Returns an ExitCode.
int bench_on_ranks(const BenchArguments& arguments);

}  // namespace millrace::command
