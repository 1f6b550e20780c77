// How long a Newton step of a case takes, before any is made: parts of it are run for a moment and scaled.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/case.hpp"
#include "millrace/hdg/trace_system.hpp"
#include "millrace/precond/incomplete.hpp"
#include "millrace/tune/bandwidth.hpp"

namespace millrace::hdg {
namespace {

double bytes_of_matrix(const TraceSpace& space, int comps) {
  const double block = comps * space.face_modes(), blocks = 1.0 * space.num_faces() * space.max_neighbours();
  return sizeof(double) * blocks * block * block;
}

// Every thread works on cells from all over the mesh, each its own, for a fifth of a second.
void time_cells(Queue& queue, const LocalSolver& solver, const State& start, StepEstimate& estimate) {
  constexpr double enough = 0.2;
  constexpr Offset stride = 7919;  // a prime, so that seldom a cell comes twice
  const Index num_cells = solver.space().num_cells();
  std::vector<std::unique_ptr<LocalWork>> work;
  for (int t = 0; t < queue.num_threads(); ++t)
    work.push_back(std::make_unique<LocalWork>(solver.space(), solver.equation()));
  std::atomic<Index> next = 0, timed = 0;
  const auto begin = Clock::now();
  parallel(queue.num_threads(), [&](int thread, int) {
    for (Index k = next++; k < num_cells && seconds_since(begin) < enough; k = next++, ++timed) {
      const auto cell = static_cast<Index>(k * stride % num_cells);
      solver.eliminate(cell, start, {}, *work[to_size(thread)]);
      for (int twice = 0; twice < 2; ++twice) solver.residual(cell, start, {}, *work[to_size(thread)]);
    }
  });
  estimate.num_timed = timed;
  estimate.cells = seconds_since(begin) * num_cells / std::max<Index>(1, timed);
}

// With numbers that make a matrix whose factors exist.
void time_products(Queue& queue, const TraceSpace& space, int comps, StepEstimate& estimate) {
  TraceSystem system(space, comps);
  const int m = space.faces_per_cell() * system.block();
  std::vector<double> matrix(to_size(m * m)), rhs(to_size(m));
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) matrix[to_size(j * m + i)] = i == j ? m : (i * 7 + j * 5) % 11 * 0.1 - 0.5;
  for (Index cell = 0; cell < space.num_cells(); ++cell) system.add(cell, matrix.data(), rhs.data());
  auto begin = Clock::now();
  const Incomplete<double> factors = block_ilu0(queue, system.matrix());
  estimate.factors = seconds_since(begin);
  std::vector<double> x(system.rhs().size(), 1.0), y(x.size());
  constexpr int times = 5;
  begin = Clock::now();
  for (int k = 0; k < times; ++k) {
    factors.apply(queue, {.x = x, .y = y});
    system.matrix().apply(queue, {.x = y, .y = x});
    for (double& value : x) value *= 1e-3;  // stays finite
  }
  estimate.iteration = seconds_since(begin) / times;
}

}  // namespace

StepEstimate estimate_step(Queue& queue, const Case& c) {
  const ThreadLimit limit(queue);
  const TraceSpace space(c.mesh, c.order);
  const LocalSolver solver(space, c.problem);
  const int comps = solver.comps();
  StepEstimate estimate;
  time_cells(queue, solver, project(space, comps, c.start), estimate);
  constexpr double some_memory = 256e6;  // of a matrix; its factors are as large
  const double bytes = bytes_of_matrix(space, comps);
  for (estimate.product_order = c.order; estimate.product_order >= 1; --estimate.product_order) {
    const TraceSpace lower(c.mesh, estimate.product_order);
    const double fewer = bytes_of_matrix(lower, comps);
    if (fewer > some_memory && estimate.product_order > 1) continue;
    time_products(queue, lower, comps, estimate);
    estimate.iteration *= bytes / fewer;
    estimate.factors *= bytes / fewer * space.face_modes() / lower.face_modes();  // cubes of blocks
    break;
  }
  constexpr double basis = 4 * 30;  // 30 vectors, each read four times to be orthogonal to them
  constexpr std::int64_t measured_bytes = std::int64_t{192} << 20;
  const double numbers = 1.0 * comps * space.face_modes() * space.num_faces();  // of a vector
  estimate.iteration += basis * sizeof(double) * numbers / measure_bandwidth(queue, measured_bytes).read;
  return estimate;
}

}  // namespace millrace::hdg
