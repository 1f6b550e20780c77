// The surrogates of the row-grouped CSR paper: a finite-difference matrix and three circuits.
#include <cmath>

#include "millrace/sparse/gallery/mesh_graph.hpp"
#include "millrace/sparse/gallery/random.hpp"
#include "millrace/sparse/gallery/surrogates.hpp"

namespace millrace::gallery {
namespace {

struct Circuit {
  std::int64_t num_rows;               // of the original
  double mean;                         // row length
  std::vector<std::int64_t> hub_rows;  // lengths of the rows of its supply nets, in the original
};

/// Links of a node that belongs to no supply net, before they are scaled to the mean.
constexpr Share net_shares[] = {{0, 80},  {1, 120}, {2, 180}, {3, 220}, {4, 160},
                                {5, 100}, {6, 60},  {8, 40},  {12, 30}, {20, 10}};

/// Nets between near nodes, and a few nets (ground, supply) that reach a given number of nodes each.
Csr<double> make_circuit(const Values& values, const Progress& progress, const Circuit& circuit) {
  const Index n = scaled_points(values, circuit.num_rows, 1, 500);
  const auto num_hubs = static_cast<Index>(circuit.hub_rows.size());
  const auto hub = [&](Index k) { return static_cast<Index>(std::int64_t{n} * (k + 1) / (num_hubs + 1)); };
  std::vector<bool> is_hub(static_cast<std::size_t>(n));
  for (Index k = 0; k < num_hubs; ++k) is_hub[static_cast<std::size_t>(hub(k))] = true;

  std::vector<Edge> hub_edges;
  for (Index k = 0; k < num_hubs; ++k) {
    // Among all other nodes, evenly spread: node number e of them belongs to the net when e wanted / all steps up.
    const std::int64_t length = circuit.hub_rows[static_cast<std::size_t>(k)], all = n - num_hubs;
    const std::int64_t scaled = (length * n + circuit.num_rows / 2) / circuit.num_rows;
    const std::int64_t wanted = std::clamp<std::int64_t>(scaled, 2, all) - 1;
    std::int64_t e = 0;
    for (Index i = 0; i < n; ++i) {
      if (is_hub[static_cast<std::size_t>(i)]) continue;
      if ((e + 1) * wanted / all > e * wanted / all) hub_edges.push_back({std::min(i, hub(k)), std::max(i, hub(k))});
      ++e;
    }
  }

  double mean_share = 0;
  for (const Share share : net_shares) mean_share += share.length * share.weight;
  mean_share /= 1000;
  const double mean_links = circuit.mean - 1 - 2 * static_cast<double>(hub_edges.size()) / n;
  double scaled_links[21] = {};  // [longest share + 1]
  for (const Share share : net_shares) scaled_links[share.length] = share.length * (mean_links / mean_share);
  const Random random(values.seed(), 6);
  std::vector<Index> lengths = draw_lengths(n, net_shares, values.seed());
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double links = scaled_links[lengths[at]], part = links - std::floor(links);
    lengths[at] = is_hub[at] ? 1 : 1 + static_cast<Index>(links) + (random.unit(i) < part ? 1 : 0);
  }
  std::vector<Edge> edges = mesh_edges(lengths, {2, 4}, values.seed());
  edges.insert(edges.end(), hub_edges.begin(), hub_edges.end());
  return fill_blocks(symmetric_pattern(n, edges, values.num_threads()), 1, values, progress);
}

}  // namespace

Csr<double> make_like_fd18(const Values& values, const Progress& progress) {
  constexpr Share shares[] = {{1, 20}, {2, 80}, {3, 270}, {4, 345}, {5, 220}, {6, 65}};
  const Index n = scaled_points(values, 16'248, 1, 100);
  const std::vector<Index> lengths = draw_lengths(n, shares, values.seed());
  Index side = 1;
  while (std::int64_t{side + 1} * (side + 1) <= n) ++side;
  const Index steps[] = {1, -side, side, -1, side + 1, -side - 1, 2, -2, 2 * side, -2 * side};
  const Random random(values.seed(), 6);
  const auto columns = [&](Index row, std::vector<Index>& list) {  // some of the steps that stay inside, in turn
    const auto wanted = static_cast<std::size_t>(lengths[static_cast<std::size_t>(row)]);
    list.push_back(row);
    auto k = static_cast<std::size_t>(random.below(4, row));
    for (; list.size() < wanted; ++k) {
      const std::int64_t col = std::int64_t{row} + steps[k % std::size(steps)];
      if (col >= 0 && col < n) list.push_back(static_cast<Index>(col));
    }
    std::sort(list.begin(), list.end());
  };
  return fill_blocks(pattern_from_rows(n, values.num_threads(), columns), 1, values, progress);
}

Csr<double> make_like_g2(const Values& values, const Progress& progress) {
  constexpr Share shares[] = {{2, 30}, {3, 60}, {4, 210}, {5, 440}, {6, 260}};
  const Index n = scaled_points(values, 150'102, 1, 100);
  const std::vector<Index> lengths = draw_lengths(n, shares, values.seed());
  const std::vector<Edge> edges = mesh_edges(lengths, {2, 2}, values.seed());
  return fill_laplacian(symmetric_pattern(n, edges, values.num_threads()), values, progress);
}

Csr<double> make_like_trans4(const Values& values, const Progress& progress) {
  return make_circuit(values, progress, {116'835, 6.600, {3'100, 114'190, 1'200, 350}});
}

Csr<double> make_like_raj1(const Values& values, const Progress& progress) {
  return make_circuit(values, progress, {263'743, 4.938, {9'000, 3'000, 40'468, 17'000, 800, 200}});
}

}  // namespace millrace::gallery
