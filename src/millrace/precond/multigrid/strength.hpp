// Which nodes depend strongly on which: the graph that aggregates are made in. A node is `block` rows that belong
// together.
#pragma once

#include <cstdint>

#include "millrace/precond/multigrid/diagonal.hpp"
#include "millrace/precond/multigrid/graph_view.hpp"

namespace millrace::multigrid {

/// Strong neighbours of every node, itself not among them. A row may be shorter than its place.
struct StrengthGraph {
  Index num_nodes = 0;
  Array<Offset> begin;            // [num_nodes + 1]: where the places of a node begin
  Array<Index> degree;            // [num_nodes]: places that are used
  Array<Index> neighbours;        // [places]
  Array<std::uint16_t> strength;  // [places]: in steps of 1/256, as far as 16 bits go
  bool complete = true;           // no entry of the matrix was left out
  Array<std::uint8_t> weak{};     // [entries of A]: 1 beside strong ones and the diagonal, where a GPU knows; or empty

  StrengthGraph() = default;
  /// Memory for places that lie as the entries of a matrix do.
  StrengthGraph(Queue& queue, Index num_nodes, Offset num_places)
      : num_nodes(num_nodes),
        begin(queue, Offset{num_nodes} + 1),
        degree(queue, num_nodes),
        neighbours(queue, num_places),
        strength(queue, num_places) {}

  GraphView view() const { return {num_nodes, begin.data(), degree.data(), neighbours.data(), strength.data()}; }
  const Index* row(Index node) const { return neighbours.data() + begin.data()[node]; }
};

/// The strength of a connection is the largest |a_ij| / sqrt(|a_ii| / n_i |a_jj| / n_j) of the rows of two nodes, with
/// the numbers n of their neighbours: 1 for every edge of a graph's Laplacian, be it a stencil of 5 or of 27 points.
/// More than theta is strong (after P. Vanek, J. Mandel, M. Brezina 1996, who have no n). Strengths and theta are whole
/// numbers of steps of 1/256: sums of them are the same in every order, and last bits of coarse matrices decide
/// nothing, for a strength of theta itself lies in the middle of a step. Neighbours of nodes of one row come in the
/// order of its entries.
template <class T>
StrengthGraph strength_graph(Queue& queue, const Csr<T>& a, const Diagonal<T>& diagonal, Index block, double theta);

}  // namespace millrace::multigrid
