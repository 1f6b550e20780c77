// Levels of fill: against the rule on a dense table of levels, exact factors with all fill, and the limit.
#include "millrace/precond/fill.hpp"

#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

// Levels of all positions by the textbook's triple loop.
template <class T>
std::vector<std::vector<int>> dense_levels(const Csr<T>& a) {
  constexpr int far = 1000;
  const auto n = static_cast<std::size_t>(a.num_rows);
  std::vector<std::vector<int>> levels(n, std::vector<int>(n, far));
  for (Index r = 0; r < a.num_rows; ++r) {
    levels[static_cast<std::size_t>(r)][static_cast<std::size_t>(r)] = 0;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      levels[static_cast<std::size_t>(r)][static_cast<std::size_t>(a.cols.data()[k])] = 0;
  }
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t p = 0; p < i; ++p)
      for (std::size_t j = p + 1; j < n; ++j) levels[i][j] = std::min(levels[i][j], levels[i][p] + levels[p][j] + 1);
  return levels;
}

TEST(Fill, LevelsAreThoseOfTheRule) {
  for (const bool natural : {true, false}) {
    const Csr<double> a = sort_rows(grid_matrix<double>(7, 6, 3, false, natural));
    const auto levels = dense_levels(a);
    for (int level = 0; level <= 4; ++level) {
      const Csr<double> filled = add_fill(a, level);
      check_csr(filled);
      for (Index r = 0; r < a.num_rows; ++r) {
        std::vector<Index> expected;
        for (Index c = 0; c < a.num_rows; ++c)
          if (levels[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] <= level) expected.push_back(c);
        const Index* begin = filled.cols.data() + filled.row_begin(r);
        ASSERT_EQ(std::vector<Index>(begin, begin + filled.row_length(r)), expected)
            << "row " << r << ", level " << level;
      }
    }
  }
}

TEST(Fill, WithAllOfItTheFactorsAreExact) {
  const Csr<double> a = gallery::make("poisson2d5:n=9");
  Queue queue;
  const Csr<double> filled = add_fill(a, 100);
  const std::vector<double> b = random_vector<double>(a.num_rows, 3);
  EXPECT_LE(residual<double>(a, apply_to(ilu0(queue, filled), b), b), 1e-13);
  EXPECT_LE(residual<double>(a, apply_to(ic0(queue, filled), b), b), 1e-13);
}

TEST(Fill, TooMuchIsRefused) {
  const Csr<double> a = gallery::make("poisson2d5:n=20");
  EXPECT_THROW(add_fill(a, 30, 2 * a.num_entries()), Error);
  EXPECT_THROW(add_fill(a, -1), Error);
  EXPECT_THROW(add_fill(grid_matrix<double>(4, 4, 3, false, false), 1), Error);  // its rows are not sorted
}

}  // namespace
}  // namespace millrace::testing
