// Orders of cells and points: nothing is lost, neighbours come close, and it is the same every time.
#include <set>

#include "mesh/mesh_tools.hpp"
#include "millrace/mesh/reorder.hpp"

namespace millrace {
namespace {
using namespace testing;

// Mean distance of the smallest and largest point number of a cell.
double spread(const Mesh& mesh) {
  double sum = 0;
  for (const CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.num_cells(); ++c) {
      const auto [low, high] = std::minmax_element(block.nodes_of(c).begin(), block.nodes_of(c).end());
      sum += *high - *low;
    }
  return sum / mesh.num_cells();
}

Mesh scrambled(Cell cell, int n) {
  Mesh mesh = make_box(cell, {n, n, n}, {}, 2);
  deform(mesh, bend);
  shuffle_points(mesh, 3);
  CellBlock& block = mesh.blocks[0];
  const CellBlock old = block.clone();
  const auto order = random_order(block.num_cells(), 4);
  for (Index c = 0; c < block.num_cells(); ++c) {
    std::copy(old.nodes_of(order[at(c)]).begin(), old.nodes_of(order[at(c)]).end(), block.nodes_of(c).begin());
    const Point x = mesh.point(block.nodes_of(c)[0]);
    block.tag.data()[c] = static_cast<std::int32_t>(1000 * x[0]);  // a tag that tells where the cell is
  }
  return mesh;
}

// All cells by the places of their nodes, with their tags.
std::multiset<std::vector<double>> contents(const Mesh& mesh, const std::vector<CellBlock>& blocks) {
  std::multiset<std::vector<double>> all;
  for (const CellBlock& block : blocks)
    for (Index c = 0; c < block.num_cells(); ++c) {
      std::vector<double> cell{static_cast<double>(block.tag.data()[c])};
      for (const Index p : block.nodes_of(c))
        for (const double x : mesh.point(p)) cell.push_back(x);
      all.insert(cell);
    }
  return all;
}

TEST(Reorder, KeepsAllAndBringsNeighboursTogether) {
  for (const Cell cell : all_cells)
    for (const CellOrder kind : {CellOrder::hilbert, CellOrder::rcm}) {
      const Mesh old = scrambled(cell, dim(cell) == 2 ? 24 : 8);
      Mesh mesh = old.clone(), again = old.clone();
      reorder(mesh, kind);
      reorder(again, kind);
      EXPECT_EQ(contents(mesh, mesh.blocks), contents(old, old.blocks)) << name(cell);
      EXPECT_EQ(contents(mesh, mesh.boundary), contents(old, old.boundary)) << name(cell);
      EXPECT_TRUE(same_bits<Index>(mesh.blocks[0].nodes.span(), again.blocks[0].nodes.span()));
      EXPECT_LT(spread(mesh), spread(old) / 4) << name(cell);
      Index seen = -1;  // points are numbered as cells use them
      for (const Index p : mesh.blocks[0].nodes.span()) {
        ASSERT_LE(p, seen + 1);
        seen = std::max(seen, p);
      }
    }
}

TEST(Reorder, HilbertWalksFromNeighbourToNeighbour) {
  for (const Cell cell : {Cell::quad, Cell::hex}) {
    const int n = 8;
    const Mesh mesh = make_box(cell, {n, n, n});
    const auto order = make_cell_order(mesh, mesh.only_block(), CellOrder::hilbert);
    for (std::size_t k = 1; k < order.size(); ++k) {
      const auto place = [&](Index c) { return Lattice{c % n, c / n % n, c / n / n}; };
      int steps = 0;
      for (std::size_t d = 0; d < 3; ++d) steps += std::abs(place(order[k])[d] - place(order[k - 1])[d]);
      ASSERT_EQ(steps, 1) << name(cell);
    }
  }
}

}  // namespace
}  // namespace millrace
