// A benchmark on a GPU: every state gives times, and work that cannot be captured into a graph does no harm.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "bench_run.hpp"
#include "contender.hpp"
#include "millrace/sparse/gallery/gallery.hpp"
#include "record.hpp"

namespace millrace::command {

TEST(GpuBench, EveryStateGivesTimes) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here";
  Queue queue(Device::gpu());
  const std::string spec = "hdg:m=8,faces=60";
  const Csr<double> a = gallery::make(spec);
  BenchOptions options;
  options.states = {State::cold, State::hot, State::graph};
  options.min_time = 0.001;
  const BenchResult result = run_bench(a, matrix_facts(spec, AnyCsr(a.clone())), 1, queue, options);
  std::map<State, int> num_own;
  for (const Point& point : result.points) {
    EXPECT_TRUE(point.check.ok()) << point.contender.name;
    ASSERT_TRUE(point.timed()) << point.contender.name;
    for (const double seconds : point.samples.seconds) {
      EXPECT_GT(seconds, 0) << point.contender.name;
      EXPECT_LT(seconds, 1) << point.contender.name;
    }
    num_own[point.state] += point.contender.own;
  }
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
