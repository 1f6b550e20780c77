// CSR arrays that a solver already has, used in place: nothing is copied, and new values are seen at once.
#include <cstdio>

#include "millrace/millrace.hpp"

using namespace millrace;

int main() {
  // 4 1 0
  // 0 3 0
  // 2 0 5
  const std::vector<std::int32_t> row_ptr{0, 2, 3, 5};
  const std::vector<Index> cols{0, 1, 1, 0, 2};
  std::vector<double> vals{4, 1, 3, 2, 5};
  const SparseMatrix<double> a(wrap_csr(3, 3, row_ptr, cols, vals));

  Queue queue;
  const std::vector<double> x{1, 2, 3};
  std::vector<double> y(3);
  double dot = 0;
  a.apply(queue, {.x = x, .y = y, .dot = DotWith::x, .dot_result = &dot});
  std::printf("A x = %g %g %g, <x, A x> = %g\n", y[0], y[1], y[2], dot);

  vals[0] = 5;  // y = 2 A^T x + y with the new value
  a.apply(queue, {.alpha = 2, .x = x, .beta = 1, .y = y, .op = Op::transpose});
  std::printf("2 A^T x + y = %g %g %g\n", y[0], y[1], y[2]);
  return y == std::vector<double>{28, 20, 47} ? 0 : 1;
}
