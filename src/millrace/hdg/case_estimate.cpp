// How long a Newton step of a case takes, before any is made.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/case.hpp"
#include "millrace/tune/bandwidth.hpp"

namespace millrace::hdg {

StepEstimate estimate_step(Queue& queue, const Case& c) {
  const TraceSpace space(c.mesh, c.order);
  const LocalSolver solver(space, c.problem);
  const State start = project(space, solver.comps(), c.start);
  // Every thread eliminates cells from all over the mesh, each its own, for a fifth of a second.
  constexpr double enough = 0.2;
  constexpr Offset stride = 7919;  // a prime, so that seldom a cell comes twice
  const int threads = queue.num_threads();
  std::vector<std::unique_ptr<LocalWork>> work;
  for (int t = 0; t < threads; ++t) work.push_back(std::make_unique<LocalWork>(space, solver.equation()));
  std::atomic<Index> next = 0, timed = 0;
  const auto begin = Clock::now();
  parallel(threads, [&](int thread, int) {
    for (Index k = next++; k < space.num_cells() && seconds_since(begin) < enough; k = next++, ++timed)
      solver.eliminate(static_cast<Index>(k * stride % space.num_cells()), start, {}, *work[to_size(thread)]);
  });
  StepEstimate estimate{.num_timed = timed};
  estimate.elimination = seconds_since(begin) * space.num_cells() / std::max<Index>(1, timed);
  const double block = solver.comps() * space.face_modes(), rows = space.num_faces() * block;
  const double matrix = rows * space.max_neighbours() * block;
  constexpr double basis = 4 * 30;  // 30 vectors, each read four times to be orthogonal to them
  constexpr std::int64_t some_memory = std::int64_t{192} << 20;
  estimate.gb_s = 1e-9 * measure_bandwidth(queue, some_memory).read;
  estimate.iteration = sizeof(double) * (2 * matrix + basis * rows) / (1e9 * estimate.gb_s);
  return estimate;
}

}  // namespace millrace::hdg
