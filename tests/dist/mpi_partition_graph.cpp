// Parts by METIS, new numbers and the way back. Part of the program test_mpi.
#include "millrace/dist/partition_graph.hpp"

#include <numeric>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/dist/gather.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/dist/partition_kind.hpp"
#include "millrace/dist/renumber.hpp"
#include "millrace/sparse/assemble.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

// The rows of a grid in an order without any sense.
template <class T>
Csr<T> shuffled_grid(int n) {
  const Csr<T> grid = convert_values<T>(gallery::make(join("laplace2d5:n=", n)));
  std::vector<Index> order(to_size(grid.num_rows));
  std::iota(order.begin(), order.end(), Index{0});
  Random random(1);
  for (Index i = grid.num_rows - 1; i > 0; --i) std::swap(order[to_size(i)], order[to_size(random.below(i + 1))]);
  return permute(grid, order, order);
}

template <class T>
GlobalRows<T> own_rows(const Comm& comm, const Csr<T>& csr) {
  const Partition parts = by_rows(csr.num_rows, comm.size());
  return rows_of(csr, parts.begin(comm.rank()), parts.end(comm.rank()));
}

bool has_metis() {
  try {
    partition_of("metis");
  } catch (const Unsupported&) {
    return false;
  }
  return true;
}

// Entries that join two parts, of all ranks.
template <class T>
std::int64_t num_cut(const Comm& comm, const GlobalRows<T>& rows, const Partition& parts) {
  std::int64_t cut[] = {0};
  for (const std::int64_t col : rows.cols.span()) cut[0] += parts.owner(col) != comm.rank();
  comm.sum(cut);
  return cut[0];
}

TEST(MpiPartitionGraph, FewEntriesJoinTwoParts) {
  const Comm world = Comm::world();
  if (!has_metis()) GTEST_SKIP() << "this build has no METIS";
  const Csr<double> csr = shuffled_grid<double>(60);
  const GlobalRows<double> rows = own_rows(world, csr);
  const std::vector<int> part = by_graph(world, rows, world.size());
  EXPECT_EQ(part, by_graph(world, rows, world.size()));
  const Renumbered<double> made = renumber(world, own_rows(world, csr), part);
  check_rows(made.rows);
  EXPECT_EQ(made.parts, as_they_are(world, made.rows.num_rows()));
  const double share = static_cast<double>(csr.num_entries()) / world.size();
  EXPECT_NEAR(static_cast<double>(made.rows.num_entries()), share, 0.05 * share);
  const std::int64_t before = num_cut(world, rows, made.old_parts), after = num_cut(world, made.rows, made.parts);
  EXPECT_TRUE(world.size() == 1 ? after == 0 : after * 10 < before) << before << ' ' << after;
  for (const int parts : {1, 5})
    for (const int p : by_graph(world, rows, parts)) ASSERT_TRUE(p >= 0 && p < parts);
}

TEST(MpiPartitionGraph, SmallAndOddMatrices) {
  const Comm world = Comm::world();
  if (!has_metis()) GTEST_SKIP() << "this build has no METIS";
  for (const Index n : {0, 1, 2, 9}) {  // without an edge
    std::vector<Triplet<double>> entries;
    for (Index i = 0; i < n; ++i) entries.push_back({i, i, 1.0});
    GlobalRows<double> rows = own_rows(world, make_csr(n, n, entries));
    const std::vector<int> part = by_graph(world, rows, world.size());
    const Renumbered<double> made = renumber(world, std::move(rows), part);
    EXPECT_EQ(made.parts.num_rows(), n);
    EXPECT_EQ(made.rows.num_entries(), made.rows.num_rows());
  }
  const GlobalRows<double> wide = own_rows(world, make_csr<double>(3, 4, {{1, 3, 1.0}}));
  EXPECT_NE(error_of([&] { by_graph(world, wide, 2); }).find("3 x 4; it must be square"), std::string::npos);
}

template <class T>
class MpiRenumber : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MpiRenumber, AllScalars);

