// Each rank makes the edges of its groups, and sends their reverses to the ranks that have the other ends; so rank 0 is
// sent the graph of A + A^T, with entries counted as weights.
#include "millrace/dist/partition_graph.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "millrace/base/together.hpp"
#include "millrace/dist/lists.hpp"

#if MILLRACE_WITH_METIS
#include <metis.h>
#endif

namespace millrace {
namespace {

constexpr std::int64_t max_groups = 4'000'000;
// Edges of the graph on rank 0, some 32 bytes each with METIS's own: not more than this, nor than two shares of the
// matrix in CSR have bytes; a small graph is whole.
constexpr std::int64_t max_edges = 40'000'000, small_graph = 2'000'000;

// Rows of a rank in groups that follow each other, numbered through all ranks.
struct RowGroups {
  Partition rows, groups;
  std::int64_t group_rows = 1;

  RowGroups(const Comm& comm, std::int64_t num_rows, std::int64_t num_entries) : rows(as_they_are(comm, num_rows)) {
    std::int64_t all[] = {num_entries};
    comm.sum(all);
    const auto needed = [](std::int64_t n, std::int64_t most) { return (n + most - 1) / most; };
    // A rank may have one group that is not full.
    const std::int64_t whole = std::max<std::int64_t>(1, max_groups - comm.size());
    const std::int64_t edges = std::clamp(3 * (all[0] / 4) / comm.size(), small_graph, max_edges);
    group_rows = std::max({std::int64_t{1}, needed(rows.num_rows(), whole), needed(all[0], edges)});
    groups = as_they_are(comm, needed(num_rows, group_rows));
  }
  std::int64_t of(std::int64_t row) const {
    const int owner = rows.owner(row);
    return groups.begin(owner) + (row - rows.begin(owner)) / group_rows;
  }
};

// Edges of the groups of a rank, to groups of all ranks.
struct GroupEdges {
  std::vector<std::int64_t> begin{0};         // [groups + 1]
  std::vector<std::int32_t> to{}, weights{};  // [edges]: weights count entries

