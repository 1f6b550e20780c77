// Newton's method without a matrix, for -div((1 + u^2) grad u) = f, u = 0 on the boundary. The equation is written
// once, as what multiplies v and grad v at a point; the library takes its derivative from the same source by dual
// numbers.
#include <cmath>
#include <cstdio>

#include "millrace/fem/nonlinear_form.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/solve/gmres.hpp"

using namespace millrace;

/// u = sin(pi x) sin(pi y) is the solution for this f.
struct Heat {
  static constexpr int dim = 2, comps = 1;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[2], T* v, T (*flux)[2]) const {
    using std::cos, std::sin;  // of numbers; those of dual numbers are found beside their type
    const T pi = T(M_PI), sx = sin(pi * x[0]), sy = sin(pi * x[1]), cx = cos(pi * x[0]), cy = cos(pi * x[1]);
    const T w = sx * sy, slope = pi * pi * (cx * cx * sy * sy + sx * sx * cy * cy);  // |grad w|^2
    const T f = (T(1) + w * w) * T(2) * pi * pi * w - T(2) * w * slope;
    v[0] = -f;
    for (int d = 0; d < 2; ++d) flux[0][d] = (T(1) + u[0] * u[0]) * grad[0][d];
  }
};

int main() {
  const Mesh mesh = make_box(Cell::quad, {12, 12, 1});
  const Space space = make_space(mesh, 3);
  auto form =
      make_nonlinear_form<double>(mesh, space, fem::Pointwise<Heat>{}, {.constrained = space.all_boundary_nodes});

  Queue queue;
  std::vector<double> u(static_cast<std::size_t>(space.num_nodes), 0.0), r(u.size());
  double norm = 1;
  for (int newton = 0; newton < 12; ++newton) {
    form.residual(queue, u, r);
    norm = 0;
    for (const double entry : r) norm += entry * entry;
    norm = std::sqrt(norm);
    if (norm <= 1e-11) break;
    const ElementSum<double>& jacobian = form.linearise(queue, u);
    std::vector<double> step(u.size(), 0.0);
    const SolveReport report =
        gmres(queue, jacobian, r, step, {.tolerance = 1e-9, .max_iterations = 2000, .restart = 200});
    std::printf("step %d: residual %.2e, then %d iterations of GMRES\n", newton, norm, report.iterations);
    if (!report.ok()) return 1;
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= step[i];
  }

  double error = 0;
  for (Index n = 0; n < space.num_nodes; ++n) {
    const double* x = space.place(n);
    error = std::max(error, std::abs(u[static_cast<std::size_t>(n)] - std::sin(M_PI * x[0]) * std::sin(M_PI * x[1])));
  }
  std::printf("%d unknowns, error %.1e\n", space.num_nodes, error);
  return norm <= 1e-11 && error < 1e-5 ? 0 : 1;
}
