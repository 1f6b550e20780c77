// A matrix on all ranks of an MPI job, solved by CG with Jacobi: mpirun -n 4 example_07_on_ranks. One rank works, too.
#include <cmath>
#include <cstdio>
#include <millrace/millrace.hpp>
#include <vector>

int main(int argc, char** argv) {
  using namespace millrace;
  const MpiSession session(argc, argv);  // first: everything below goes before MPI ends
  const Comm world = Comm::world();

  // The rows of this rank, here of -u'' on a line, with columns numbered over all ranks.
  const std::int64_t n = 1000;
  const Partition parts = by_rows(n, world.size());
  const std::int64_t first = parts.begin(world.rank()), rows = parts.size(world.rank());
  std::vector<Offset> row_ptr{0};
  std::vector<std::int64_t> cols;
  std::vector<double> vals;
  for (std::int64_t r = first; r < first + rows; ++r) {
    for (const std::int64_t c : {r - 1, r, r + 1})
      if (c >= 0 && c < n) {
        cols.push_back(c);
        vals.push_back(c == r ? 2 : -1);
      }
    row_ptr.push_back(std::ssize(cols));
  }
  const GlobalRows<double> mine{first, n, Array<Offset>(std::span<const Offset>(row_ptr)),
                                Array<std::int64_t>(std::span<const std::int64_t>(cols)),
                                Array<double>(std::span<const double>(vals))};

  // An Operator like any other; every solver takes it. Jacobi is made of the rank's own part.
  Queue queue;
  const DistributedMatrix<double> a(world, mine, {.format = "sell-8-1"});
  const std::vector<double> b(static_cast<std::size_t>(rows), 1.0);
  std::vector<double> x(b.size());
  const SolveReport report = cg(queue, a, Jacobi<double>(queue, a.local()), b, x, {.tolerance = 1e-10});

  // The solution is r (n + 1 - r) / 2 with r from 1 on.
  double error[] = {0};
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto r = static_cast<double>(first + i + 1);
    error[0] = std::max(error[0], std::abs(x[static_cast<std::size_t>(i)] - r * (n + 1 - r) / 2));
  }
  world.max(error);
  if (world.rank() == 0)
    std::printf("%d ranks, %s: %d iterations, largest error %.1e\n", world.size(), a.details().c_str(),
                report.iterations, error[0]);
  return report.ok() && error[0] < 1e-4 ? 0 : 1;
}
