// Which kernel multiplies dense blocks on a GPU, for the facts of views and for a table of cases.
#include "millrace/sparse/product/blocks/choose.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

using cuda::BlockFacts;
using cuda::BlockKernel;
using cuda::choose_block_kernel;

/// Block rows that are all equally wide.
BlockFacts uniform_facts(Index block, Index width, int value_bytes = 8) {
  return {.block = block,
          .value_bytes = value_bytes,
          .known_width = true,
          .uniform_width = width,
          .max_columns = width * block};
}
/// And those of which nothing is known.
BlockFacts any_facts(Index block, int value_bytes = 8) {
  return {.block = block, .value_bytes = value_bytes, .max_columns = 1 << 20};
}

struct BlockCase {
  BlockFacts facts;
  int num_vectors;
  BlockKernel kernel;
};

TEST(BlockChoice, Table) {
  BlockFacts grouped = uniform_facts(8, 5), complex_values = uniform_facts(8, 5, 16);
  grouped.contiguous = false;
  complex_values.complex_values = true;
  const BlockCase table[] = {
      {any_facts(1), 1, BlockKernel::rows},
      {uniform_facts(1, 5), 16, BlockKernel::rows},
      {grouped, 1, BlockKernel::rows},
      {grouped, 16, BlockKernel::rows},
      {complex_values, 1, BlockKernel::rows},
      {complex_values, 16, BlockKernel::rows},
      {any_facts(2), 1, BlockKernel::small},
      {any_facts(8), 1, BlockKernel::small},
      {any_facts(8), 4, BlockKernel::small},
      {any_facts(7), 16, BlockKernel::small},
      {any_facts(8), 8, BlockKernel::tensor},
      {any_facts(8, 4), 8, BlockKernel::small},  // tensor cores are for double
      {uniform_facts(4, 5), 1, BlockKernel::small},
      {uniform_facts(5, 7), 1, BlockKernel::equal},
      {uniform_facts(8, 5), 1, BlockKernel::equal},
      {uniform_facts(8, 5, 4), 1, BlockKernel::equal},
      {uniform_facts(8, 6), 1, BlockKernel::small},  // more columns than are in flight at once
      {uniform_facts(8, 5), 4, BlockKernel::small},
      {any_facts(9), 1, BlockKernel::wide},
      {any_facts(12), 1, BlockKernel::warp},
      {uniform_facts(15, 5), 4, BlockKernel::warp},
      {uniform_facts(20, 5), 1, BlockKernel::wide},
      {uniform_facts(32, 5), 1, BlockKernel::warp},
      {uniform_facts(33, 5), 1, BlockKernel::wide},
      {uniform_facts(210, 5), 1, BlockKernel::wide},
      {uniform_facts(211, 5), 1, BlockKernel::split},
      {uniform_facts(211, 5), 4, BlockKernel::wide},
      {any_facts(212), 1, BlockKernel::wide},
      {uniform_facts(288, 5), 1, BlockKernel::split},
      {uniform_facts(289, 5), 1, BlockKernel::wide},  // odd: a thread per row, and too many
      {uniform_facts(290, 5), 1, BlockKernel::split},
      {uniform_facts(1024, 4), 1, BlockKernel::split},
      {uniform_facts(1024, 5), 1, BlockKernel::wide},  // more columns than x has places for
  };
  for (const BlockCase& c : table)
    EXPECT_EQ(static_cast<int>(choose_block_kernel(c.facts, c.num_vectors)), static_cast<int>(c.kernel))
        << "blocks of " << c.facts.block << ", " << c.num_vectors << " vectors";
}

/// The facts of a matrix in a block format.
BlockFacts block_facts_of(const Csr<double>& a, const char* format) {
  return std::visit(
      []<class Format>(const Format& f) {
        BlockFacts facts;
        if constexpr (is_block_format<Format>) f.visit_view([&](const auto& view) { facts = cuda::block_facts(view); });
        return facts;
      },
      make_format(a, format));
}

TEST(BlockChoice, FactsOfViews) {
  const Csr<double> even = random_csr<double>(24, 24, 24, 1), banded = banded_csr<double>(24, 24, 5, 2);
  const BlockFacts bsr = block_facts_of(banded, "bsr-4");
  EXPECT_EQ(bsr.block, 4);
  EXPECT_FALSE(bsr.known_width);
  EXPECT_EQ(bsr.uniform_width, 0);
  EXPECT_EQ(bsr.max_columns, 24);
  const BlockFacts dbf = block_facts_of(banded, "dbf-4");
  EXPECT_TRUE(dbf.known_width && dbf.contiguous);
  EXPECT_GT(dbf.uniform_width, 0);
  EXPECT_EQ(dbf.max_columns, 4 * dbf.uniform_width);
  const BlockFacts apart = block_facts_of(banded, "dbf-4-apart");  // block rows of several widths
  EXPECT_TRUE(apart.known_width);
  EXPECT_EQ(apart.uniform_width, 0);
  EXPECT_EQ(apart.max_columns, dbf.max_columns);
  EXPECT_FALSE(block_facts_of(banded, "dbf-4-2").contiguous);
  EXPECT_EQ(block_facts_of(banded, "dbf-4-2").uniform_width, 0);
}

// What uniform_blocks() says is what the block rows say one by one.
TEST(BlockChoice, UniformBlocksAreTheBlockRows) {
  const Dbf<double> format = std::get<Dbf<double>>(make_format(banded_csr<double>(24, 24, 5, 2), "dbf-4"));
  format.visit_view([](const auto& view) {
    const auto all = view.uniform_blocks();
    ASSERT_TRUE(all);
    for (Index i = 0; i < view.num_block_rows(); ++i) {
      const BlockRow<double> row = view.stored_block_row(i);
      EXPECT_EQ(row.num_blocks, all.width);
      EXPECT_EQ(row.vals, all.vals + Offset{i} * all.width * view.block * view.block);
      EXPECT_EQ(row.cols, all.cols + Offset{i} * all.width);
      EXPECT_EQ(row.first_row, i * view.block);
      EXPECT_EQ(row.stride, view.block);
    }
  });
}

TEST(BlockChoice, WhichFormatsHaveBlocks) {
  for_each_format<double>([]<class Format>() {
    const std::string_view name = Format::name;
    EXPECT_EQ(is_block_format<Format>, name == "bsr" || name == "dbf") << name;
  });
}

}  // namespace
}  // namespace millrace::testing
