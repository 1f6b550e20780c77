// Transfers between orders on a GPU.
#pragma once

#include "millrace/base/queue.hpp"
#include "millrace/fem/multigrid/transfer_steps.hpp"

namespace millrace::cuda {

/// fine += P coarse.
template <class W>
void prolong(Queue& queue, const multigrid::AnyPlan& plan, const multigrid::TransferView<W>& view, int comps,
             const W* coarse, W* fine);
/// coarse = P^T (b - q), q null: P^T b. contributions [comps, num_elem, coarse nodes] is written over.
template <class W>
void restrict_to(Queue& queue, const multigrid::AnyPlan& plan, const multigrid::TransferView<W>& view,
                 const multigrid::NodeSums& sums, int comps, const W* b, const W* q, W* contributions, W* coarse);

}  // namespace millrace::cuda
