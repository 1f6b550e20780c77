// Newton's method for A u = c exp(u), A of a 5-point stencil: in every step the matrix and its preconditioner take new
// values on the pattern they have, and conjugate gradients solve.
#include <cmath>
#include <cstdio>

#include "millrace/millrace.hpp"

using namespace millrace;

int main() {
  const Csr<double> a = gallery::make("poisson2d5:n=100");
  const Index n = a.num_rows;
  const double c = 5.0 / (101 * 101);  // 5 times the square of the mesh width
  Csr<double> jacobian = a.clone();    // A - c diag(exp(u))

  Queue queue;
  const SparseMatrix<double> product(a, as::Dia{});
  SparseMatrix<double> j(jacobian, as::Dia{});
  Incomplete<double> m = ic0(queue, jacobian);

  Array<double> u(n, 0.0), residual(n), step(n);
  double norm = 1;
  for (int newton = 0; newton < 10 && norm > 1e-9; ++newton) {
    product.apply(queue, {.alpha = -1, .x = u, .y = residual});
    norm = 0;
    for (Index i = 0; i < n; ++i) {
      const double source = c * std::exp(u.span()[i]);
      double& r = residual.span()[i] += source;
      norm += r * r;
      for (Offset k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
        if (a.cols.span()[k] == i) jacobian.vals.span()[k] = a.vals.span()[k] - source;
      step.span()[i] = 0;
    }
    norm = std::sqrt(norm);
    j.update_values(queue, jacobian);  // levels, diagonals, indices: all of that stays
    m.update_values(queue, jacobian);
    const SolveReport report = cg(queue, j, m, residual, step, {.tolerance = 1e-6});
    std::printf("step %d: residual %.2e, then %d iterations of cg\n", newton, norm, report.iterations);
    if (!report.ok()) return 1;
    for (Index i = 0; i < n; ++i) u.span()[i] += step.span()[i];
  }
  return norm <= 1e-9 ? 0 : 1;
}
