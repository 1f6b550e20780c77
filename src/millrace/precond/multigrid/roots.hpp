// Roots of aggregates: nodes of which no two are neighbours of one another or of a third.
#pragma once

#include "millrace/precond/multigrid/priority.hpp"
#include "millrace/precond/multigrid/strength.hpp"

namespace millrace::multigrid {

/// [num_nodes]: the state of every node with its priority; no state is `undecided`.
///
/// All nodes with a neighbour begin undecided. In a round, each undecided node looks at the keys of all nodes within
/// distance 2, which are those of the round before: where its own is the largest it becomes a root, where the largest
/// is a root's it is out. With a symmetric graph that is the set that taking nodes by falling priority gives, whatever
/// the rounds (M. Luby 1986 for distance 1; N. Bell, S. Dalton, L. Olson 2012 for keys and distance 2).
Array<Key> choose_roots(int num_threads, const StrengthGraph& graph);

}  // namespace millrace::multigrid
