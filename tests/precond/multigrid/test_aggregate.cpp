// Strong connections, roots and aggregates: what the rules promise, whatever the threads.
#include "millrace/precond/multigrid/aggregate.hpp"

#include <algorithm>
#include <numeric>

#include "multigrid_tools.hpp"

namespace millrace::testing {
namespace {

using namespace multigrid;

StrengthGraph graph_of(const Csr<double>& a, double theta, Index block = 1, int num_threads = 1) {
  Queue queue(Device::host(), num_threads);
  Diagonal<double> diagonal;
  diagonal.update(queue, a);
  return strength_graph(queue, a, diagonal, block, theta);
}

std::vector<Index> neighbours(const StrengthGraph& g, Index node) {
  return {g.row(node), g.row(node) + g.degree.data()[node]};
}

TEST(MultigridStrength, KeepsWhatIsLargeBesideBothDiagonals) {
  // With 1, 2, 2 and 1 neighbours: 1 / sqrt(4/1 9/2) = 0.236, 0.3 / sqrt(9/2 1/2) = 0.2, 0.01 / sqrt(1/2 1/1) = 0.014
  const auto a = csr_of<double>(4, {{{0, 4.0}, {1, -1.0}},
                                    {{0, -1.0}, {1, -9.0}, {2, 0.3}},
                                    {{1, 0.3}, {2, 1.0}, {3, 0.01}},
                                    {{2, 0.01}, {3, 1.0}}});
  const StrengthGraph all = graph_of(a, 0.01), some = graph_of(a, 0.19), one = graph_of(a, 0.21);
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(neighbours(all, 2), (std::vector<Index>{1, 3}));
  EXPECT_FALSE(some.complete);
  EXPECT_EQ(neighbours(some, 1), (std::vector<Index>{0, 2}));
  EXPECT_EQ(neighbours(some, 2), (std::vector<Index>{1}));
  EXPECT_EQ(some.strength.data()[some.begin.data()[1]], 60);  // 256 * 0.236
  EXPECT_EQ(neighbours(one, 1), (std::vector<Index>{0}));
  EXPECT_TRUE(neighbours(one, 2).empty());
  EXPECT_FALSE(graph_of(csr_of<double>(2, {{{0, 1.0}, {1, 0.0}}, {{1, 1.0}}}), 0).complete);  // a zero that is stored
}

TEST(MultigridStrength, IsOneInEveryLaplacianOfAGraph) {
  const Csr<double> a = neumann_grid(9, 6);
  const StrengthGraph g = graph_of(a, 0.99);
  EXPECT_TRUE(g.complete);
  for (Index i = 0; i < g.num_nodes; ++i)
    for (Index k = 0; k < g.degree.data()[i]; ++k) EXPECT_EQ(g.strength.data()[g.begin.data()[i] + k], 256);
}

TEST(MultigridStrength, OfBlocksIsThatOfTheirStrongestEntry) {
  const Csr<double> nodes = neumann_grid(7, 5), a = blown_up(nodes, 3);
  const StrengthGraph g = graph_of(a, 0.0, 3);
  ASSERT_EQ(g.num_nodes, 35);
  for (Index i = 0; i < g.num_nodes; ++i) {
    std::vector<Index> found = neighbours(g, i), expected;
    for (Offset s = nodes.row_begin(i); s < nodes.row_begin(i + 1); ++s)
      if (nodes.cols.data()[s] != i) expected.push_back(nodes.cols.data()[s]);
    std::ranges::sort(found);
    EXPECT_EQ(found, expected);
  }
}

/// Nodes by falling priority, each taken unless a node within distance 2 was.
std::vector<bool> one_after_another(const StrengthGraph& g) {
  std::vector<Index> order(to_size(g.num_nodes));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(
      order, [](Index i, Index j) { return make_key(NodeState::undecided, i) > make_key(NodeState::undecided, j); });
  std::vector<bool> root(order.size()), covered(order.size());
  for (const Index i : order) {
    if (covered[to_size(i)] || g.degree.data()[i] == 0) continue;
    root[to_size(i)] = true;
    for (const Index j : neighbours(g, i)) {
      covered[to_size(j)] = true;
      for (const Index k : neighbours(g, j)) covered[to_size(k)] = true;
    }
  }
  return root;
}

TEST(MultigridRoots, AreThoseOfOneNodeAfterAnother) {
  for (const char* name : {"laplace2d5:61", "laplace3d27:15", "laplace3d7:13,anisotropy=0.001", "hugerow:3000"}) {
    Csr<double> a = gallery::make(name);
    if (std::string(name) == "hugerow:3000") {  // both triangles of its pattern
      std::vector<Triplet<double>> entries;
      for (Index r = 0; r < a.num_rows; ++r)
        for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
          entries.push_back({r, a.cols.data()[s], 1.0}), entries.push_back({a.cols.data()[s], r, 1.0});
      a = make_csr(a.num_rows, a.num_cols, entries);
    }
    const StrengthGraph g = graph_of(a, 0.08);
    const std::vector<bool> expected = one_after_another(g);
    for (const int num_threads : {1, 3}) {
      const Array<Key> keys = choose_roots(num_threads, g);
      for (Index i = 0; i < g.num_nodes; ++i)
        ASSERT_EQ(state_of(keys.data()[i]) == NodeState::root, expected[to_size(i)]) << name << " node " << i;
    }
  }
}

TEST(MultigridAggregates, HoldEveryNodeWithANeighbourAndHangTogether) {
  for (const char* name : {"laplace2d9:70", "laplace3d7:17", "random:n=20000,k=3", "powerlaw:20000", "laplace2d5:1"}) {
    const Csr<double> a = gallery::make(name);
    const StrengthGraph g = graph_of(a, 0.1);
    Queue one(Device::host(), 1), four(Device::host(), 4);
    const Aggregates made = make_aggregates(one, g);
    EXPECT_EQ(make_aggregates(four, graph_of(a, 0.1, 1, 4)).of.to_vector(), made.of.to_vector()) << name;
    std::vector<Index> size(to_size(made.num), 0);
    for (Index i = 0; i < g.num_nodes; ++i) {
      const Index own = made.of.data()[i];
      ASSERT_EQ(own < 0, g.degree.data()[i] == 0) << name << " node " << i;
      if (own < 0) continue;
      ASSERT_LT(own, made.num);
      ++size[to_size(own)];
    }
    EXPECT_EQ(std::ranges::count(size, 0), 0) << name;
    const Array<Key> keys = choose_roots(1, g);
    for (Index i = 0; i < g.num_nodes; ++i) {
      if (made.of.data()[i] < 0 || state_of(keys.data()[i]) == NodeState::root) continue;
      const std::vector<Index> around = neighbours(g, i);
      EXPECT_TRUE(std::ranges::any_of(around, [&](Index j) { return made.of.data()[j] == made.of.data()[i]; }))
          << name << " node " << i;
    }
  }
}

}  // namespace
}  // namespace millrace::testing
