// Which nodes depend strongly on which: the graph that aggregates are made in. A node is `block` rows that belong
// together.
#pragma once

#include <cstdint>

#include "millrace/precond/multigrid/diagonal.hpp"

namespace millrace::multigrid {

/// Strong neighbours of every node, itself not among them. A row may be shorter than its place.
struct StrengthGraph {
  Index num_nodes = 0;
  Array<Offset> begin;            // [num_nodes + 1]: where the places of a node begin
  Array<Index> degree;            // [num_nodes]: places that are used
  Array<Index> neighbours;        // [places]
  Array<std::uint16_t> strength;  // [places]: max |a_ij| / sqrt |a_ii a_jj| in steps of 1/1024, as far as 16 bits go
  bool complete = true;           // no entry of the matrix was left out

  const Index* row(Index node) const { return neighbours.data() + begin.data()[node]; }
};

/// The strength of a connection is the largest |a_ij| / sqrt |a_ii a_jj| of the rows of two nodes (P. Vanek, J. Mandel,
/// M. Brezina 1996). It is strong when it is more than theta times the strongest of either node, so that theta means
/// the same for stencils of 5 and of 27 points. Neighbours come in the order in which the rows first name them.
/// Strengths are kept as whole numbers: sums of them are the same in every order, and last bits of coarse matrices
/// decide nothing.
template <class T>
StrengthGraph strength_graph(int num_threads, const Csr<T>& a, const Diagonal<T>& diagonal, Index block, double theta);

}  // namespace millrace::multigrid
