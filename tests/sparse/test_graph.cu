// A product captured in a CUDA graph: no allocation, no waiting, the same bits when it is replayed.
#include <cuda_runtime.h>

#include "support.hpp"

namespace millrace::testing {
namespace {

TEST(GpuGraph, ProductsAreCapturable) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Device gpu = Device::gpu();
  const Csr<double> a = banded_csr<double>(3000, 3000, 9, 5);  // no format refuses it
  const Array<double> x = Array<double>(std::span<const double>(random_vector<double>(3000, 6))).to(gpu);
  Queue queue(gpu);
  for (const std::string& spec : format_specs()) {
    if (!can_live_on(spec, gpu)) continue;
    SparseMatrix<double> m(a, spec);
    m.prepare_transpose();
    m = m.to(gpu);
    Array<double> y(gpu, 3000), z(gpu, 3000), dots(gpu, 1);
    const auto work = [&] {
      m.apply(queue, {.x = x, .y = y, .dot = DotWith::x, .dot_result = dots.data()});
      m.apply(queue, {.x = y, .y = z, .op = Op::transpose});
    };
    work();  // grows the queue's scratch memory
    queue.wait();
    const std::vector<double> expected = z.to_vector(), expected_dot = dots.to_vector();
    z.assign(std::span<const double>(std::vector<double>(3000, -1.0)));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
    work();
    ASSERT_EQ(cudaStreamEndCapture(queue.stream(), &graph), cudaSuccess) << spec;
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess) << spec;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(exec, queue.stream()), cudaSuccess) << spec;
    queue.wait();
    EXPECT_TRUE(same_bits<double>(z.to_vector(), expected)) << spec;
    EXPECT_TRUE(same_bits<double>(dots.to_vector(), expected_dot)) << spec;
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
}

// Scratch memory is never taken from the driver during a capture: the error says what to do.
TEST(GpuGraph, GrowingDuringCaptureIsRefused) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  Queue queue(Device::gpu());
  ASSERT_EQ(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
  const std::string text = error_of([&] { queue.scratch<double>(1000); });
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(queue.stream(), &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  EXPECT_NE(text.find("run the same call once before the capture"), std::string::npos) << text;
}

// Nor is the plan of transposed products made during one.
TEST(GpuGraph, PlanOfATransposeDuringCaptureIsRefused) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Device gpu = Device::gpu();
  const SparseMatrix<double> m = SparseMatrix<double>(random_csr<double>(100, 100, 4, 1), "csr").to(gpu);
  const Array<double> x = Array<double>(100, 1.0).to(gpu);
  Array<double> y(gpu, 100);
  Queue queue(gpu);
  ASSERT_EQ(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
  const std::string text = error_of([&] { m.apply(queue, {.x = x, .y = y, .op = Op::transpose}); });
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(queue.stream(), &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  EXPECT_NE(text.find("call prepare_transpose(queue) before the capture"), std::string::npos) << text;
}

TEST(GpuGraph, BorrowedStream) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  {
    Queue queue = Queue::borrow(Device::gpu(), stream);
    const Csr<float> a = random_csr<float>(100, 100, 4, 1);
    const std::vector<float> x = random_vector<float>(100, 2), nothing(100);
    const SparseMatrix<float> m = SparseMatrix<float>(a, "sell").to(Device::gpu());
    const Array<float> x_there = Array<float>(std::span<const float>(x)).to(Device::gpu());
    Array<float> y(Device::gpu(), 100);
    m.apply(queue, {.x = x_there, .y = y});
    queue.wait();
    expect_within<float>(reference<float>(a, Op::none, 1.0f, x, 0.0f, nothing), y.to_vector(), "borrowed stream");
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace millrace::testing
