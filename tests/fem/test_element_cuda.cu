// Element operators where CUDA itself is needed: captured in a graph (no allocation, no waiting, the same bits when
// replayed).
#include <cuda_runtime.h>

#include "cache_folder.hpp"
#include "fem/fem_gpu_tools.hpp"
#include "fem/physics/source_texts.hpp"
#include "millrace/fem/source_physics.hpp"

namespace millrace::testing {
namespace {

void expect_capturable(const ElementOperator<double>& a, const char* what) {
  Queue queue(Device::gpu());
  const Array<double> x = on_gpu(random_vector<double>(a.shape().cols, 6));
  Array<double> y(Device::gpu(), a.shape().rows), dots(Device::gpu(), 1);
  const auto work = [&] { a.apply(queue, {.x = x, .y = y, .dot = DotWith::x, .dot_result = dots.data()}); };
  work();  // grows the queue's scratch memory
  queue.wait();
  const std::vector<double> expected = y.to_vector(), expected_dot = dots.to_vector();
  y.assign(std::span<const double>(std::vector<double>(expected.size(), -1.0)));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
  work();
  ASSERT_EQ(cudaStreamEndCapture(queue.stream(), &graph), cudaSuccess) << what;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess) << what;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(exec, queue.stream()), cudaSuccess) << what;
  queue.wait();
  EXPECT_TRUE(same_bits<double>(y.to_vector(), expected)) << what;
  EXPECT_TRUE(same_bits<double>(dots.to_vector(), expected_dot)) << what;
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

using GpuElementGraph = OnGpu;
TEST_F(GpuElementGraph, ApplicationsAreCapturable) {
  const CacheFolder folder;
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  const Space space = make_space(mesh, 3), vectors = make_space(mesh, 3, 3);
  const auto fused = make_element_operator<double>(mesh, space, fem::Diffusion<3>{});
  const auto unfused = make_element_operator<double>(mesh, vectors, fem::Elasticity<3>{});
  expect_capturable(fused.to(Device::gpu()), "fused");
  expect_capturable(unfused.to(Device::gpu()), "unfused");
  expect_capturable(make_element_operator<double>(Device::gpu(), mesh, space, diffusion_source), "source text");
}

}  // namespace
}  // namespace millrace::testing
