// Blocks of elements on host threads.
#pragma once

#include "millrace/base/queue.hpp"
#include "millrace/fem/multigrid/block_steps.hpp"

namespace millrace::host {

/// One step of a smoother, num_lanes<W> elements at once. contributions [comps, num_elem, nodes] are scratch; those to
/// nodes inside of elements are used where they are found. The same bits for any number of threads.
template <class W>
void step_blocks(Queue& queue, const multigrid::BlockTable<W>& table, const multigrid::BlocksView<W>& view, int dim,
                 int comps, W* contributions, const multigrid::BlockStep<W>& step);

}  // namespace millrace::host
