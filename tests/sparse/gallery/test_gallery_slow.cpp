// The full-size matrices of the papers, with their published counts and savings.
#include <gtest/gtest.h>

#include "millrace/sparse/gallery.hpp"
#include "sparse/gallery/test_gallery_common.hpp"

namespace millrace {
namespace {

using namespace gallery_test;
using gallery::make;

TEST(SlowGallery, HmepHasItsPublishedCounts) {
  const auto a = make("hmep");
  EXPECT_EQ(a.num_rows, 6'201'600);
  EXPECT_EQ(a.num_entries(), 82'992'912);
  EXPECT_EQ(summary(a).longest, 21);
  EXPECT_NEAR(summary(a).mean, 13.38, 0.005);
  EXPECT_NEAR(pjds_reduction(a), 36.27, 0.005);
}

TEST(SlowGallery, HmepWithVanishingCouplingsKept) {
  const auto a = make("hmep:keep_zero_couplings=1");
  EXPECT_EQ(a.num_entries(), 97'365'120);
  EXPECT_NEAR(summary(a).mean, 15.70, 0.005);
  EXPECT_NEAR(pjds_reduction(a), 31.74, 0.005);
}

TEST(SlowGallery, SurrogatesMeetThePublishedReductions) {
  const auto samg = make("samg");
  EXPECT_EQ(samg.num_rows, 3'400'000);
  EXPECT_EQ(summary(samg).longest, 22);
  EXPECT_EQ(summary(samg).shortest, 5);
  EXPECT_NEAR(pjds_reduction(samg), 68.4, 0.1);

  const auto dlr1 = make("dlr1");
  EXPECT_EQ(dlr1.num_rows, 278'502);
  EXPECT_NEAR(summary(dlr1).mean, 144, 1);
  EXPECT_EQ(summary(dlr1).longest, 174);
  EXPECT_EQ(summary(dlr1).shortest, 90);
  EXPECT_NEAR(pjds_reduction(dlr1), 17.5, 0.1);

  const auto dlr2 = make("dlr2");
  EXPECT_EQ(dlr2.num_rows, 541'980);
  EXPECT_NEAR(summary(dlr2).mean, 315, 1);
  EXPECT_EQ(summary(dlr2).longest, 605);
  EXPECT_NEAR(pjds_reduction(dlr2), 48.0, 0.1);
}

TEST(SlowGallery, BenchmarkSizes) {
  EXPECT_EQ(make("poisson3d7:160").num_entries(), 7 * 4'096'000 - 6 * 25'600);
  EXPECT_EQ(make("hdg:8,faces=300000").num_entries(), 95'457'600);
  EXPECT_NEAR(static_cast<double>(make("random:1e6").num_entries()), 1.6e7, 1e3);
}

}  // namespace
}  // namespace millrace
