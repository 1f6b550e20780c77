// The rule that chooses the format of a level.
#include "millrace/precond/multigrid/level_matrix.hpp"

#include "multigrid_tools.hpp"

namespace millrace::testing {
namespace {

using multigrid::LevelMatrix;

template <class W>
std::string level_format(const Csr<double>& a, Index block) {
  Queue queue;
  return LevelMatrix<W>(queue, convert_values<W>(a), block, {}).format();
}

/// Without the entries of a block's last row and column, for some eighths of the blocks.
Csr<double> with_holes(const Csr<double>& a, Index block, Index eighths) {
  std::vector<Triplet<double>> entries;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s) {
      const Index c = a.cols.data()[s];
      const bool edge = r % block == block - 1 || c % block == block - 1;
      if (!edge || r / block == c / block || (r / block + c / block) % 8 >= eighths)
        entries.push_back({r, c, a.vals.data()[s]});
    }
  return make_csr(a.num_rows, a.num_cols, entries);
}

TEST(MultigridLevelMatrix, TakesBlocksThatAreFull) {
  const Lattice space = spring_cube(6);
  for (const auto& name : {level_format<double>(space.matrix, 3), level_format<float>(space.matrix, 3)})
    EXPECT_EQ(name, "bsr-3");
  EXPECT_EQ(level_format<double>(space.matrix, 1), "csr");
  EXPECT_EQ(level_format<double>(with_holes(space.matrix, 3, 1), 3), "bsr-3");
  // Five eighths have 4 of 9 entries, so that blocks move fewer bytes in float only.
  const Csr<double> holes = with_holes(space.matrix, 3, 5);
  EXPECT_EQ(level_format<double>(holes, 3), "csr");
  EXPECT_EQ(level_format<float>(holes, 3), "bsr-3");
  EXPECT_EQ(level_format<double>(kron(gallery::make("poisson2d5:n=30,permute=1"), {2, 1, 1, 2}, 2), 2), "bsr-2");
  // Unknowns of a node that do not know each other.
  std::vector<Triplet<double>> apart;
  const Csr<double> random = gallery::make("random:n=400,k=5");
  for (Index r = 0; r < 400; ++r)
    for (Offset s = random.row_begin(r); s < random.row_begin(r + 1); ++s)
      for (Index i = 0; i < 3; ++i) apart.push_back({3 * r + i, 3 * random.cols.data()[s] + i, 1.0});
  EXPECT_EQ(level_format<double>(make_csr(1200, 1200, apart), 3), "csr");
  EXPECT_EQ(level_format<float>(make_csr(1200, 1200, apart), 3), "csr");
  EXPECT_EQ(level_format<double>(gallery::make("laplace2d5:20"), 2), "dia");
  const Csr<double> twice = csr_of<double>(2, {{{0, 1.0}, {1, 0.5}, {0, 1.0}}, {{1, 4.0}, {0, 0.5}}});
  EXPECT_EQ(level_format<double>(twice, 2), "csr");
}

TEST(MultigridLevelMatrix, TakesNewValuesInBlocks) {
  Queue queue(Device::host(), 2);
  const Csr<double> full = spring_cube(5).matrix;
  for (const Index eighths : {0, 1}) {  // with and without zeros that fill blocks up
    const Csr<double> before = with_holes(full, 3, eighths);
    Csr<double> after = before.clone();
    for (Offset s = 0; s < after.vals.size(); ++s) after.vals.data()[s] = std::sin(static_cast<double>(s));
    LevelMatrix<double> level(queue, before, 3, {});
    ASSERT_EQ(level.format(), "bsr-3");
    level.update(queue, after);
    const auto x = random_vector<double>(before.num_rows, 2);
    const auto found = apply_to<double>(level.op(), x, 2),
               expected = apply_to<double>(SparseMatrix<double>(after, "csr"), x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-13 * 81);
  }
}

}  // namespace
}  // namespace millrace::testing
