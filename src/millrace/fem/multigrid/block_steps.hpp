// One step of a smoother with blocks of elements, at one entry of its vectors: for host and device.
#pragma once

#include "millrace/fem/multigrid/block_table.hpp"

namespace millrace::multigrid {

/// One step of a smoother: z = keep z + add M^-1 r, x = scale x + weight z. z is not read where keep is 0, x not where
/// it is fresh.
template <class W>
struct BlockStep {
  W keep{}, add{}, weight{};
  const W* r = nullptr;
  W* z = nullptr;
  W* x = nullptr;
  bool fresh = false;
  W scale = W{1};
};

/// What is applied, where it runs.
template <class W>
struct BlocksView {
  Index num_elem = 0, num_nodes = 0;
  Index num_outer = 0;  // nodes from here on are inside of elements, and nodes before it on their sides; or num_nodes
  std::int64_t comp_stride = 0;
  const Index* nodes = nullptr;   // [num_elem, nodes of an element]
  const W* weights = nullptr;     // [comps, num_elem, nodes of an element], zero where constrained
  const W* directions = nullptr;  // [comps, num_elem, 4]: factors of the eigenvalues along x, y, z, and the mass
  const Index* first = nullptr;   // [num_nodes + 1]
  const Index* places = nullptr;  // [first[num_nodes]]: in [num_elem, nodes], ascending; none where constrained
};

/// Entry i, where M^-1 r is `value`.
template <class W>
MILLRACE_HD void update_entry(const BlockStep<W>& step, std::int64_t i, W value) {
  W z = step.add * value;
  if (step.keep != W{0}) z += step.keep * step.z[i];
  step.z[i] = z;
  step.x[i] = step.fresh ? step.weight * z : step.scale * step.x[i] + step.weight * z;
}

/// The same at a node, from contributions [comps, size] of all elements. Constrained nodes have none, and keep r.
template <class W>
MILLRACE_HD void update_node(const BlocksView<W>& view, std::int64_t size, const W* contributions,
                             const BlockStep<W>& step, Index node, int comp) {
  const Index begin = view.first[node], end = view.first[node + 1];
  const std::int64_t i = node + comp * view.comp_stride;
  W sum{};
  for (Index s = begin; s < end; ++s) sum += contributions[comp * size + view.places[s]];
  update_entry(step, i, begin == end ? step.r[i] : sum);
}

}  // namespace millrace::multigrid
