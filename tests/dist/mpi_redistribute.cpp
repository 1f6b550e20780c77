// Rows and vectors move to other ranks as they are. Part of the program test_mpi.
#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/dist/redistribute.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

Partition on_one_rank(std::int64_t rows, int ranks, int which) {
  Partition parts{{0}};
  for (int r = 0; r < ranks; ++r) parts.starts.push_back(r < which ? 0 : rows);
  return parts;
}

TEST(MpiRedistribute, RowsAndVectorsKeepTheirBits) {
  const Comm world = Comm::world();
  const Csr<double> csr = gallery::make("powerlaw:n=1000");
  const std::int64_t n = csr.num_rows;
  std::vector<std::int64_t> lengths;
  for (Index r = 0; r < csr.num_rows; ++r) lengths.push_back(csr.row_length(r));
  std::vector<std::int64_t> row_ptr{0};
  for (const std::int64_t length : lengths) row_ptr.push_back(row_ptr.back() + length);
  const Partition even = by_rows(n, world.size()), weighted = by_entries(row_ptr, world.size());
  const std::span<const std::int64_t> own(lengths.data() + even.begin(world.rank()), to_size(even.size(world.rank())));
  EXPECT_EQ(by_entries(world, own), weighted);
  const std::vector<double> x = random_vector<double>(n, 1);
  const std::vector<Partition> all{even, weighted, on_one_rank(n, world.size(), 0),
                                   on_one_rank(n, world.size(), world.size() - 1)};
  for (const Partition& from : all)
    for (const Partition& to : all) {
      const GlobalRows<double> rows = rows_of(csr, from.begin(world.rank()), from.end(world.rank())),
                               wanted = rows_of(csr, to.begin(world.rank()), to.end(world.rank())),
                               found = redistribute(world, rows, to);
      EXPECT_EQ(found.first, wanted.first);
      EXPECT_EQ(found.num_cols, n);
      EXPECT_EQ(found.row_ptr.to_vector(), wanted.row_ptr.to_vector());
      EXPECT_EQ(found.cols.to_vector(), wanted.cols.to_vector());
      EXPECT_EQ(found.vals.to_vector(), wanted.vals.to_vector());
      const std::span<const double> all_x(x);
      const auto part = [&](const Partition& parts) {
        return all_x.subspan(to_size(parts.begin(world.rank())), to_size(parts.size(world.rank())));
      };
      const std::vector<double> moved = redistribute(world, part(from), to);
      EXPECT_TRUE(std::ranges::equal(moved, part(to)));
    }
  Partition longer = even;
  longer.starts.back() += 1;
  const std::string text = error_of([&] { redistribute(world, std::span<const double>(x).first(0), longer); });
  EXPECT_NE(text.find("the ranks have 0 rows, and the new partition 1001"), std::string::npos) << text;
}

TEST(MpiRedistribute, EachRankMakesItsRowsOfTheGallery) {
  const Comm world = Comm::world();
  const Csr<double> whole = gallery::make("cfd:n=6,block=3");
  const GlobalRows<double> found = gallery::make_rows("cfd:n=6,block=3", [&](std::int64_t n) {
    const Partition parts = by_rows(n, world.size());
    return std::pair(parts.begin(world.rank()), parts.end(world.rank()));
  });
  const GlobalRows<double> wanted = rows_of(whole, found.first, found.end());
  EXPECT_EQ(found.cols.to_vector(), wanted.cols.to_vector());
  EXPECT_EQ(found.vals.to_vector(), wanted.vals.to_vector());
}

}  // namespace
}  // namespace millrace::testing
