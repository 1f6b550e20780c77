// BSR and DBF: layouts of small examples, detection, edges, fill, counts of the paper, and every size of kernel.
#include "millrace/sparse/gallery/gallery.hpp"
#include "millrace/sparse/schedule_host.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

/// Dense blocks of `size` in a band of block columns, entries of every row in falling order of columns.
template <class T>
Csr<T> blocks_csr(Index block_rows, Index size, std::uint64_t seed) {
  const Csr<T> pattern = banded_csr<T>(block_rows, block_rows, 3, seed);
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> cols;
  for (Index r = 0; r < block_rows * size; ++r) {
    for (Offset k = pattern.row_begin(r / size); k < pattern.row_begin(r / size + 1); ++k)
      for (Index j = size; j-- > 0;) cols.push_back(pattern.cols.data()[k] * size + j);
    row_ptr.push_back(std::ssize(cols));
  }
  return {block_rows * size, block_rows * size, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(cols)),
          Array<T>(std::span<const T>(random_vector<T>(std::ssize(cols), seed + 1)))};
}

Csr<double> csr_of(Index rows, Index cols, const std::vector<std::vector<Index>>& columns) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> all;
  std::vector<double> vals;
  for (const auto& row : columns) {
    for (const Index c : row) {
      all.push_back(c);
      vals.push_back(static_cast<double>(10 * (std::ssize(row_ptr) - 1) + c));
    }
    row_ptr.push_back(std::ssize(all));
  }
  return {rows, cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(all)), Array<double>(std::span<const double>(vals))};
}

// The matrix of docs/formats.md, 5 x 6, in blocks of 2: the last block row has one row.
TEST(Bsr, LayoutOfTheDrawing) {
  const Csr<double> a = csr_of(5, 6, {{0, 2}, {1}, {5, 0, 2, 3}, {}, {0, 1, 3, 4}});
  const auto b = Bsr<double>::from_csr(a, parse_format_spec("bsr-2"));
  EXPECT_EQ(b.block_ptr.to_vector(), (std::vector<Offset>{0, 2, 5, 8}));
  EXPECT_EQ(b.block_cols.to_vector(), (std::vector<Index>{0, 1, 0, 1, 2, 0, 1, 2}));
  const std::vector<double> first(b.vals.data(), b.vals.data() + 8);
  EXPECT_EQ(first, (std::vector<double>{0, 0, 0, 11, 2, 0, 0, 0}));
  EXPECT_EQ(b.footprint().artificial_zeros, 32 - 11);
  EXPECT_TRUE(b.is_real(0));   // the entry at row 0, column 0 has the value zero and is one all the same
  EXPECT_FALSE(b.is_real(1));  // fill
}

TEST(Bsr, DetectsTheSize) {
  for (const Index size : {2, 3, 5, 7, 8, 12})
    EXPECT_EQ(Bsr<double>::from_csr(blocks_csr<double>(40, size, 3), {"bsr"}).block, size);
  EXPECT_EQ(Bsr<double>::from_csr(gallery::make("cfd:n=6,block=5"), {"bsr"}).block, 5);
  EXPECT_EQ(Bsr<double>::from_csr(gallery::make("poisson3d7:n=8"), {"bsr"}).block, 1);
}

TEST(Bsr, Refusals) {
  const Csr<double> twice = csr_of(2, 3, {{1, 1}, {0}});
  EXPECT_NE(error_of([&] { make_format(twice, "bsr-2"); }).find("row 0 has column 1 twice"), std::string::npos);
  const Csr<double> a = csr_of(2, 3, {{1}, {0}});
  EXPECT_NE(error_of([&] { make_format(a, "bsr-33"); }).find("sizes from 1 to 32"), std::string::npos);
  EXPECT_NE(error_of([&] { make_format(a, "bsr-2-2"); }).find("bsr takes the size of its blocks"), std::string::npos);
  const Csr<double> sparse = random_csr<double>(3000, 3000, 1, 4);
  EXPECT_NE(error_of<Unsupported>([&] { make_format(sparse, "bsr-32"); }).find("times the"), std::string::npos);
}

/// The special schedule agrees with the generic one, for any number of threads and vectors, at every edge.
template <class T>
void check_kernels(const Csr<T>& a, const std::string& spec) {
  const SparseMatrix<T> m(a, spec);
  const int num = 5;
  const std::vector<T> x = random_vector<T>(std::int64_t{a.num_cols} * num, 11),
                       y0 = random_vector<T>(std::int64_t{a.num_rows} * num, 12);
  const auto multiply = [&](int threads) {
    std::vector<T> y = y0;
    Queue queue(Device::host(), threads);
    m.apply(queue, {.alpha = T(2),
                    .x = {Device::host(), x.data(), a.num_cols, num},
                    .beta = T(-1),
                    .y = {Device::host(), y.data(), a.num_rows, num}});
    return y;
  };
  const std::vector<T> found = multiply(1);
  for (const int threads : {2, 3, 5}) EXPECT_TRUE(same_bits<T>(found, multiply(threads))) << spec;
  for (int v = 0; v < num; ++v) {
    const auto part = [&](const std::vector<T>& all, Index size) {
      return std::span<const T>(all).subspan(static_cast<std::size_t>(v * size), static_cast<std::size_t>(size));
    };
    expect_within<T>(reference<T>(a, Op::none, T(2), part(x, a.num_cols), T(-1), part(y0, a.num_rows)),
                     part(found, a.num_rows), spec);
  }
}

