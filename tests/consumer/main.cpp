// Uses the installed library: one small matrix in several formats, its product against the one by hand, and a solution.
#include <cstdio>
#include <stdexcept>

#include "millrace/fem.hpp"
#include "millrace/millrace.hpp"

int main() try {
  using namespace millrace;
  // 2 0 1
  // 0 3 0
  const Csr<double> a = make_csr<double>(2, 3, {{0, 0, 2}, {0, 2, 1}, {1, 1, 3}});
  const Array<double> x{1.0, 10.0, 100.0};
  Queue queue;
  for (const FormatSpec& format : {FormatSpec(as::Coo{}), FormatSpec(as::Csr{}), FormatSpec(as::Sell{.slice = 8})}) {
    Array<double> y(2);
    SparseMatrix<double>(a, format).apply(queue, {.x = x, .y = y});
    if (y.span()[0] != 102.0 || y.span()[1] != 30.0) throw Error("consumer: wrong product in " + format.text());
  }
  const SparseMatrix<double> spd(make_csr<double>(2, 2, {{0, 0, 2}, {0, 1, 1}, {1, 0, 1}, {1, 1, 2}}), "csr");
  const Array<double> b{3.0, 3.0};
  Array<double> solution(2, 0.0);
  if (!cg(queue, spd, b, solution).ok()) throw Error("consumer: cg did not converge");
  if (make_space(make_box(Cell::hex, {1, 1, 1}), 1).num_nodes != 8) throw Error("consumer: a hex has 8 nodes");
  std::printf("millrace %s: products of coo, csr and sell are right, and cg solves\n", build::version);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
