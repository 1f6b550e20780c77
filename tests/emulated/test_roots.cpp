// Roots and aggregates in the rounds of a GPU, lane by lane on the host: those of the host, whatever the order.
#include <numeric>
#include <random>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/aggregate.hpp"
#include "millrace/precond/multigrid/join_cuda.cuh"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

using namespace multigrid;

/// Whether or not it is symmetric; some nodes have no neighbours, some have one twice.
StrengthGraph random_graph(Index num_nodes, Index most, bool symmetric, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<Index>> rows(to_size(num_nodes));
  for (Index i = 0; i < num_nodes; ++i) {
    const Index reach = random() % 2 ? num_nodes : 20;
    for (Index k = static_cast<Index>(random() % to_size(most + 1)); k > 0; --k) {
      const Index j = (i + 1 + static_cast<Index>(random() % to_size(reach))) % num_nodes;
      if (j == i || i % 17 == 0 || j % 17 == 0) continue;
      rows[to_size(i)].push_back(j);
      if (symmetric) rows[to_size(j)].push_back(i);
    }
  }
  Queue host;
  Offset places = 0;
  for (const auto& row : rows) places += std::ssize(row) + 1;
  StrengthGraph g(host, num_nodes, places);
  Offset at = 0;
  for (Index i = 0; i < num_nodes; ++i) {
    g.begin.data()[i] = at;
    g.degree.data()[i] = static_cast<Index>(rows[to_size(i)].size());
    for (const Index j : rows[to_size(i)]) {
      g.strength.data()[at] = static_cast<std::uint16_t>(random() % 4 + (random() % 9 ? 1 : 0));
      g.neighbours.data()[at++] = j;
    }
    ++at;  // a place that the row does not use
  }
  g.begin.data()[num_nodes] = at;
  return g;
}

StrengthGraph gallery_graph(const char* name) {
  Queue host;
  const Csr<double> a = gallery::make(name);
  Diagonal<double> diagonal;
  diagonal.update(host, a);
  return strength_graph(host, a, diagonal, 1, 0.1);
}

/// A round's launch: as many thread blocks as `most` nodes need, or more.
template <int Lanes>
auto launcher(int& num_launches) {
  return [&](const char*, auto kernel, Index most, const auto&... args) {
    constexpr int each = emulated::nodes_per_block<Lanes>;
    ++num_launches;
    emulator::launch(dim3(static_cast<unsigned>(most / each + 1)), dim3(256), 0, [&] { kernel(args...); });
  };
}

struct Roots {
  std::vector<std::uint8_t> state;
  std::vector<emulated::Near> near;
  bool mutual = false;
};

template <int Lanes>
Roots emulated_roots(const GraphView& g, int& num_launches) {
  const auto n = to_size(g.num_nodes);
  Roots made{std::vector<std::uint8_t>(n, 77), std::vector<emulated::Near>(n, 123456789)};
  std::vector<Index> lists[2];
  for (auto& list : lists) list.assign(n, -5);
  emulated::Counts counts{};
  const emulated::RootsOutput out{made.state.data(), made.near.data(), {lists[0].data(), lists[1].data()}, &counts};
  made.mutual = emulated::run_rounds<Lanes>(g, out, launcher<Lanes>(num_launches), [&] { return counts; });
  return made;
}

template <int Lanes>
std::vector<Index> emulated_aggregates(const GraphView& g, const Roots& roots, Index& num) {
  const std::vector<std::uint8_t>& state = roots.state;
  const auto n = to_size(g.num_nodes);
  const auto blocks = static_cast<unsigned>(g.num_nodes - 1) / emulated::nodes_per_count + 1;
  std::vector<Offset> sums(blocks, -1);
  std::vector<Index> of(n, -77), rest(n, -5), joined(n, -5);
  emulator::launch(dim3(blocks), dim3(256), 0, [&] { emulated::count_roots(state.data(), g.num_nodes, sums.data()); });
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  num = static_cast<Index>(sums.back());
  emulator::launch(dim3(blocks), dim3(256), 0,
                   [&] { emulated::number_roots(state.data(), g.num_nodes, sums.data(), of.data()); });
  Index num_rest = 0;
  int num_launches = 0;
  const emulated::Kept kept{rest.data(), &num_rest};
  if (roots.mutual)
    launcher<1>(num_launches)("", emulated::join_known_roots, g.num_nodes, g, roots.near.data(), kept, of.data());
  else
    launcher<Lanes>(num_launches)("", emulated::join_roots<Lanes>, g.num_nodes, g, state.data(), kept, of.data());
  const emulated::Nodes nodes{num_rest, rest.data(), &num_rest};
  emulator::launch(dim3(static_cast<unsigned>(num_rest * Lanes / 256 + 1)), dim3(256), 0,
                   [&] { emulated::join_rest<Lanes>(g, nodes, of.data(), joined.data()); });
  for (Index i = 0; i < num_rest; ++i) of[to_size(rest[to_size(i)])] = joined[to_size(i)];
  return of;
}

template <int Lanes>
void expect_as_host(const StrengthGraph& graph, bool mutual, const std::string& what) {
  const GraphView g = graph.view();
  Queue host;
  const Array<Key> keys = choose_roots(1, graph);
  const Aggregates expected = make_aggregates(host, graph);
  int num_launches[2] = {};
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    const Roots roots = emulated_roots<Lanes>(g, num_launches[backwards]);
    EXPECT_EQ(roots.mutual, mutual) << what;
    for (Index i = 0; i < g.num_nodes; ++i)
      ASSERT_EQ(roots.state[to_size(i)], static_cast<int>(state_of(keys.data()[i]))) << what << ", node " << i;
    Index num = -1;
    ASSERT_EQ(emulated_aggregates<Lanes>(g, roots, num), expected.of.to_vector()) << what;
    EXPECT_EQ(num, expected.num) << what;
  }
  emulator::backwards = false;
  EXPECT_EQ(num_launches[0], num_launches[1]) << what;
}
void expect_as_host(const StrengthGraph& graph, bool mutual, const std::string& what) {
  expect_as_host<1>(graph, mutual, what);
  expect_as_host<8>(graph, mutual, what);
}

TEST(EmulatedRoots, AndAggregatesAreThoseOfTheHostOnGrids) {
  for (const char* name : {"laplace3d7:11", "laplace2d5:1", "laplace2d5:16", "laplace3d27:7"})
    expect_as_host(gallery_graph(name), true, name);
}

TEST(EmulatedRoots, AndAggregatesAreThoseOfTheHostOnAnyGraph) {
  unsigned seed = 3;
  for (const bool symmetric : {true, false})
    for (const Index num_nodes : {1, 256, 1025})
      for (const Index most : {3, 9, 40})
        expect_as_host(random_graph(num_nodes, most, symmetric, ++seed), symmetric || num_nodes == 1,
                       join(num_nodes, " nodes, up to ", most, " neighbours"));
  expect_as_host<8>(random_graph(280, 279, false, 5), false, "rows of which the first 256 count");
}

}  // namespace
}  // namespace millrace::testing