TEST(Bsr, EverySizeAndEdge) {
  const Csr<double> a = banded_csr<double>(301, 299, 9, 21);
  for (int size = 1; size <= 32; ++size) check_kernels(a, "bsr-" + std::to_string(size));
  check_kernels(blocks_csr<double>(3000, 4, 22), "bsr-4");  // enough for several threads
  check_kernels(blocks_csr<float>(2000, 5, 23), "bsr-5");
}

TEST(Dbf, PaddedAndApart) {
  const Csr<double> a =
      gallery::make("hdg-omesh:a=9,b=4,p=1");  // faces of triangles: 5 blocks a row, 3 at the boundary
  const Index m = 8, faces = 9 * 13, boundary = 2 * 9;
  const auto padded = Dbf<double>::from_csr(a, parse_format_spec("dbf-8"));
  EXPECT_EQ(padded.vals.size(), Offset{m} * m * 5 * faces);
  EXPECT_EQ(padded.footprint().artificial_zeros, Offset{m} * m * 2 * boundary);
  const auto apart = Dbf<double>::from_csr(a, parse_format_spec("dbf-8-apart"));
  EXPECT_EQ(apart.vals.size(), a.num_entries());
  EXPECT_EQ(apart.footprint().artificial_zeros, 0);
  EXPECT_EQ(apart.sections.size(), 3);  // two sections and the end
  EXPECT_EQ(Dbf<double>::from_csr(a, {"dbf"}).block, m);
  for (const char* spec : {"dbf-8", "dbf-8-apart", "dbf-8-7", "dbf-8-7-apart", "dbf-8-1000", "dbf-4", "dbf-2-3"}) {
    expect_same(sort_rows(a), SparseMatrix<double>(a, spec).to_csr(), spec);
    check_kernels(a, spec);
  }
}

// Table 1 of Roca, Nguyen and Peraire (2011): 11,780 faces, p = 1.
TEST(Dbf, CountsOfThePaper) {
  const Csr<double> a = gallery::make("hdg-omesh:a=95,b=41,p=1");
  EXPECT_EQ(Dbf<double>::from_csr(a, parse_format_spec("dbf-8")).vals.size(), 3769600);
}

TEST(Dbf, SizesWithoutAKernelOfTheirOwn) {
  for (const Index m : {9, 11, 15, 30, 33}) {
    const Csr<double> a = blocks_csr<double>(30, m, 31);
    check_kernels(a, join("dbf-", m));
    EXPECT_NE(SparseMatrix<double>(a, join("dbf-", m)).details().find("run-time size"), std::string::npos);
  }
  EXPECT_EQ(SparseMatrix<double>(blocks_csr<double>(30, 8, 31), "dbf-8").details().find("run-time size"),
            std::string::npos);
}

TEST(Dbf, FromBlocksIsTheSameMatrix) {
  const std::vector<Index> neighbours{1, 0, -1, 0, 2, 1, -1, 2, 1};
  const std::vector<double> blocks = random_vector<double>(9 * 4, 41);
  const auto b = Dbf<double>::from_blocks(2, 3, neighbours, blocks);
  const Csr<double> a = to_csr<double>(AnyFormat<double>(b.to(Device::host())));
  EXPECT_EQ(a.num_entries(), 7 * 4);
  for (Index f = 0; f < 3; ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t at = static_cast<std::size_t>(f) * 3 + k;
      if (neighbours[at] < 0) continue;
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 2; ++j) {
          const Index row = 2 * f + i, column = 2 * neighbours[at] + j;
          Offset s = a.row_begin(row);
          while (a.cols.data()[s] != column) ASSERT_LT(++s, a.row_begin(row + 1));
          EXPECT_EQ(a.vals.data()[s], blocks[at * 4 + static_cast<std::size_t>(j * 2 + i)]);
        }
    }
}

TEST(Dbf, Refusals) {
  const Csr<double> a = banded_csr<double>(10, 10, 2, 5);
  EXPECT_NE(error_of([&] { make_format(a, "dbf-3"); }).find("10"), std::string::npos);
  EXPECT_NE(error_of([&] { make_format(a, "dbf-2-1-together"); }).find("dbf takes"), std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
