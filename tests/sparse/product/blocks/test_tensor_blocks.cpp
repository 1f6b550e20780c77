// What the lanes of a warp hold of A, B and C in one step of a tensor core, and how tiles and columns cover a block
// row.
#include "millrace/base/tensor_fragments.hpp"

#include <array>

#include "support.hpp"

namespace millrace::testing {
namespace {

using tensor_core::Place;

template <class F>
void expect_once(int rows, int cols, int per_lane, F&& place_of) {
  std::vector<int> seen(static_cast<std::size_t>(rows * cols));
  for (int lane = 0; lane < 32; ++lane)
    for (int c = 0; c < per_lane; ++c) {
      const Place place = place_of(lane, c);
      ASSERT_TRUE(place.row >= 0 && place.row < rows && place.col >= 0 && place.col < cols);
      ++seen[static_cast<std::size_t>(place.row * cols + place.col)];
    }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(TensorFragments, LanesCoverEveryEntryOnce) {
  expect_once(tensor_core::rows, tensor_core::depth, 1, [](int lane, int) { return tensor_core::place_in_a(lane); });
  expect_once(tensor_core::depth, tensor_core::cols, 1, [](int lane, int) { return tensor_core::place_in_b(lane); });
  expect_once(tensor_core::rows, tensor_core::cols, 2,
              [](int lane, int c) { return tensor_core::place_in_c(lane, c); });
  // The manual's words: groupID = lane / 4, threadID_in_group = lane % 4.
  EXPECT_EQ(tensor_core::place_in_a(13), (Place{3, 1}));
  EXPECT_EQ(tensor_core::place_in_b(13), (Place{1, 3}));
  EXPECT_EQ(tensor_core::place_in_c(13, 1), (Place{3, 3}));
}

/// One step as the hardware defines it, on what 32 lanes hold.
void multiply_on_host(const std::array<double, 32>& a, const std::array<double, 32>& b,
                      std::array<std::array<double, 2>, 32>& c) {
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 4; ++k) c[lane][j] += a[lane / 4 * 4 + k] * b[(2 * (lane % 4) + j) * 4 + k];
}

/// A block row as multiply_tensor_blocks walks it: tiles and lanes with the functions of the kernel, x and the blocks
/// with small whole numbers, so that the sums are exact.
void check_block_row(Index m, Index num_blocks) {
  const Index num_columns = m * num_blocks;
  const auto value = [&](Index i, Index q) { return static_cast<double>((3 * i + 5 * q) % 17 - 8); };
  const auto x = [&](Index q, int v) { return static_cast<double>((7 * q + 11 * v) % 13 - 6); };
  std::vector<int> written(static_cast<std::size_t>(m * 8));
  const int tiles = tensor_core::tiles_of_warp(m), warps = tensor_core::warps_of_block(m);
  for (int tile = 0; tile < tiles * warps; ++tile) {
    std::array<std::array<double, 2>, 32> c{};
    std::array<tensor_core::Column, 32> at;
    for (int lane = 0; lane < 32; ++lane) at[static_cast<std::size_t>(lane)] = {0, tensor_core::place_in_b(lane).row};
    for (Index q = 0; q < num_columns; q += tensor_core::depth) {
      std::array<double, 32> a{}, b{};
      for (int lane = 0; lane < 32; ++lane) {
        const auto l = static_cast<std::size_t>(lane);
        const Place in_a = tensor_core::place_in_a(lane), in_b = tensor_core::place_in_b(lane);
        ASSERT_EQ(in_a.col, in_b.row);  // a lane walks the same columns for both
        const Index i = tile * tensor_core::rows + in_a.row, column = at[l].block * m + at[l].inside;
        ASSERT_EQ(column, q + in_a.col);
        if (at[l].block < num_blocks) {
          if (i < m) a[l] = value(i, column);
          b[l] = x(column, in_b.col);
        }
        at[l] = at[l].next(m);
      }
      multiply_on_host(a, b, c);
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int j = 0; j < 2; ++j) {
        const Place in_c = tensor_core::place_in_c(lane, j);
        const Index i = tile * tensor_core::rows + in_c.row;
        if (i >= m) continue;
        double expected = 0;
        for (Index q = 0; q < num_columns; ++q) expected += value(i, q) * x(q, in_c.col);
        ASSERT_EQ(c[static_cast<std::size_t>(lane)][static_cast<std::size_t>(j)], expected) << "row " << i;
        ++written[static_cast<std::size_t>(i * 8 + in_c.col)];
      }
  }
  for (const int count : written) EXPECT_EQ(count, 1) << "m = " << m;
}

TEST(TensorFragments, AStepAfterTheOtherIsABlockRowTimesVectors) {
  for (const Index m : {8, 9, 11, 12, 15, 16, 24, 31, 32, 33, 64, 70})
    for (const Index num_blocks : {0, 1, 2, 5}) check_block_row(m, num_blocks);
}

TEST(TensorFragments, TilesOfAWarp) {
  for (int block = 8; block <= 1024; ++block) {
    const int tiles = tensor_core::tiles_of_warp(block), warps = tensor_core::warps_of_block(block);
    EXPECT_TRUE(tiles >= 1 && tiles <= 4) << block;
    EXPECT_GE(tiles * warps * tensor_core::rows, block);
    EXPECT_LT((tiles - 1) * warps * tensor_core::rows, block) << "fewer tiles a warp would do for " << block;
  }
  EXPECT_EQ(tensor_core::tiles_of_warp(8), 1);
  EXPECT_EQ(tensor_core::tiles_of_warp(12), 2);
  EXPECT_EQ(tensor_core::tiles_of_warp(33), 3);  // five tiles for two warps
}

// A padded block names no block column, so an infinite entry of x cannot spoil the row; nor can rows beyond the block.
TEST(GpuTensorBlocks, PaddingIsNeverMultiplied) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  Queue queue(Device::gpu());
  for (const Index m : {8, 11, 24, 33, 70})
    for (const int num : {8, 16, 24}) {
      const std::vector<Index> neighbours{-1, 0, 0, 1};
      const std::vector<double> ones(static_cast<std::size_t>(4 * m * m), 1.0);
      const SparseMatrix<double> a = SparseMatrix<double>(Dbf<double>::from_blocks(m, 2, neighbours, ones));
      const SparseMatrix<double> there = a.to(Device::gpu());
      std::vector<double> x(static_cast<std::size_t>(2 * m * num), 1.0);
      for (Index v = 0; v < num; ++v)  // the second block of every vector
        std::fill_n(x.begin() + 2 * v * m + m, m, std::numeric_limits<double>::infinity());
      const Array<double> x_there = Array<double>(std::span<const double>(x)).to(Device::gpu());
      Array<double> y(Device::gpu(), 2 * m * num);
      there.apply(queue, {.x = {x_there, num}, .y = {y, num}});
      queue.wait();
      const std::vector<double> found = y.to_vector();
      for (Index v = 0; v < num; ++v)
        for (Index i = 0; i < m; ++i) ASSERT_EQ(found[static_cast<std::size_t>(2 * v * m + i)], m) << m << ", " << num;
    }
}

}  // namespace
}  // namespace millrace::testing
