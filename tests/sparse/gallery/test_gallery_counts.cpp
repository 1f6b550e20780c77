// Numbers of entries in closed form, and the row lengths that the papers state for their matrices.
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/sparse/gallery.hpp"
#include "sparse/gallery/test_gallery_common.hpp"

namespace millrace {
namespace {

using namespace gallery_test;
using gallery::make;

TEST(GalleryStencil, CountsAreExact) {
  const auto count = [](const std::string& name, int x, int y, int z) {
    return make(name + ":nx=" + std::to_string(x) + ",ny=" + std::to_string(y) +
                (z > 0 ? ",nz=" + std::to_string(z) : ""))
        .num_entries();
  };
  for (const int x : {1, 2, 7, 33})
    for (const int y : {1, 2, 5}) {
      for (const char* name : {"poisson2d5", "laplace2d5"}) EXPECT_EQ(count(name, x, y, 0), 5 * x * y - 2 * x - 2 * y);
      for (const char* name : {"poisson2d9", "laplace2d9"}) EXPECT_EQ(count(name, x, y, 0), (3 * x - 2) * (3 * y - 2));
      for (const int z : {1, 4}) {
        for (const char* name : {"poisson3d7", "laplace3d7"})
          EXPECT_EQ(count(name, x, y, z), 7 * x * y * z - 2 * (x * y + y * z + x * z));
        for (const char* name : {"poisson3d27", "laplace3d27"})
          EXPECT_EQ(count(name, x, y, z), (3 * x - 2) * (3 * y - 2) * (3 * z - 2));
      }
    }
}

TEST(GalleryStencil, IsADiagonallyDominantMMatrixWithFullMantissas) {
  for (const char* spec : {"poisson2d5:9", "poisson2d9:9", "poisson3d7:6", "poisson3d27:6", "samg:0.001"}) {
    const auto a = make(spec);
    int last_bits = 0;
    for (Index r = 0; r < a.num_rows; ++r) {
      double others = 0;
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
        if (a.cols.data()[k] == r) continue;
        const double val = a.vals.data()[k];
        ASSERT_LE(val, -1);
        ASSERT_GT(val, -1.25);
        others -= val;
        last_bits += static_cast<int>(std::bit_cast<std::uint64_t>(val) & 1);
      }
      ASSERT_EQ(entry(a, r, r), others + 0.01);
    }
    EXPECT_GT(last_bits, a.num_entries() / 4) << spec;
  }
}

TEST(GalleryIrregular, LengthsAreAsAsked) {
  const auto random = make("random:5000,k=16");
  EXPECT_NEAR(summary(random).mean, 16, 0.05);
  EXPECT_EQ(summary(random).longest, 16);

  const auto huge = make("hugerow:5001,k=5");
  EXPECT_EQ(huge.row_length(2500), 5001);
  EXPECT_EQ(huge.cols.data()[huge.row_begin(2500) + 5000], 5000);
  const auto lengths = row_lengths(huge);
  EXPECT_EQ(std::count_if(lengths.begin(), lengths.end(), [](Index length) { return length > 5; }), 1);
  EXPECT_NEAR(summary(huge).mean, 5.85, 0.1);  // 4.85 where draws repeat, and the full row

  const auto power = make("powerlaw:100000,mean=16");
  EXPECT_NEAR(summary(power).mean, 15.3, 0.8);  // repeated columns are merged
  EXPECT_GT(summary(power).longest, 2000);
  EXPECT_LE(summary(power).longest, 100000 / 16 + 2);
  EXPECT_EQ(make("random:1,k=1").num_entries(), 1);
  EXPECT_EQ(make("hugerow:1,k=1").num_entries(), 1);
}

TEST(GalleryBlocks, CfdAndHdgHaveTheirCounts) {
  const auto cfd = make("cfd:6,block=5");
  EXPECT_EQ(cfd.num_rows, 6 * 6 * 6 * 5);
  EXPECT_EQ(cfd.num_entries(), (7 * 216 - 6 * 36) * 25);

  const auto triangles = make("hdg:m=3,faces=500");  // 12 x 12 squares: 3 s^2 + 2 s
  EXPECT_EQ(triangles.num_rows, 456 * 3);
  const auto quads = make("hdg:m=3,na=7,faces=500");  // 15 x 15: 2 s (s + 1)
  EXPECT_EQ(quads.num_rows, 480 * 3);
  EXPECT_EQ(summary(triangles).shortest, 15);
  EXPECT_EQ(summary(triangles).longest, 15);
  EXPECT_EQ(summary(quads).shortest, 21);
  EXPECT_EQ(summary(quads).longest, 21);
  EXPECT_EQ(make("hdg").num_rows, 11656 * 8);
}

TEST(GalleryBlocks, RingOf11780FacesHasTheBoundaryOfTheHdgPaper) {
  const auto a = make("hdg-omesh:m=1");
  EXPECT_EQ(a.num_rows, 11780);
  const auto lengths = row_lengths(a);
  EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 3), 190);
  EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 5), 11590);
  EXPECT_NEAR(5.0 * a.num_rows / static_cast<double>(a.num_entries()), 1.0065, 0.00005);
  EXPECT_EQ(make("hdg-omesh:p=1").num_entries(), 64 * a.num_entries());
}

