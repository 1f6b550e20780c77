// A matrix assembled entry by entry, made into a fast format, multiplied, and how close that came to memory.
#include <cstdio>

#include "millrace/millrace.hpp"

using namespace millrace;

int main() {
  // -u'' on n points, entries in any order.
  const Index n = 1'000'000;
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 2});
  for (Index i = 0; i + 1 < n; ++i) {
    entries.push_back({i, i + 1, -1});
    entries.push_back({i + 1, i, -1});
  }

  const SparseMatrix<double> a(make_csr(n, n, entries), as::Sell{.slice = 32});
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
