// The work of `millrace bench` on one matrix: build each contender, check it, time them in turns.
#pragma once

#include "command.hpp"
#include "millrace/bench/point.hpp"

namespace millrace::command {

struct BenchOptions {
  std::vector<std::string> formats{"all"};
  bool with_peers = true;
  bool with_gather = false;               // the gather ceiling too
  std::vector<State> states{State::hot};  // to time in
  double min_time = 0.5;                  // seconds of samples a contender and state
};

struct BenchResult {
  std::vector<Point> points;
  std::vector<std::string> skipped;  // "contender: why it could not run"; "contender (graph): why not so"
};

/// "name: why", without the word that `why` begins with when the name says it already ("dbf: ...").
std::string skipped_text(const std::string& name, std::string_view why);

/// Contenders that fit into memory together are timed in turns; then their memory is freed for the next ones.
/// A contender whose result is wrong gets a point without samples.
template <class T>
BenchResult run_bench(const Csr<T>& a, const MatrixFacts& matrix, int num_vectors, Queue& queue,
                      const BenchOptions& options);

}  // namespace millrace::command
