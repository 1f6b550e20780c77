// Blocks of elements on a GPU.
#pragma once

#include "millrace/base/queue.hpp"
#include "millrace/fem/multigrid/block_steps.hpp"

namespace millrace::cuda {

/// One step of a smoother. contributions [comps, num_elem, nodes] is written over. Hexes with 2 to 9 nodes a direction.
template <class W>
void step_blocks(Queue& queue, const multigrid::BlockTable<W>& table, const multigrid::BlocksView<W>& view, int comps,
                 W* contributions, const multigrid::BlockStep<W>& step);

}  // namespace millrace::cuda
