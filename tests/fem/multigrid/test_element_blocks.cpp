// Blocks of elements: eigenvectors of a line, exact inverses of bricks, symmetry, and the mass beside the diffusion.
#include "millrace/fem/multigrid/element_blocks.hpp"

#include "fem/fem_tools.hpp"
#include "on_gpu.hpp"

namespace millrace::testing {
namespace {

using multigrid::BlockStep;
using multigrid::ElementBlocks;
using multigrid::LineBlock;
using multigrid::make_line_block;

template <class W>
std::vector<W> diagonal_of(const ElementOperator<W>& a) {
  Queue queue;
  std::vector<W> diagonal(static_cast<std::size_t>(a.shape().rows));
  a.diagonal(queue, diagonal);
  return diagonal;
}

TEST(LineBlock, VectorsAreOrthonormalAndMakeTheMatrixDiagonal) {
  for (int order = 1; order <= 16; ++order) {
    const LineBlock line = make_line_block(order);
    const auto P = static_cast<std::size_t>(order + 1);
    ASSERT_EQ(line.values.size(), P);
    for (std::size_t i = 0; i < P; ++i) {
      double stiffness = 0;  // A = B S L S^T B, on the diagonal
      for (std::size_t k = 0; k < P; ++k) {
        const double s = line.vectors[i * P + k];
        stiffness += line.mass[i] * s * line.values[k] * s * line.mass[i];
        double sum = 0;  // S^T B S
        for (std::size_t j = 0; j < P; ++j) sum += line.vectors[j * P + i] * line.mass[j] * line.vectors[j * P + k];
        EXPECT_NEAR(sum, i == k ? 1 : 0, 1e-12) << order;
      }
      EXPECT_NEAR(stiffness, line.stiffness[i], 1e-11 * line.stiffness[i]) << order;
    }
    EXPECT_GT(line.values.front(), 0);
  }
}

/// In the middle of a uniform box, M^-1 is the inverse of the matrix of one element's nodes, shared among elements: a
/// residual on the inner nodes of an element comes back as that matrix's inverse times it, at those nodes.
TEST(ElementBlocks, InvertBricksExactly) {
  for (const Cell cell : {Cell::quad, Cell::hex}) {
    const int order = cell == Cell::quad ? 4 : 2;
    const Mesh mesh = make_box(cell, {3, 3, 3}, {{0, 0, 0}, {3, 1.5, 6}});
    const Space space = make_space(mesh, order);
    const ElementOptions element{.points = Points::on_nodes()};
    const auto a = cell == Cell::quad ? make_element_operator<double>(mesh, space, fem::Diffusion<2>{{3.0}}, element)
                                      : make_element_operator<double>(mesh, space, fem::Diffusion<3>{{3.0}}, element);
    const auto diagonal = diagonal_of(a);
    std::vector<double> mass;
    const ElementBlocks<double> blocks(Device::host(), mesh, space, {}, diagonal, false, mass);
    const int middle = cell == Cell::quad ? 4 : 13, nodes = space.only_block().restriction.nodes;
    const Index* mine = space.only_block().restriction.offsets.data() + Offset{middle} * nodes;
    // u is anything on the inner nodes of the element alone; A u is on its nodes alone.
    std::vector<double> u(diagonal.size(), 0.0);
    Random random(7);
    for (int n = 0; n < nodes; ++n) {
      int rest = n;
      bool inside = true;
      for (int d = 0; d < mesh.dim; ++d, rest /= order + 1) inside &= rest % (order + 1) % order != 0;
      if (inside) u[static_cast<std::size_t>(mine[n])] = random.uniform();
    }
    auto r = product(a, u);
    for (int n = 0; n < nodes; ++n) {  // the element's own weight, undone on the way in
      const auto i = static_cast<std::size_t>(mine[n]);
      int sharing = 0;
      for (const Index m : space.only_block().restriction.offsets.span()) sharing += m == mine[n];
      r[i] *= std::sqrt(sharing);
    }
    // Neighbours see their shared nodes of r, too, and answer there; inner nodes hear this element alone.
    const auto y = product(blocks, r);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i] == 0 ? 0 : y[i], u[i], 1e-12) << name(cell);
  }
}

TEST(ElementBlocks, AreSymmetricAndPositiveAndKeepConstrainedNodes) {
  for (const Cell cell : {Cell::quad, Cell::hex}) {
    const Mesh mesh = warped_box(cell, 3, 2);
    const Space space = make_space(mesh, 3, 2);
    const auto n = static_cast<std::size_t>(space.num_dofs());
    std::vector<double> diagonal(n), mass;
    for (std::size_t i = 0; i < n; ++i) diagonal[i] = 1.5 + std::sin(static_cast<double>(i));
    const auto& held = space.boundary[1].nodes;
    const ElementBlocks<double> blocks(Device::host(), mesh, space, held, diagonal, false, mass);
    const auto x = random_vector<double>(space.num_dofs(), 1), y = random_vector<double>(space.num_dofs(), 2);
    const auto mx = product(blocks, x), my = product(blocks, y);
    EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-13 * std::sqrt(dot(mx, mx) * dot(y, y)));
    EXPECT_GT(dot(mx, x), 0);
    for (const Index node : held) EXPECT_EQ(mx[static_cast<std::size_t>(node)], x[static_cast<std::size_t>(node)]);
    EXPECT_TRUE(same_bits<double>(mx, product(blocks, x, 3)));
    // A step: z = keep z + add M^-1 x, y += weight z.
    auto z = y, to = x;
    Queue queue;
    blocks.step(queue, {.keep = 0.5, .add = 2, .weight = -1, .r = x.data(), .z = z.data(), .x = to.data()});
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(z[i], 0.5 * y[i] + 2 * mx[i], 1e-13);
      ASSERT_NEAR(to[i], x[i] - z[i], 1e-13);
    }
  }
}

TEST(ElementBlocks, FindTheMassBesideTheDiffusion) {
  const Mesh mesh = make_box(Cell::hex, {2, 2, 2});
  for (const double rho : {0.0, 1.0, 1e4}) {
    const Space space = make_space(mesh, 4);
    const auto a =
        make_element_operator<double>(mesh, space, fem::Helmholtz<3>{{2.0}, {rho}}, {.points = Points::on_nodes()});
    std::vector<double> mass;
    const ElementBlocks<double> blocks(Device::host(), mesh, space, {}, diagonal_of(a), true, mass);
    ASSERT_EQ(mass.size(), 8U);
    for (const double found : mass) EXPECT_NEAR(found, rho / 2, 1e-6 * rho + 1e-8);
  }
}

TEST(GpuElementBlocks, GiveWhatTheHostGives) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  for (int order = 1; order <= 8; ++order) {
    const Mesh mesh = warped_box(Cell::hex, 3, 1);
    const Space space = make_space(mesh, order, 2);
    std::vector<double> diagonal(static_cast<std::size_t>(space.num_dofs()), 2.0), mass;
    const auto make = [&](Device device) {
      return ElementBlocks<double>(device, mesh, space, space.boundary[0].nodes, diagonal, false, mass);
    };
    const ElementBlocks<double> here = make(Device::host()), there = make(Device::gpu());
    const auto x = random_vector<double>(space.num_dofs(), 1);
    const auto expected = product(here, x);
    Queue gpu(Device::gpu());
    Array<double> y(Device::gpu(), space.num_dofs());
    there.apply(gpu, {.x = on_gpu(x), .y = y});
    gpu.wait();
    const auto found = y.to_vector();
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12) << order;
  }
}

}  // namespace
}  // namespace millrace::testing
