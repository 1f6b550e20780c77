// A physics that comes as text while the program runs, from a file or a user: NVRTC compiles it into the fused kernel
// of a GPU, once; the next start finds it on disk.
#include <cmath>
#include <cstdio>

#include "millrace/fem/source_physics.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/identity.hpp"

using namespace millrace;

// (k grad u, grad v) + (u, v) with k = 1 + x^2, in physical coordinates.
constexpr char text[] = R"(
struct Layers {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = (T(1) + x[0] * x[0]) * grad[0][d];
  }
};
)";

int main() {
  if (num_gpus() == 0) {
    std::puts("no GPU here");
    return 0;
  }
  const Device gpu = Device::gpu();
  const Mesh mesh = make_box(Cell::hex, {8, 8, 8});
  const Space space = make_space(mesh, 4);
  const auto a = make_element_operator<double>(gpu, mesh, space, PhysicsSource{text, "fem::Pointwise<Layers>"},
                                               {.constrained = space.all_boundary_nodes});

  // A right-hand side whose solution is known: b = A u for u = 1 at all nodes.
  const Array<double> ones = Array<double>(space.num_nodes, 1.0).to(gpu);
  Array<double> b(gpu, space.num_nodes), u = Array<double>(space.num_nodes, 0.0).to(gpu);
  Queue queue(gpu);
  a.apply(queue, {.x = ones, .y = b});
  const SolveReport report = cg<double>(queue, a, Identity<double>(a), b, u, {.tolerance = 1e-10});

  double error = 0;
  for (const double value : u.to_vector()) error = std::max(error, std::abs(value - 1));
  std::printf("%d unknowns, %d iterations, error %.1e\n", space.num_nodes, report.iterations, error);
  return report.ok() && error < 1e-6 ? 0 : 1;
}
