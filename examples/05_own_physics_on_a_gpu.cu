// The physics of example 05 on a GPU: nvcc compiles the same source into one fused kernel, for the order that is wanted
// here. With this include, make_element_operator takes a device; nothing else changes.
#include "millrace/fem/user_physics_cuda.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "05_layers.hpp"
#include "millrace/mesh/generate.hpp"

using namespace millrace;

int main() {
  if (num_gpus() == 0) {
    std::puts("no GPU here");
    return 0;
  }
  const Mesh mesh = make_box(Cell::hex, {6, 6, 6});
  const Space space = make_space(mesh, 4);
  const fem::Pointwise<Layers> physics{{.stretch = 20}};
  const ElementOptions options{.constrained = space.all_boundary_nodes};
  const auto a = make_element_operator<double>(mesh, space, physics, options);
  const auto there = make_element_operator<double, ElementOrders<4>>(Device::gpu(), mesh, space, physics, options);

  const Array<double> x(space.num_nodes, 1.0), x_there = x.to(Device::gpu());
  Array<double> y(space.num_nodes), y_there(Device::gpu(), space.num_nodes);
  Queue host, stream(Device::gpu());
  a.apply(host, {.x = x, .y = y});
  there.apply(stream, {.x = x_there, .y = y_there});
  stream.wait();

  const std::vector<double> back = y_there.to_vector();
  double max_difference = 0;
  for (std::size_t i = 0; i < back.size(); ++i)
    max_difference = std::max(max_difference, std::abs(back[i] - y.span()[i]));
  std::printf("%d unknowns, %s, largest difference %.1e\n", space.num_nodes,
              there.evaluation() == Evaluation::fused ? "fused" : "unfused", max_difference);
  return there.evaluation() == Evaluation::fused && max_difference < 1e-12 ? 0 : 1;
}
