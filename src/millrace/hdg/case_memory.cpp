// What a run keeps in memory, counted array by array.
#include <algorithm>

#include "millrace/base/to_size.hpp"
#include "millrace/hdg/case.hpp"
#include "millrace/hdg/trace_solver.hpp"

namespace millrace::hdg {
namespace {

// Bytes of a stored number of the factors.
double width_of(Precision precision) {
  return precision == Precision::full ? 8 : precision == Precision::single ? 4 : 2;
}

}  // namespace

MemoryEstimate estimate_memory(Index num_cells, Index num_faces, int dim, int comps, int order,
                               const NewtonOptions& options, int num_threads) {
  const TraceSolverOptions& linear = options.linear;
  const Cell cell = dim == 2 ? Cell::triangle : Cell::tet, face = face_cell(cell);
  const double faces = num_faces, cells = num_cells, wide = sizeof(double);
  const double n = comps * num_nodes(cell, order), block = comps * num_nodes(face, order), m = (dim + 1) * block;
  const double blocks = faces * (2 * dim + 1), vector = wide * faces * block;
  MemoryEstimate sum;
  constexpr double marks = 1 + 1.0 / 64;  // a bit per number: is it one of the matrix, or padding?
  sum.matrix = marks * wide * blocks * block * block;
  sum.factors = width_of(linear.precision) * blocks * block * block;
  sum.basis = std::min(2.0 * linear.cycle, faces * block) * vector;
  sum.cells = wide * cells * n * (options.keep_solutions ? m + 2 : 1);
  double coarse_vector = 0, levels = 1;
  if (const int low = coarse_order_of(linear, order); low >= 0) {
    const double kept = comps * num_nodes(face, low);
    coarse_vector = wide * faces * kept;
    sum.coarse = (marks * wide + width_of(linear.precision)) * blocks * kept * kept;
    sum.coarse += 8 * faces * block + 32 * faces * kept;  // the way there and back, as two sparse matrices
    levels = 2;
  }
  constexpr double pattern = 40, topology = 160;  // bytes of a block, and of a face or cell
  sum.rest = levels * pattern * blocks + topology * (faces + cells) + wide * cells * (dim + 1) * (dim + 1);
  sum.rest += 2 * wide * cells * n + 10 * vector + (linear.coarse_steps + 8) * coarse_vector;  // other vectors
  if (linear.precision == Precision::bfloat16)  // factors in float, from which they are rounded before GMRES begins
    sum.rest += std::max(0.0, 2 * sum.factors - sum.basis);
  sum.rest += num_threads * wide * ((n + m + 1) * n + (n + m) * m + 40 * n * comps);
  return sum;
}

MemoryEstimate estimate_memory(const Case& c, Index num_faces, int order, int num_threads) {
  return estimate_memory(c.mesh.num_cells(), num_faces, c.mesh.dim, c.problem.equation->comps(), order, c.newton,
                         num_threads);
}

}  // namespace millrace::hdg
