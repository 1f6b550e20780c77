// du/dt = div grad u in a square whose sides are kept at 0, by the rule of Crank and Nicolson: each step solves
// (M + dt/2 K) u_next = (M - dt/2 K) u without a matrix. The slowest mode decays as exp(-2 pi^2 t), and the error must
// fall by four with half the step. Name a folder for a series of files for ParaView.
#include <cmath>
#include <cstdio>

#include "millrace/fem.hpp"

using namespace millrace;

static const double pi = std::acos(-1.0);
static double mode(const Point& x) { return std::sin(pi * x[0]) * std::sin(pi * x[1]); }

/// The error in L2 at the end.
static double run(double end, int num_steps, const char* folder) {
  const Mesh mesh = make_box(Cell::quad, {10, 10, 1});
  const Space space = make_space(mesh, 4);
  const double dt = end / num_steps;
  // Helmholtz is (mu grad u, grad v) + (beta u, v); constrained nodes have the identity in both operators.
  const ElementOptions kept{.constrained = space.all_boundary_nodes};
  const auto next = make_element_operator<double>(mesh, space, fem::Helmholtz<2>{{dt / 2}, {1}}, kept);
  const auto now = make_element_operator<double>(mesh, space, fem::Helmholtz<2>{{-dt / 2}, {1}}, kept);

  Queue queue;
  const Jacobi<double> jacobi(queue, next);
  std::vector<double> u = interpolate(queue, space, mode), b(u.size());
  for (const Index node : space.all_boundary_nodes) u[static_cast<std::size_t>(node)] = 0;  // sin(pi) is not quite 0
  std::optional<PvdSeries> series;
  if (folder) series.emplace(std::string(folder) + "/heat.pvd");
  int iterations = 0;
  for (int step = 0; step <= num_steps; ++step) {
    if (step > 0) {
      now.apply(queue, {.x = u, .y = b});
      const SolveReport report = cg(queue, next, jacobi, b, u, {.tolerance = 1e-10});  // begins with the u there is
      if (!report.ok()) return INFINITY;
      iterations += report.iterations;
    }
    if (series && step % 4 == 0) {
      const std::string file = std::string(folder) + "/heat" + std::to_string(step) + ".vtu";
      write_vtu(file, sample(mesh, {{.name = "temperature", .space = &space, .values = u}}));
      series->add(step * dt, file);
    }
  }
  const double decay = std::exp(-2 * pi * pi * end);
  const double error = l2_error(queue, {mesh, space, u}, [&](const Point& x) { return decay * mode(x); });
  std::printf("%2d steps: %.1f iterations a step, relative error %.2e\n", num_steps,
              static_cast<double>(iterations) / num_steps, error / (decay / 2));
  return error / (decay / 2);  // |mode| = 1/2
}

int main(int argc, char** argv) {
  const double coarse = run(0.1, 20, nullptr), fine = run(0.1, 40, argc > 1 ? argv[1] : nullptr);
  std::printf("order of convergence %.2f\n", std::log2(coarse / fine));
  return fine < 1e-3 && std::abs(std::log2(coarse / fine) - 2) < 0.1 ? 0 : 1;
}
