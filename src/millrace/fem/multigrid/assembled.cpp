// Reorders the matrix of an element operator, and looks whether it couples components.
#include "millrace/fem/multigrid/assembled.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/to_size.hpp"

namespace millrace::multigrid {

template <class W>
Csr<W> order_by_nodes(Csr<W>&& a, const Space& space) {
  if (space.comps == 1) return std::move(a);
  const Index nodes = space.num_nodes, comps = space.comps;
  const auto kept = [&](Index r, Offset k) {
    return a.vals.data()[k] != W{0} || a.cols.data()[k] % nodes == r % nodes;
  };
  Array<std::int64_t> row_ptr(Offset{a.num_rows} + 1);
  row_ptr.data()[0] = 0;
  const auto old_row = [&](Index row) { return row / comps + row % comps * nodes; };
  for (Index row = 0; row < a.num_rows; ++row) {
    Offset count = 0;
    for (Offset k = a.row_begin(old_row(row)); k < a.row_begin(old_row(row) + 1); ++k)
      count += kept(old_row(row), k) ? 1 : 0;
    row_ptr.data()[row + 1] = row_ptr.data()[row] + count;
  }
  Array<Index> cols(row_ptr.data()[a.num_rows]);
  Array<W> vals(cols.size());
  std::vector<std::pair<Index, W>> entries;
  for (Index row = 0; row < a.num_rows; ++row) {
    const Index old = old_row(row);
    entries.clear();
    for (Offset k = a.row_begin(old); k < a.row_begin(old + 1); ++k)
      if (kept(old, k)) {
        const Index col = a.cols.data()[k];
        entries.emplace_back(col % nodes * comps + col / nodes, a.vals.data()[k]);
      }
    std::sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    Offset to = row_ptr.data()[row];
    for (const auto& [col, value] : entries) cols.data()[to] = col, vals.data()[to++] = value;
  }
  return Csr<W>(a.num_rows, a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals));
}

template <class W>
AmgOptions amg_options(const Csr<W>& by_nodes, const Space& space, const AmgOptions& given) {
  AmgOptions options = given;
  if (space.comps == 1 || given.block != 1 || !given.near_null.empty()) return options;
  options.block = space.comps;
  bool couples = false;
  for (Index r = 0; r < by_nodes.num_rows && !couples; ++r)
    for (Offset k = by_nodes.row_begin(r); k < by_nodes.row_begin(r + 1); ++k)
      couples |= by_nodes.vals.data()[k] != W{0} && by_nodes.cols.data()[k] % space.comps != r % space.comps;
  if (couples && space.comps == space.dim) options.near_null = rigid_body_modes(space.node_points, space.dim);
  return options;
}

template Csr<float> order_by_nodes(Csr<float>&&, const Space&);
template Csr<double> order_by_nodes(Csr<double>&&, const Space&);
template AmgOptions amg_options(const Csr<float>&, const Space&, const AmgOptions&);
template AmgOptions amg_options(const Csr<double>&, const Space&, const AmgOptions&);

}  // namespace millrace::multigrid
