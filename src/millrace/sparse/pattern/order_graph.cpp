// The graph of A + A^T: both directions of every entry, sorted, each once.
#include "millrace/sparse/pattern/order_graph.hpp"

#include <algorithm>
#include <complex>

namespace millrace {
namespace {

void sum_up(Array<Offset>& counts) {  // counts[i + 1] of node i become the begins of all nodes
  for (std::int64_t i = 1; i < counts.size(); ++i) counts.data()[i] += counts.data()[i - 1];
}

// Every entry off the diagonal enters both its nodes; a symmetric pattern says everything twice.
template <class View>
RowGraph both_directions(const View& a) {
  const auto for_each_edge = [&](auto&& f) {
    for (Index i = 0; i < a.num_rows; ++i)
      for (Offset s = a.row_ptr[i]; s < a.row_ptr[i + 1]; ++s)
        if (a.cols[s] != i) f(i, a.cols[s]);
  };
  RowGraph graph;
  graph.begin = Array<Offset>(std::int64_t{a.num_rows} + 1, 0);
  Offset* const begin = graph.begin.data();
  for_each_edge([&](Index i, Index j) {
    ++begin[i + 1];
    ++begin[j + 1];
  });
  sum_up(graph.begin);
  graph.neighbours = Array<Index>(begin[a.num_rows]);
  Array<Offset> next = graph.begin.clone();  // [num_nodes + 1], where the next neighbour goes
  for_each_edge([&](Index i, Index j) {
    graph.neighbours.data()[next.data()[i]++] = j;
    graph.neighbours.data()[next.data()[j]++] = i;
  });
  return graph;
}

RowGraph without_repeats(RowGraph&& given) {
  const Index num_nodes = given.num_nodes();
  const Offset* const old_begin = given.begin.data();
  RowGraph graph;
  graph.begin = Array<Offset>(std::int64_t{num_nodes} + 1, 0);
  parallel_for(default_num_threads(), num_nodes, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      Index* const from = given.neighbours.data() + old_begin[i];
      Index* const to = given.neighbours.data() + old_begin[i + 1];
      std::sort(from, to);
      graph.begin.data()[i + 1] = std::unique(from, to) - from;
    }
  });
  sum_up(graph.begin);
  const Offset* const begin = graph.begin.data();
  graph.neighbours = Array<Index>(begin[num_nodes]);
  parallel_for(default_num_threads(), num_nodes, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      std::copy_n(given.neighbours.data() + old_begin[i], begin[i + 1] - begin[i], graph.neighbours.data() + begin[i]);
  });
  return graph;
}

}  // namespace

template <class T>
RowGraph make_graph(const Csr<T>& a) {
  require(a.num_rows == a.num_cols, "graph: the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  return without_repeats(a.visit_view([](const auto& view) { return both_directions(view); }));
}

template RowGraph make_graph(const Csr<float>&);
template RowGraph make_graph(const Csr<double>&);
template RowGraph make_graph(const Csr<std::complex<float>>&);
template RowGraph make_graph(const Csr<std::complex<double>>&);

}  // namespace millrace
