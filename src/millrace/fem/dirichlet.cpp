// Collects constrained unknowns, and takes them out of a matrix.
#include "millrace/fem/dirichlet.hpp"

#include <algorithm>
#include <limits>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

std::vector<int> held_components(const std::vector<int>& asked, int comps) {
  std::vector<int> held = asked;
  for (std::size_t k = 0; k < held.size(); ++k)
    require(0 <= held[k] && held[k] < comps && (k == 0 || held[k - 1] < held[k]), "dirichlet: component ", held[k],
            " was given at place ", k, "; components ascend, and the space has 0 to ", comps - 1);
  if (held.empty())
    for (int c = 0; c < comps; ++c) held.push_back(c);
  return held;
}

}  // namespace

Dirichlet& Dirichlet::set_nodes(std::span<const Index> nodes, const PlaceFunction& g,
                                const std::vector<int>& components) {
  const std::vector<int> held = held_components(components, space_->comps);
  const int num = static_cast<int>(held.size());
  require<Unsupported>(space_->num_dofs() <= std::numeric_limits<Index>::max(), "dirichlet: the space has ",
                       space_->num_dofs(), " unknowns; at most 2^31 - 1 can be numbered");
  const bool one_for_all = !g.has_comps(num);
  require(
      !one_for_all || g.has_comps(1), "dirichlet: the values have ",
      [&] { return comps_text(g.min_comps(), g.max_comps()); }, ", and ", num, " are held; as many or 1 are accepted");
  require(!g.uses_normal(),
          "dirichlet: the function asks for a normal, which there is at points inside of faces alone");
  std::vector<std::pair<Index, double>> fresh;
  std::vector<double> value(to_size(std::max(num, g.max_comps())));
  for (const Index node : nodes) {
    require(0 <= node && node < space_->num_nodes, "dirichlet: node ", node, " was given; the nodes are 0 to ",
            space_->num_nodes - 1);
    Point x{};
    std::copy_n(space_->place(node), space_->dim, x.begin());
    g.evaluate(x, {}, value.data());
    for (int k = 0; k < num; ++k)
      fresh.emplace_back(static_cast<Index>(space_->entry(node, held[to_size(k)])),
                         value[one_for_all ? 0 : to_size(k)]);
  }
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(fresh.begin(), fresh.end(), before);
  std::vector<Index> entries;
  std::vector<double> values;
  std::size_t old = 0;
  const auto keep_old = [&](std::int64_t end) {  // those below `end`
    for (; old < entries_.size() && entries_[old] < end; ++old)
      entries.push_back(entries_[old]), values.push_back(values_[old]);
  };
  for (const auto& [entry, number] : fresh) {
    keep_old(entry);
    if (old < entries_.size() && entries_[old] == entry) ++old;
    if (!entries.empty() && entries.back() == entry) continue;  // a node that was given twice
    entries.push_back(entry), values.push_back(number);
  }
  keep_old(std::numeric_limits<std::int64_t>::max());
  entries_ = std::move(entries);
  values_ = std::move(values);
  return *this;
}

Dirichlet& Dirichlet::set(const Groups& groups, const PlaceFunction& g, const std::vector<int>& components) {
  require(!groups.empty(), "dirichlet: no group was named; for all of the boundary there is set_boundary");
  return set_nodes(boundary_nodes(*space_, groups.tags(*mesh_, mesh_->dim - 1)), g, components);
}

Dirichlet& Dirichlet::set_boundary(const PlaceFunction& g, const std::vector<int>& components) {
  return set_nodes(space_->all_boundary_nodes, g, components);
}

std::vector<Index> Dirichlet::whole_nodes() const {
  std::vector<int> held(to_size(space_->num_nodes));
  for (const Index entry : entries_) ++held[to_size(entry % space_->num_nodes)];
  std::vector<Index> nodes;
  for (Index n = 0; n < space_->num_nodes; ++n)
    if (held[to_size(n)] == space_->comps) nodes.push_back(n);
  return nodes;
}

template <class T>
void lift(Queue& queue, const Operator<T>& a, const Dirichlet& g, std::type_identity_t<Vectors<T>> b) {
  const ThreadLimit limit(queue);
  const std::vector<T> values(g.values().begin(), g.values().end());
  lift<T>(queue, a, std::span<const Index>(g.entries()), std::span<const T>(values), b);
}

template <class T>
Csr<T> eliminate(const Csr<T>& a, std::span<const Index> entries) {
  require(a.num_rows == a.num_cols, "eliminate: the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  require<Unsupported>(a.device().on_host(), "eliminate: is done on the host; the matrix lives on ",
                       [&] { return to_string(a.device()); });
  std::vector<bool> held(to_size(a.num_rows));
  for (const Index i : entries) {
    require(0 <= i && i < a.num_rows, "eliminate: entry ", i, " was given; the rows are 0 to ", a.num_rows - 1);
    held[to_size(i)] = true;
  }
  const auto kept = [&](Index row, Offset k) { return !held[to_size(row)] && !held[to_size(a.cols.data()[k])]; };
  Array<std::int64_t> row_ptr(Offset{a.num_rows} + 1);
  row_ptr.data()[0] = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    Offset count = held[to_size(r)] ? 1 : 0;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) count += kept(r, k) ? 1 : 0;
    row_ptr.data()[r + 1] = row_ptr.data()[r] + count;
  }
  Array<Index> cols(row_ptr.data()[a.num_rows]);
  Array<T> vals(cols.size());
  for (Index r = 0; r < a.num_rows; ++r) {
    Offset to = row_ptr.data()[r];
    if (held[to_size(r)]) cols.data()[to] = r, vals.data()[to] = T{1};
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      if (kept(r, k)) cols.data()[to] = a.cols.data()[k], vals.data()[to++] = a.vals.data()[k];
  }
  return Csr<T>(a.num_rows, a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals));
}

template void lift(Queue&, const Operator<float>&, const Dirichlet&, Vectors<float>);
template void lift(Queue&, const Operator<double>&, const Dirichlet&, Vectors<double>);
template Csr<float> eliminate(const Csr<float>&, std::span<const Index>);
template Csr<double> eliminate(const Csr<double>&, std::span<const Index>);

}  // namespace millrace
