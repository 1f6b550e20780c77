// The work of a benchmark: every state gives times beside a ceiling, and what cannot be captured does no harm.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "command.hpp"
#include "millrace/bench/contender.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/sparse/gallery.hpp"
#include "verbs/bench/run.hpp"

namespace millrace::command {

// Checks what all points promise, and counts those of ours in every state.
std::map<State, int> expect_right_points(Queue& queue, const std::vector<State>& states) {
  const std::string spec = "hdg:m=8,faces=60";  // more than one tile of the gather
  const Csr<double> a = gallery::make(spec);
  BenchOptions options;
  options.states = states;
  options.with_gather = true;
  options.min_time = 0;
  const BenchResult result = run_bench(a, matrix_facts(spec, AnyCsr(a.clone())), 1, queue, options);
  std::map<State, int> num_own, num_ceilings;
  for (const Point& point : result.points) {
    const std::string& name = point.contender.name;
    EXPECT_TRUE(point.check.ok()) << name;
    EXPECT_TRUE(point.timed()) << name;
    for (const double seconds : point.samples.seconds) {
      EXPECT_GT(seconds, 0) << name;
      EXPECT_LT(seconds, 1) << name;
    }
    num_own[point.state] += point.contender.own;
    num_ceilings[point.state] += point.contender.ceiling;
    EXPECT_EQ(point.share_of_gather > 0, !point.contender.ceiling) << name;
    EXPECT_TRUE(std::isfinite(point.share_of_gather)) << name;
  }
  for (const State state : states) EXPECT_EQ(num_ceilings[state], 1);
  return num_own;
}

TEST(BenchRun, TheGatherIsCheckedAndComparedWith) {
  Queue queue(Device::host(), 2);
  std::map<State, int> num_own = expect_right_points(queue, {State::hot});
  EXPECT_GT(num_own[State::hot], 0);
}

TEST(GpuBenchRun, EveryStateGivesTimes) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here";
  Queue queue(Device::gpu());
  std::map<State, int> num_own = expect_right_points(queue, {State::cold, State::hot, State::graph});
  EXPECT_GT(num_own[State::graph], 0);
  EXPECT_EQ(num_own[State::graph], num_own[State::hot]);  // all of ours can be captured
  EXPECT_EQ(num_own[State::cold], num_own[State::hot]);
}

TEST(GpuGraphWork, IsReplayedAndMayFail) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here";
  Queue queue(Device::gpu());
  const Device gpu = queue.device();
  const Array<double> x = Array<double>(400, 1.0).to(gpu), zeros(400, 0.0);
  Array<double> y(gpu, 400);
  const SparseMatrix<double> a = SparseMatrix<double>(gallery::make("poisson2d5:n=20"), "csr").to(gpu);
  int runs = 0;
  const auto work = [&] {
    ++runs;
    a.apply(queue, {.x = x, .y = y});
  };
  const Graph graph(queue, work, 5);
  EXPECT_EQ(runs, 6);  // once before the capture
  const std::vector<double> expected = y.to_vector();
  y.assign(zeros.device_span());
  graph.replay();
  queue.wait();
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(y.to_vector(), expected);

  const auto waits = [&] {
    work();
    queue.wait();  // not allowed while a graph is captured
  };
  EXPECT_THROW(Graph(queue, waits), Error);
  y.assign(zeros.device_span());
  work();  // the queue is as good as before
  queue.wait();
  EXPECT_EQ(y.to_vector(), expected);
}

}  // namespace millrace::command
