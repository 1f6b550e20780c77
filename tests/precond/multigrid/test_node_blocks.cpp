// Inverses of the blocks of nodes, those that have none, and the smoother and the bound of eigenvalues made of them.
#include "millrace/precond/multigrid/node_blocks.hpp"

#include "millrace/precond/block_jacobi.hpp"
#include "millrace/precond/multigrid/diagonal.hpp"
#include "millrace/precond/multigrid/largest_eigenvalue.hpp"
#include "millrace/precond/multigrid/smoother.hpp"
#include "multigrid_tools.hpp"

namespace millrace::testing {
namespace {

using namespace multigrid;

template <class W>
NodeBlocks<W> blocks_of(const Csr<W>& a, Index size) {
  Queue queue(Device::host(), 2);
  Diagonal<W> diagonal;
  diagonal.update(queue, a);
  NodeBlocks<W> blocks(Device::host(), a.num_rows, size);
  blocks.update(queue, a, diagonal.value);
  return blocks;
}

TEST(MultigridNodeBlocks, AreThoseOfBlockJacobi) {
  const Lattice held = spring_lattice(20, true);
  Queue queue;
  const NodeBlocks<double> blocks = blocks_of(held.matrix, 2);
  EXPECT_EQ(blocks.num_replaced(), 0);
  EXPECT_EQ(blocks.bytes(), 400 * 4 * 8);
  const BlockJacobi<double> expected(queue, held.matrix, {.size = 2});
  const auto x = random_vector<double>(800, 3);
  EXPECT_EQ(apply_to<double>(blocks, x, 2), apply_to<double>(expected, x));
  EXPECT_EQ(blocks.traffic(1, true).total(), expected.traffic(1, true).total());
  expect_scaled_application(blocks, 10 * eps<double>);
}

TEST(MultigridNodeBlocks, HaveTheDiagonalWhereTheyAreSingular) {
  // Blocks of 2: good; singular; nearly so; without one of its rows; with signs that are not those of its diagonal;
  // zero; and far from 1.
  const Csr<double> a = csr_of<double>(14, {{{0, 2.0}, {1, 1.0}},
                                            {{0, 1.0}, {1, 2.0}},
                                            {{2, 4.0}, {3, 4.0}},
                                            {{2, 4.0}, {3, 4.0}},
                                            {{4, 1.0}, {5, 1.0}},
                                            {{4, 1.0}, {5, 1.0 + 4e-15}},
                                            {{6, 5.0}, {0, 1.0}},
                                            {},
                                            {{8, 1.0}, {9, 2.0}},
                                            {{8, 2.0}, {9, 1.0}},
                                            {},
                                            {},
                                            {{12, 2e-200}, {13, 1e-200}},
                                            {{12, 1e-200}, {13, 2e-200}}});
  const NodeBlocks<double> blocks = blocks_of(a, 2);
  EXPECT_EQ(blocks.num_replaced(), 4);  // the zero block has ones on its diagonal
  const std::vector<double> y = apply_to<double>(blocks, std::vector<double>(14, 3.0));
  const double expected[] = {1, 1, 0.75, 0.75, 3, 3 / (1 + 4e-15), 0.6, 3, 3, 3, 3, 3, 1e200, 1e200};
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i] / expected[i], 1, 1e-14) << i;
}

TEST(MultigridNodeBlocks, SmoothAsTheDiagonalDoesWithBlocksOfOne) {
  const Csr<double> csr = gallery::make("laplace2d5:20,contrast=30");
  const SparseMatrix<double> a(csr, "csr");
  const NodeBlocks<double> blocks = blocks_of(csr, 1);
  Queue queue(Device::host(), 2);
  Diagonal<double> diagonal;
  diagonal.update(queue, csr);
  std::vector<double> inverse;
  for (const double d : diagonal.value.to_vector()) inverse.push_back(1 / d);
  const auto b = random_vector<double>(400, 5);
  std::vector<double> r(400), z(400), q(400);
  const SmootherMemory<double> memory{r.data(), z.data(), q.data()};
  for (const AmgSmoother kind : {AmgSmoother::chebyshev, AmgSmoother::fourth_kind_optimal, AmgSmoother::block_jacobi})
    for (const int degree : {1, 2, 3, 5})
      for (const bool from_zero : {true, false}) {
        const auto steps = smoother_steps({.smoother = kind, .degree = degree}, 2);
        std::vector<double> x = from_zero ? std::vector<double>(400, NAN) : random_vector<double>(400, 6), y = x;
        smooth<double>(queue, a, inverse.data(), steps, b.data(), x.data(), from_zero, memory);
        smooth<double>(queue, a, blocks, steps, b.data(), y.data(), from_zero, memory);
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-13 * (1 + std::abs(x[i])));
      }
  const LargestEstimate one = estimate_largest(queue, a, inverse.data(), 12),
                        other = estimate_largest<double>(queue, a, blocks, 12);
  EXPECT_NEAR(one.all, other.all, 1e-10);
  EXPECT_NEAR(one.third, other.third, 1e-10);
}

TEST(MultigridNodeBlocks, BoundEigenvaluesThatBlocksMakeSmall) {
  Queue queue;
  const Csr<double> grid = gallery::make("laplace2d5:16"), csr = kron(grid, {1, 0.9, 0.9, 1}, 2);
  const SparseMatrix<double> a(csr, "csr");
  const NodeBlocks<double> blocks = blocks_of(csr, 2);
  EXPECT_NEAR(estimate_largest<double>(queue, a, blocks, 50).all / 1.1, 1 + std::cos(M_PI / 17), 1e-6);
  const NodeBlocks<float> narrow = blocks_of(convert_values<float>(csr), 2);
  const SparseMatrix<float> floats(convert_values<float>(csr), "csr");
  EXPECT_NEAR(estimate_largest<float>(queue, floats, narrow, 30).all / 1.1, 1 + std::cos(M_PI / 17), 1e-3);
}

}  // namespace
}  // namespace millrace::testing
