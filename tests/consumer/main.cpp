// Uses the installed library: one small matrix in every format, its product against the one by hand.
#include <cstdio>
#include <stdexcept>

#include "millrace/sparse/matrix.hpp"

int main() try {
  using namespace millrace;
  // 2 0 1
  // 0 3 0
  const Csr<double> a(2, 3, Array<std::int32_t>{0, 2, 3}, {0, 2, 1}, {2.0, 1.0, 3.0});
  const Array<double> x{1.0, 10.0, 100.0};
  Queue queue;
  for (const char* format : {"coo", "csr", "sell"}) {
    Array<double> y(2);
    SparseMatrix<double>(a, format).apply(queue, {.x = x, .y = y});
    queue.wait();
    if (y.span()[0] != 102.0 || y.span()[1] != 30.0) throw Error("consumer: wrong product in " + std::string(format));
  }
  std::printf("millrace %s: products of coo, csr and sell are right\n", build::version);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