struct Surrogate {
  const char* spec;
  Index num_rows;
  Lengths lengths;
  double tolerance;  // of the mean
};

TEST(GallerySurrogates, KeepTheirStatisticsWhenSmall) {
  for (const Surrogate& s :
       {Surrogate{"like-fd18", 16248, {1, 6, 3.860}, 0.01}, Surrogate{"like-fd18:0.1", 1625, {1, 6, 3.860}, 0.02},
        Surrogate{"like-g2", 150102, {2, 6, 4.841}, 0.01}, Surrogate{"like-g2:0.01", 1501, {2, 6, 4.841}, 0.02},
        Surrogate{"like-trans4", 116835, {1, 114190, 6.600}, 0.01},
        Surrogate{"like-trans4:0.02", 2337, {1, 2284, 6.600}, 0.03},
        Surrogate{"like-raj1", 263743, {1, 40468, 4.938}, 0.01},
        Surrogate{"like-raj1:0.02", 5275, {1, 809, 4.938}, 0.03}, Surrogate{"samg:0.01", 34000, {5, 22, 6.952}, 0.01},
        Surrogate{"dlr1:0.05", 13926, {90, 174, 143.5}, 0.01}, Surrogate{"uhbr:0.01", 45000, {75, 150, 123}, 0.01}}) {
    const auto a = make(s.spec);
    EXPECT_EQ(a.num_rows, s.num_rows) << s.spec;
    EXPECT_EQ(summary(a).shortest, s.lengths.shortest) << s.spec;
    EXPECT_EQ(summary(a).longest, s.lengths.longest) << s.spec;
    EXPECT_NEAR(summary(a).mean, s.lengths.mean, s.tolerance * s.lengths.mean) << s.spec;
  }
  const auto dlr2 = make("dlr2:0.03");
  EXPECT_EQ(dlr2.num_rows, 3252 * 5);
  EXPECT_EQ(summary(dlr2).shortest, 125);
  EXPECT_NEAR(summary(dlr2).longest, 605, 20);
  EXPECT_NEAR(summary(dlr2).mean, 314.6, 6);
}

TEST(GallerySurrogates, WingMatrixHasMostRowsAtFourFifthsOfTheLongest) {
  const auto lengths = row_lengths(make("dlr1:0.1"));
  const auto near = std::count_if(lengths.begin(), lengths.end(), [](Index n) { return n == 138 || n == 144; });
  EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(lengths.size()), 0.8, 0.03);
}

}  // namespace
}  // namespace millrace
