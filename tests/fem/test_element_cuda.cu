// Element operators where CUDA itself is needed: captured in a graph (no allocation, no waiting, the same bits when
// replayed), and with a physics of one's own that nvcc compiled.
#include <cuda_runtime.h>

#include "cache_folder.hpp"
#include "fem_gpu_tools.hpp"
#include "millrace/fem/source_physics.hpp"
#include "millrace/fem/user_physics_cuda.cuh"
#include "source_texts.hpp"

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
  const auto actions = make_element_operator<double>(mesh, vectors, fem::Elasticity<3>{});
  expect_capturable(fused.to(Device::gpu()), "fused");
  expect_capturable(actions.to(Device::gpu()), "action by action");
  expect_capturable(make_element_operator<double>(Device::gpu(), mesh, space, diffusion_source), "source text");
}

struct Reaction {  // of two unknowns, and not symmetric
  static constexpr int dim = 3, comps = 2;
  double rate = 3;
  template <class T>
  MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = u[0] + T(rate) * u[1];
    v[1] = x[0] * u[1];
    for (int d = 0; d < 3; ++d) flux[0][d] = grad[0][d], flux[1][d] = T(2) * grad[1][d];
  }
};

using GpuOwnPhysics = OnGpu;
TEST_F(GpuOwnPhysics, CompiledByNvcc) {
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  const Space space = make_space(mesh, 3, 2);
  PointKernel<double> kernel = make_point_kernel<double>(fem::Pointwise<Reaction>{{5}});
  kernel.apply_points_on_gpu = cuda::apply_own_points<double, fem::Pointwise<Reaction>>;
  const ElementOperator<double> a(mesh, space, kernel, {.constrained = space.all_boundary_nodes});
  const auto there = a.to(Device::gpu());
  EXPECT_EQ(there.evaluation(), Evaluation::unfused);
  const auto x = random_vector<double>(a.shape().cols, 5);
  const std::vector<double> expected = product(a, x), found = apply_on_gpu<double>(there, x, 1, 0, x);
  double largest = 1;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(found[i], expected[i], 8 * rounding(a, largest)) << i;
}

}  // namespace
}  // namespace millrace::testing
