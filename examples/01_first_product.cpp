// A matrix assembled entry by entry, made into a fast format, multiplied, and how close that came to memory.
#include <cmath>
#include <cstdio>

#include "millrace/base/timer.hpp"
#include "millrace/sparse/matrix.hpp"
#include "millrace/tune/bandwidth.hpp"

using namespace millrace;

int main() {
  // -u'' on n points, as coordinates in any order.
  const Index n = 1'000'000;
  Coo<double> entries{n, n, Array<Index>(3 * n - 2), Array<Index>(3 * n - 2), Array<double>(3 * n - 2)};
  Offset k = 0;
  const auto add = [&](Index row, Index col, double value) {
    entries.rows.data()[k] = row;
    entries.cols.data()[k] = col;
    entries.vals.data()[k++] = value;
  };
  for (Index i = 0; i < n; ++i) add(i, i, 2);
  for (Index i = 0; i + 1 < n; ++i) {
    add(i, i + 1, -1);
    add(i + 1, i, -1);
  }

  const SparseMatrix<double> a(to_csr(entries), "sell");
  Queue queue;
  const Array<double> x(n, 1.0);
  Array<double> y(n);
  const Samples samples = time(queue, [&] { a.apply(queue, {.x = x, .y = y}); });

  const double gb_s = a.traffic().total() / samples.median() * 1e-9;
  const double read = measure_bandwidth(queue, std::int64_t{64} << 20).read * 1e-9;
  std::printf("%.3f ms, %.1f GB/s, %.0f %% of the %.1f GB/s that this machine reads\n", samples.median() * 1e3, gb_s,
              100 * gb_s / read, read);
  return y.span()[0] == 1 && y.span()[1] == 0 && y.span()[n - 1] == 1 ? 0 : 1;  // the boundary rows alone are not 0
}