TYPED_TEST(MpiRenumber, ProductsAfterTheWayBackEqualThoseOfOneRank) {
  using T = TypeParam;
  const Comm world = Comm::world();
  const Csr<T> csr = shuffled_grid<T>(20);
  GlobalRows<T> rows = own_rows(world, csr);
  std::vector<int> part;
  Random random(to_size(7 + world.rank()));
  for (std::int64_t r = 0; r < rows.num_rows(); ++r) part.push_back(random.below(world.size()));
  const Renumbered<T> made = renumber(world, std::move(rows), part);
  const DistributedMatrix<T> a(world, made.rows, {.mode = Mode::overlap});
  Queue queue(Device::host(), 1);
  const std::int64_t n = csr.num_rows;
  const std::vector<T> x = random_vector<T>(2 * n, 3);
  std::vector<T> expected(x.size());
  SparseMatrix<T>(csr, "csr")
      .apply(queue, {.x = Vectors<const T>(Device::host(), x.data(), n, 2),
                     .y = Vectors<T>(Device::host(), expected.data(), n, 2)});
  const std::span<const T> on_0 = world.rank() == 0 ? std::span<const T>(x) : std::span<const T>();
  const std::vector<T> old_x = deal_vectors(world, made.old_parts, on_0, 2);
  const std::vector<T> new_x = to_new_numbers(world, made, std::span<const T>(old_x), 2);
  EXPECT_EQ(to_old_numbers(world, made, std::span<const T>(new_x), 2), old_x);
  std::vector<T> y(new_x.size());
  const std::int64_t here = a.shape().rows;
  a.apply(queue, {.x = Vectors<const T>(Device::host(), new_x.data(), here, 2),
                  .y = Vectors<T>(Device::host(), y.data(), here, 2)});
  const std::vector<T> old_y = to_old_numbers(world, made, std::span<const T>(y), 2);
  const std::vector<T> found = gather_vectors(world, made.old_parts, std::span<const T>(old_y), 2);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LT(std::abs(found[i] - expected[i]), sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-14);
}

// Entries travel in pieces of 65,536.
TEST(MpiRenumberLarge, ComesInPieces) {
  const Comm world = Comm::world();
  const Csr<double> csr = shuffled_grid<double>(400);
  GlobalRows<double> rows = own_rows(world, csr);
  const std::int64_t first = rows.first;
  std::vector<int> part;
  for (std::int64_t r = 0; r < rows.num_rows(); ++r)  // long runs and short ones
    part.push_back(static_cast<int>((first + r) / (r % 2 == 0 ? 30'000 : 7) % world.size()));
  const Renumbered<double> made = renumber(world, std::move(rows), part);
  check_rows(made.rows);
  std::int64_t entries[] = {made.rows.num_entries()};
  world.sum(entries);
  EXPECT_EQ(entries[0], csr.num_entries());
  for (std::int64_t r = 0; r < made.rows.num_rows(); ++r) {
    const auto old_row = static_cast<Index>(made.old_rows[to_size(r)]);
    const Offset begin = made.rows.row_ptr.data()[r], end = made.rows.row_ptr.data()[r + 1];
    ASSERT_EQ(end - begin, csr.row_begin(old_row + 1) - csr.row_begin(old_row));
    double sum = 0, expected = 0;  // of a row's values, which are whole numbers
    for (Offset s = begin; s < end; ++s) sum += made.rows.vals.data()[s];
    for (Offset s = csr.row_begin(old_row); s < csr.row_begin(old_row + 1); ++s) expected += csr.vals.data()[s];
    ASSERT_EQ(sum, expected) << old_row;
  }
}

TEST(MpiRenumberErrors, PartsThatAreNot) {
  const Comm world = Comm::world();
  GlobalRows<double> rows = own_rows(world, gallery::make("poisson2d5:n=8"));
  std::vector<int> part(to_size(rows.num_rows()), world.size());
  EXPECT_NE(error_of([&] { renumber(world, std::move(rows), part); }).find("are accepted"), std::string::npos);
  part.push_back(0);
  EXPECT_NE(error_of([&] { renumber(world, std::move(rows), part); }).find("renumber: parts of"), std::string::npos);
}

TEST(MpiPartitionKind, ByName) {
  EXPECT_EQ(partition_of("rows"), PartitionKind::rows);
  EXPECT_EQ(partition_of("entries"), PartitionKind::entries);
  EXPECT_EQ(to_text(PartitionKind::graph), "metis");
  if (has_metis()) {
    EXPECT_EQ(partition_of("metis"), PartitionKind::graph);
  }
  EXPECT_EQ(error_of([] { partition_of("best"); }), "partition 'best' is unknown; accepted are: rows, entries, metis");
}

}  // namespace
}  // namespace millrace::testing
