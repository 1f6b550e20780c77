// The last level of p-multigrid as a matrix: all unknowns of a node together, and what algebraic multigrid should know.
#pragma once

#include "millrace/fem/space.hpp"
#include "millrace/precond/amg.hpp"

namespace millrace::multigrid {

/// The same matrix with the unknowns of a node one after another, without the zeros between components that a physics
/// does not couple. Columns of a row ascend.
template <class W>
Csr<W> order_by_nodes(Csr<W>&& a, const Space& space);

/// Options for such a matrix: blocks, and rigid-body modes where it couples as many components as there are
/// dimensions; what the user gave stays.
template <class W>
AmgOptions amg_options(const Csr<W>& by_nodes, const Space& space, const AmgOptions& given);

}  // namespace millrace::multigrid
