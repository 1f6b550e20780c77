// Promises that every matrix of the gallery keeps, walked over the whole list at sizes of a few ten thousand rows.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/gallery/permutation.hpp"
#include "sparse/gallery/test_gallery_common.hpp"

namespace millrace {
namespace {

using namespace gallery_test;

struct Case {
  const char* spec;
  bool symmetric;
  std::uint64_t golden;  // fingerprint: the same on every machine
};

// Large enough that three threads share the rows.
const Case cases[] = {
    {"poisson2d5:112", true, 0xb349f0601058a252},
    {"poisson2d9:112,seed=5", true, 0x2634271f6a5dc9b9},
    {"poisson3d7:nx=20,ny=26,nz=25", true, 0xe4cd670c3707217e},
    {"poisson3d27:24", true, 0xd4aa3c8a06afca60},
    {"laplace2d5:112", true, 0xe8c1b0cb5708b972},
    {"laplace2d9:112,contrast=1e3", true, 0xf152b7171941529c},
    {"laplace3d7:nx=20,ny=26,nz=25,contrast=0.3,anisotropy=0.7", true, 0xf2fdc9bc85c948ea},
    {"laplace3d27:24,anisotropy=100", true, 0x23dc1e7bf5e8002f},
    {"holstein-hubbard:5,up=2,down=3,quanta=4,g=0.3,omega=0.7,U=1.1", true, 0xc5e8263ed37ea812},
    {"hmep:3", true, 0xfbb34fe7276fa4f3},
    {"powerlaw:13000", false, 0x0c979002088ecb5e},
    {"hugerow:13000", false, 0x4a613e8a1c9520b1},
    {"random:13000", false, 0xb4be276d3394a285},
    {"cfd:14", false, 0xd6dc4ba984aa8c00},
    {"hdg:4,faces=3500", false, 0x16bf2628916c4b66},
    {"hdg-omesh:a=30,b=40,m=4", false, 0xb4da267a4aa4acd2},
    {"like-fd18", false, 0x0da3a93d98620d40},
    {"like-g2:0.09", true, 0xb8e8dbda6252f3bf},
    {"like-trans4:0.12", false, 0x47b84909d691a55a},
    {"like-raj1:0.05", false, 0x0ba542b201c7a8bb},
    {"samg:0.004", true, 0x4eccfc831b2cce70},
    {"dlr1:0.032", false, 0xfe94f1b9cb840ec2},
    {"dlr2:0.016", false, 0xd3908190299eda81},
    {"uhbr:0.002", false, 0xddf95ff3a8f94696},
    {"poisson3d7:24,permute=1,seed=7", true, 0x2e1652da986ebae4},
};

std::string name_of(const char* spec) {
  const std::string text(spec);
  return text.substr(0, text.find(':'));
}

// Each rank of many makes its own.
TEST(Gallery, SomeRowsAreThoseOfTheWhole) {
  for (const Case& c : cases) {
    const Csr<double> whole = gallery::make(c.spec, {}, 2);
    const std::int64_t n = whole.num_rows;
    for (const auto& [first, last] : {std::pair<std::int64_t, std::int64_t>{0, n / 3}, {n / 3, n / 3}, {n / 3, n}}) {
      const GlobalRows<double> wanted = rows_of(whole, first, last);
      const GlobalRows<double> found = gallery::make_rows(
          c.spec, [&, range = std::pair(first, last)](std::int64_t) { return range; }, {}, 2);
      EXPECT_EQ(found.first, first) << c.spec;
      EXPECT_EQ(found.num_cols, n) << c.spec;
      EXPECT_EQ(found.row_ptr.to_vector(), wanted.row_ptr.to_vector()) << c.spec;
      EXPECT_EQ(found.cols.to_vector(), wanted.cols.to_vector()) << c.spec;
      EXPECT_EQ(found.vals.to_vector(), wanted.vals.to_vector()) << c.spec;
    }
  }
  EXPECT_THROW(gallery::make_rows("random:100", [](std::int64_t n) { return std::pair(std::int64_t{0}, n + 1); }),
               Error);
}

TEST(Gallery, CasesCoverTheWholeList) {
  std::set<std::string> tested, listed;
  for (const Case& c : cases) tested.insert(name_of(c.spec));
  for (const auto& entry : gallery::entries()) listed.insert(entry.name);
  EXPECT_EQ(tested, listed);
}

class GalleryPromise : public ::testing::TestWithParam<Case> {};

TEST_P(GalleryPromise, ColumnsAscendAndTheDiagonalIsThere) {
  const auto a = gallery::make(GetParam().spec);
  ASSERT_NO_THROW(check_csr(a));
  EXPECT_EQ(a.num_rows, a.num_cols);
  EXPECT_EQ(a.row_ptr.index(), 0u) << "4-byte offsets while they fit";
  for (Index r = 0; r < a.num_rows; ++r) {
    bool diagonal = false;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      if (k > a.row_begin(r)) {
        ASSERT_LT(a.cols.data()[k - 1], a.cols.data()[k]) << "row " << r;
      }
      ASSERT_TRUE(std::isfinite(a.vals.data()[k])) << "row " << r;
      diagonal = diagonal || a.cols.data()[k] == r;
    }
    ASSERT_TRUE(diagonal) << "row " << r;
  }
}

TEST_P(GalleryPromise, SymmetryIsExactWherePromised) {
  const auto a = gallery::make(GetParam().spec);
  bool symmetric = true;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      symmetric = symmetric && entry(a, a.cols.data()[k], r) == a.vals.data()[k];
  EXPECT_EQ(symmetric, GetParam().symmetric);
}

TEST_P(GalleryPromise, SameBitsForAnyNumberOfThreadsAndOnEveryMachine) {
  const auto alone = fingerprint(gallery::make(GetParam().spec, {}, 1));
  EXPECT_EQ(alone, fingerprint(gallery::make(GetParam().spec, {}, 3)));
  EXPECT_EQ(alone, GetParam().golden) << "0x" << std::hex << alone;
}

TEST_P(GalleryPromise, PermutationKeepsLengthsAndValues) {
  const std::string spec = GetParam().spec;
  if (spec.find("permute") != std::string::npos) return;
  const auto a = gallery::make(spec);
  const auto b = gallery::make(spec + (spec.find(':') == std::string::npos ? ":" : ",") + "permute=1");
  EXPECT_NE(fingerprint(a), fingerprint(b));
  const auto sorted = [](auto values) {
    std::sort(values.begin(), values.end());
    return values;
  };
  EXPECT_EQ(sorted(row_lengths(a)), sorted(row_lengths(b)));
  EXPECT_EQ(sorted(a.vals.to_vector()), sorted(b.vals.to_vector()));
}

INSTANTIATE_TEST_SUITE_P(Gallery, GalleryPromise, ::testing::ValuesIn(cases), [](const auto& instance) {
  std::string name = std::to_string(instance.index) + "_" + name_of(instance.param.spec);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Gallery, PermutedEntriesAreWhereThePermutationPutsThem) {
  const auto a = gallery::make("cfd:3,block=2");
  const auto old_of = gallery::random_permutation(a.num_rows, 9);
  const auto b = gallery::permute_symmetrically(a, old_of.span(), gallery::Values("any", {}, 2));
  EXPECT_EQ(a.num_entries(), b.num_entries());
  for (Index i = 0; i < a.num_rows; ++i)
    for (Index j = 0; j < a.num_rows; ++j)
      ASSERT_EQ(entry(b, i, j), entry(a, old_of.data()[i], old_of.data()[j])) << i << ' ' << j;
}

TEST(Gallery, ARandomPermutationIsOneAndDependsOnTheSeed) {
  for (const Index n : {0, 1, 2, 1000}) {
    auto order = gallery::random_permutation(n, 3).to_vector();
    if (n == 1000) {
      EXPECT_NE(order, gallery::random_permutation(n, 4).to_vector());
    }
    std::sort(order.begin(), order.end());
    for (Index i = 0; i < n; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(Gallery, SeedsChangeValues) {
  EXPECT_NE(fingerprint(gallery::make("poisson2d5:10")), fingerprint(gallery::make("poisson2d5:10,seed=2")));
  EXPECT_EQ(fingerprint(gallery::make("poisson2d5:10")), fingerprint(gallery::make("poisson2d5:n=10,seed=1")));
}

TEST(Gallery, ProgressRisesToOneAndChangesNothing) {
  for (const char* spec : {"poisson2d5:600", "poisson2d5:600,permute=1"}) {
    std::vector<double> seen;
    const auto a = gallery::make(spec, [&](double fraction) { seen.push_back(fraction); });
    ASSERT_GE(seen.size(), 4u);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_GT(seen.front(), 0);
    EXPECT_EQ(seen.back(), 1);
    EXPECT_EQ(fingerprint(a), fingerprint(gallery::make(spec)));
  }
}

}  // namespace
}  // namespace millrace
