// Aggregates: sets of nodes that become one node of the next level.
#pragma once

#include "millrace/precond/multigrid/roots.hpp"

namespace millrace::multigrid {

struct Aggregates {
  Index num = 0;
  Array<Index> of;  // [num_nodes]: the aggregate of a node; -1: of none, for it has no strong neighbour
};

/// Aggregates are numbered by the order of their roots. 1. A neighbour of a root joins it; of several, the most
/// strongly coupled one, then the one of largest key. 2. All others have neighbours that step 1 placed: each joins the
/// aggregate to which its strengths add up to most, then the one of the largest hashed number.
Aggregates make_aggregates(Queue& queue, const StrengthGraph& graph);

}  // namespace millrace::multigrid
