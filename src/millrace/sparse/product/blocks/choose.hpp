// Which kernel multiplies dense blocks on a GPU, and the numbers it is launched with: plain functions of facts, which
// the host can test. Nothing here launches.
#pragma once

#include <algorithm>
#include <utility>

#include "millrace/base/scalar.hpp"
#include "millrace/sparse/block_format.hpp"

namespace millrace::cuda {

/// rows: the schedule of all row formats. small: some lanes per block row. equal: the same where all block rows are
/// equally wide, all loads at once. warp: one warp per block row. wide: one thread block per block row. split: columns
/// of all block rows shared out evenly. tensor: 8 or 16 vectors at once on tensor cores.
enum class BlockKernel { rows, small, equal, warp, wide, split, tensor };

struct BlockFacts {
  Index block = 1;
  int value_bytes = 8;
  bool complex_values = false;
  bool contiguous = true;
  bool known_width = false;  // is it known without a look where block rows begin?
  Index uniform_width = 0;   // blocks of every block row; 0: they differ
  Index max_columns = 0;     // of a block row, as far as that is known
};

template <BlockFormat View>
BlockFacts block_facts(const View& a) {
  using A = typename View::value_type;
  return {a.block,        static_cast<int>(sizeof(A)), is_complex<A>,
          a.contiguous(), View::may_be_uniform,        a.uniform_blocks().width,
          a.max_columns()};
}

/// Sizes of blocks for which a kernel was compiled; others take the wide kernel of run-time size.
using SmallSizes = std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8>;
using EqualSizes = std::integer_sequence<int, 5, 6, 7, 8>;
using WarpSizes = std::integer_sequence<int, 12, 15, 16, 28, 32>;
using WideSizes = std::integer_sequence<int, 20, 24, 30>;
template <int... Sizes>
constexpr bool is_among(int size, std::integer_sequence<int, Sizes...>) {
  return ((size == Sizes) || ...);
}

/// Rows of a column that one load takes: as many as 16 bytes hold, if they divide the block.
MILLRACE_HD constexpr int rows_of_load(int block, int value_bytes) {
  int rows = 16 / value_bytes;
  while (block % rows != 0) rows /= 2;
  return rows;
}
template <class A>
MILLRACE_HD constexpr int rows_of_load(int block) {
  return is_complex<A> ? 1 : rows_of_load(block, static_cast<int>(sizeof(A)));
}

/// Loads of a lane in flight, and block rows per warp, for blocks of 5 to 8 rows of multiply_equal_blocks: enough for
/// the 5 or 7 blocks of a face, and 7 of a cell; benchmarks/records/h200-blocks.json is with these.
struct EqualBlocks {
  int batch, rows;
};
MILLRACE_HD constexpr EqualBlocks equal_blocks(int block, int value_bytes) {
  const int columns = 32 / (block / rows_of_load(block, value_bytes)), batch = (7 * block + columns - 1) / columns;
  return {block == 8 ? (5 * block + columns - 1) / columns : batch, block == 8 ? 1 : 2};
}
/// Threads of a thread block: many where there are many block rows of 8, since a new thread block costs time (0.3 % of
/// 4 GB on an H200), few where those shall be on all multiprocessors.
constexpr int max_equal_threads(int block) { return block == 8 ? 512 : 128; }
constexpr int equal_threads(int block, Index num_block_rows) {
  return num_block_rows < 200000 ? 128 : max_equal_threads(block);
}
/// Columns of a block row that all its loads in flight reach.
constexpr int max_equal_columns(int block, int value_bytes) {
  return 32 / (block / rows_of_load(block, value_bytes)) * equal_blocks(block, value_bytes).batch;
}

/// Columns whose entries of x multiply_warp_blocks and multiply_wide_blocks hold for K vectors at a time.
template <int K>
inline constexpr int warp_stage = 256 / K;
template <int K>
inline constexpr int wide_stage = 4096 / K;

/// Blocks of more rows are split (benchmarks/records/papers-hdg-large-h200.json).
inline constexpr Index max_whole_rows = 210;
/// The largest odd size, which has one thread per row.
inline constexpr int max_pair_rows = 288;

constexpr bool can_be_equal(const BlockFacts& f) {
  return f.uniform_width > 0 && f.uniform_width <= 32 && is_among(f.block, EqualSizes{}) &&
         f.uniform_width * f.block <= max_equal_columns(f.block, f.value_bytes);
}
constexpr bool can_be_split(const BlockFacts& f) {
  return f.uniform_width > 0 && f.block > max_whole_rows && f.max_columns <= wide_stage<1> &&
         (f.block <= max_pair_rows || rows_of_load(f.block, f.value_bytes) > 1);
}

/// The kernel for that many vectors in one pass: 1, 4, or 8 and more.
constexpr BlockKernel choose_block_kernel(const BlockFacts& f, int num_vectors) {
  if (f.complex_values || f.block == 1 || !f.contiguous) return BlockKernel::rows;
  if (f.value_bytes == 8 && f.block >= 8 && num_vectors >= 8) return BlockKernel::tensor;
  if (num_vectors == 1 && can_be_equal(f)) return BlockKernel::equal;
  if (is_among(f.block, SmallSizes{})) return BlockKernel::small;
  if (is_among(f.block, WarpSizes{})) return BlockKernel::warp;
  if (num_vectors == 1 && can_be_split(f)) return BlockKernel::split;
  return BlockKernel::wide;
}

namespace detail {
constexpr BlockFacts faces(Index block, Index width) {  // of HDG: as many neighbours for every face
  return {.block = block, .known_width = true, .uniform_width = width, .max_columns = width * block};
}
}  // namespace detail
static_assert(choose_block_kernel({.block = 1}, 1) == BlockKernel::rows);
static_assert(choose_block_kernel({.block = 5, .max_columns = 100000}, 1) == BlockKernel::small);
static_assert(choose_block_kernel(detail::faces(8, 5), 1) == BlockKernel::equal);
static_assert(choose_block_kernel(detail::faces(8, 5), 4) == BlockKernel::small);
static_assert(choose_block_kernel(detail::faces(8, 5), 16) == BlockKernel::tensor);
static_assert(choose_block_kernel(detail::faces(8, 40), 1) == BlockKernel::small);
static_assert(choose_block_kernel(detail::faces(15, 5), 1) == BlockKernel::warp);
static_assert(choose_block_kernel(detail::faces(20, 5), 1) == BlockKernel::wide);
static_assert(choose_block_kernel(detail::faces(330, 5), 1) == BlockKernel::split);
static_assert(choose_block_kernel(detail::faces(331, 5), 1) == BlockKernel::wide);

/// Lanes of a warp per block row of multiply_small_blocks.
MILLRACE_HD constexpr int lanes_of_blocks(int block) { return block <= 3 ? 8 : block == 4 ? 16 : 32; }

/// Loads of a lane in flight there (H200: 25 and 62 blocks of 5 per row are 2 and 3 % faster with 6 than with 3, and up
/// to 30 % slower with the next 3 asked for while x comes).
MILLRACE_HD constexpr int loads_of_lane(int block, int num_vectors) { return num_vectors > 1 ? 2 : block < 5 ? 3 : 6; }

/// Loads of a lane in flight in multiply_warp_blocks: enough bytes, and few idle lanes in the last of the columns of a
/// triangle's or a tetrahedron's face (5 or 7 blocks); benchmarks/records/papers-hdg-large-h200.json is with these.
MILLRACE_HD constexpr int warp_batch(int block) {
  switch (block) {
    case 15:
    case 32:
      return 8;
    case 28:
      return 7;
    case 12:
      return 6;
    default:
      return 5;
  }
}

/// Threads that stream a block row: C columns of its rows at a time.
struct WideBlocks {
  int lanes;    // threads of a column
  int columns;  // C
  int threads;
  friend constexpr bool operator==(const WideBlocks&, const WideBlocks&) = default;
};
/// Threads that are wanted for this many rows (benchmarks/records/papers-hdg-large-h200.json, h200-blocks.json).
constexpr int wide_threads(int rows) {
  if (rows <= 20) return 64;
  if (rows == 30) return 256;
  return rows <= 64 ? 128 : 384;
}
constexpr WideBlocks wide_blocks(int block, int rows_of_load) {
  const int lanes = (block + rows_of_load - 1) / rows_of_load, threads = wide_threads(block);
  const int columns = lanes < threads ? threads / lanes : 1;
  return {lanes, columns, (lanes * columns + 31) / 32 * 32};
}
static_assert(wide_blocks(330, 2) == WideBlocks{165, 2, 352} && wide_blocks(275, 1) == WideBlocks{275, 1, 288});

/// Loads of a thread in flight, with the same benchmarks.
constexpr int wide_batch(int M, int rows_of_load) { return M > 0 ? 6 : rows_of_load == 1 ? 12 : 8; }

/// Columns of a block row whose x is in shared memory at a time: all, as far as they are known and fit.
template <int K>
constexpr int wide_columns(const BlockFacts& f) {
  return std::min<int>(f.known_width ? wide_stage<K> : wide_stage<K> / 4, f.max_columns);
}

}  // namespace millrace::cuda