  std::int64_t num_groups() const { return std::ssize(begin) - 1; }
  template <class F>
  void for_each(F&& f) const {
    for (std::int64_t g = 0; g < num_groups(); ++g)
      for (std::int64_t e = begin[to_size(g)]; e < begin[to_size(g) + 1]; ++e)
        f(g, to[to_size(e)], weights[to_size(e)]);
  }
};

// One for each pair of groups that entries of these rows join.
template <class T>
GroupEdges forward_edges(const GlobalRows<T>& rows, const RowGroups& all, std::int64_t first) {
  GroupEdges edges;
  std::vector<std::int32_t> ends;  // of one group
  for (std::int64_t row = 0; row < rows.num_rows(); row += all.group_rows) {
    const std::int64_t group = first + edges.num_groups(), last = std::min(row + all.group_rows, rows.num_rows());
    ends.clear();
    for (Offset s = rows.row_ptr.data()[row]; s < rows.row_ptr.data()[last]; ++s)
      if (const std::int64_t to = all.of(rows.cols.data()[s]); to != group)
        ends.push_back(static_cast<std::int32_t>(to));
    std::ranges::sort(ends);
    for (std::size_t k = 0; k < ends.size(); ++k)
      if (k > 0 && ends[k] == ends[k - 1]) {
        ++edges.weights.back();
      } else {
        edges.to.push_back(ends[k]);
        edges.weights.push_back(1);
      }
    edges.begin.push_back(std::ssize(edges.to));
  }
  return edges;
}

struct SentEdge {
  std::int32_t from, to, weight;
};

// Adds the weights of equal edges up, in place.
void add_up(GroupEdges& edges) {
  std::vector<std::pair<std::int32_t, std::int32_t>> some;
  std::size_t left = 0;
  for (std::size_t g = 0; g + 1 < edges.begin.size(); ++g) {
    some.clear();
    for (std::size_t e = to_size(edges.begin[g]); e < to_size(edges.begin[g + 1]); ++e)
      some.emplace_back(edges.to[e], edges.weights[e]);
    std::ranges::sort(some);
    edges.begin[g] = static_cast<std::int64_t>(left);
    for (std::size_t k = 0; k < some.size(); ++k)
      if (k > 0 && some[k].first == some[k - 1].first) {
        edges.weights[left - 1] += some[k].second;
      } else {
        edges.to[left] = some[k].first;
        edges.weights[left++] = some[k].second;
      }
  }
  edges.begin.back() = static_cast<std::int64_t>(left);
  edges.to.resize(left);
  edges.weights.resize(left);
}

// Both directions of every edge.
GroupEdges with_reverses(const Comm& comm, const GroupEdges& forward, const Partition& groups) {
  const std::int64_t first = groups.begin(comm.rank()), end = groups.end(comm.rank());
  const auto is_here = [&](std::int64_t group) { return group >= first && group < end; };
  std::vector<std::vector<SentEdge>> out(to_size(comm.size()));
  forward.for_each([&](std::int64_t from, std::int32_t to, std::int32_t weight) {
    if (!is_here(to)) out[to_size(groups.owner(to))].push_back({to, static_cast<std::int32_t>(first + from), weight});
  });
  const std::vector<std::vector<SentEdge>> came = exchange_lists(comm, out, "the making of a graph");
  out = {};
  // f(group here, group, weight) for all of them.
  const auto for_all = [&](auto&& f) {
    forward.for_each([&](std::int64_t from, std::int32_t to, std::int32_t weight) {
      f(from, to, weight);
      if (is_here(to)) f(to - first, static_cast<std::int32_t>(first + from), weight);
    });
    for (const std::vector<SentEdge>& some : came)
      for (const SentEdge& edge : some) f(edge.from - first, edge.to, edge.weight);
  };
  GroupEdges both;
  both.begin.resize(forward.begin.size());
  for_all([&](std::int64_t from, std::int32_t, std::int32_t) { ++both.begin[to_size(from) + 1]; });
  std::partial_sum(both.begin.begin(), both.begin.end(), both.begin.begin());
  both.to.resize(to_size(both.begin.back()));
  both.weights.resize(both.to.size());
  std::vector<std::int64_t> place = both.begin;
  for_all([&](std::int64_t from, std::int32_t to, std::int32_t weight) {
    const std::size_t at = to_size(place[to_size(from)]++);
    both.to[at] = to;
    both.weights[at] = weight;
  });
  add_up(both);
  return both;
}

// A list of this rank, on rank 0 behind those of the ranks before.
template <class E>
std::vector<E> on_rank_0(const Comm& comm, const std::vector<E>& mine) {
  const Partition parts = as_they_are(comm, std::ssize(mine));
  std::vector<E> all;
  std::vector<Message> in, out;
  if (comm.rank() > 0) {
    if (!mine.empty()) out.push_back(message_of(0, 0, mine.data(), std::ssize(mine)));
  } else {
    all.resize(to_size(parts.num_rows()));
    std::ranges::copy(mine, all.begin());
    for (int r = 1; r < comm.size(); ++r)
      if (parts.size(r) > 0) in.push_back(message_of(r, 0, all.data() + parts.begin(r), parts.size(r)));
  }
  Messages messages(comm, in, out, "the gathering of a graph");
  messages.start();
  messages.wait();
  return all;
}

struct GroupGraph {
  std::vector<std::int32_t> degrees{};                // [groups]
  std::vector<std::int64_t> entries{};                // [groups]
  std::vector<std::int32_t> neighbours{}, weights{};  // [directed edges]
};

template <class T>
GroupGraph graph_on_rank_0(const Comm& comm, const GlobalRows<T>& rows, const RowGroups& all) {
  std::vector<std::int64_t> entries(to_size(all.groups.size(comm.rank())));
  for (std::int64_t r = 0; r < rows.num_rows(); ++r)
    entries[to_size(r / all.group_rows)] += rows.row_ptr.data()[r + 1] - rows.row_ptr.data()[r];
  const GroupEdges edges = with_reverses(comm, forward_edges(rows, all, all.groups.begin(comm.rank())), all.groups);
  std::vector<std::int32_t> degrees;
  for (std::size_t g = 0; g < entries.size(); ++g)
    degrees.push_back(static_cast<std::int32_t>(edges.begin[g + 1] - edges.begin[g]));
  return {on_rank_0(comm, degrees), on_rank_0(comm, entries), on_rank_0(comm, edges.to),
          on_rank_0(comm, edges.weights)};
}

#if MILLRACE_WITH_METIS
// The list in the integers of METIS.
std::vector<idx_t> for_metis(std::vector<std::int32_t> list) {
  if constexpr (std::is_same_v<idx_t, std::int32_t>)
    return list;
  else
    return {list.begin(), list.end()};
}

std::vector<std::int32_t> divide(GroupGraph graph, int num_parts) {
  const auto num = std::ssize(graph.degrees);
  std::vector<idx_t> part(graph.degrees.size(), 0);
  require<Unsupported>(std::ssize(graph.neighbours) <= std::numeric_limits<idx_t>::max(), "metis: the graph has ",
                       graph.neighbours.size(), " directed edges; this METIS counts in ", IDXTYPEWIDTH, " bits");
  if (num_parts == 1 || num <= num_parts || graph.neighbours.empty()) {  // METIS expects a graph to divide
    for (std::int64_t g = 0; g < num; ++g) part[to_size(g)] = static_cast<idx_t>(g * num_parts / num);
    return {part.begin(), part.end()};
  }
  const std::int64_t sum = std::accumulate(graph.entries.begin(), graph.entries.end(), std::int64_t{0});
  const std::int64_t unit = sum / 1'000'000'000 + 1;  // METIS adds weights up
  std::vector<idx_t> begin{0}, weights;
  for (std::size_t g = 0; g < graph.degrees.size(); ++g) {
    begin.push_back(begin.back() + static_cast<idx_t>(graph.degrees[g]));
    weights.push_back(static_cast<idx_t>(std::max<std::int64_t>(1, graph.entries[g] / unit)));
  }
  std::vector<idx_t> neighbours = for_metis(std::move(graph.neighbours)),
                     edge_weights = for_metis(std::move(graph.weights));
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  idx_t num_nodes = static_cast<idx_t>(num), num_weights = 1, wanted = num_parts, cut = 0;
  const int status =
      METIS_PartGraphKway(&num_nodes, &num_weights, begin.data(), neighbours.data(), weights.data(), nullptr,
                          edge_weights.data(), &wanted, nullptr, nullptr, options.data(), &cut, part.data());
  require(status != METIS_ERROR_MEMORY, "metis: no memory for a graph of ", num, " nodes and ", neighbours.size(),
          " directed edges");
  require(status == METIS_OK, "metis: METIS_PartGraphKway failed with status ", status);
  return {part.begin(), part.end()};
}
#else
std::vector<std::int32_t> divide(const GroupGraph&, int) {
  throw Unsupported("a partition by METIS was asked for, but this build has no METIS; rows and entries are accepted");
}
#endif

}  // namespace

template <class T>
std::vector<int> by_graph(const Comm& comm, const GlobalRows<T>& rows, int num_parts) {
  const RowGroups all(comm, rows.num_rows(), rows.num_entries());
  together(comm, [&] {
    require(num_parts >= 1, "by_graph: ", num_parts, " parts; 1 or more are accepted");
    check_rows(rows);
    require(rows.num_cols == all.rows.num_rows(), "by_graph: the matrix is ", all.rows.num_rows(), " x ", rows.num_cols,
            "; it must be square");
  });
  GroupGraph graph = graph_on_rank_0(comm, rows, all);
  const std::vector<std::int32_t> part = together(
      comm, [&] { return comm.rank() == 0 ? divide(std::move(graph), num_parts) : std::vector<std::int32_t>(); });
  std::vector<std::vector<std::int32_t>> out(to_size(comm.size()));
  for (int r = 0; comm.rank() == 0 && r < comm.size(); ++r)
    out[to_size(r)].assign(part.begin() + all.groups.begin(r), part.begin() + all.groups.end(r));
  const std::vector<std::int32_t> mine = exchange_lists(comm, out, "the dealing of parts")[0];
  std::vector<int> result;
  for (std::int64_t r = 0; r < rows.num_rows(); ++r) result.push_back(mine[to_size(r / all.group_rows)]);
  return result;
}

template std::vector<int> by_graph(const Comm&, const GlobalRows<float>&, int);
template std::vector<int> by_graph(const Comm&, const GlobalRows<double>&, int);
template std::vector<int> by_graph(const Comm&, const GlobalRows<std::complex<float>>&, int);
template std::vector<int> by_graph(const Comm&, const GlobalRows<std::complex<double>>&, int);

}  // namespace millrace
