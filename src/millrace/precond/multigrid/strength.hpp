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
  Array<std::uint16_t> strength;  // [places]: in steps of 1/256, as far as 16 bits go
  bool complete = true;           // no entry of the matrix was left out

  const Index* row(Index node) const { return neighbours.data() + begin.data()[node]; }
};

/// The strength of a connection is the largest |a_ij| / sqrt(|a_ii| / n_i |a_jj| / n_j) of the rows of two nodes, with
/// the numbers n of their neighbours: 1 for every edge of a graph's Laplacian, be it a stencil of 5 or of 27 points.
/// More than theta is strong (after P. Vanek, J. Mandel, M. Brezina 1996, who have no n). Neighbours come in the order
/// in which the rows first name them. Strengths are kept as whole numbers: sums of them are the same in every order,
/// and last bits of coarse matrices decide nothing.
template <class T>
StrengthGraph strength_graph(int num_threads, const Csr<T>& a, const Diagonal<T>& diagonal, Index block, double theta);

}  // namespace millrace::multigrid
