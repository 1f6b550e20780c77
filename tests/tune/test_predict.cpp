// The traffic model, and the figures that the papers' own estimates give.
#include "millrace/tune/predict.hpp"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(Predict, CountsMatrixAndVectors) {
  const Footprint footprint{.num_entries = 100, .artificial_zeros = 20, .bytes = 1600, .moved_bytes = 1200};
  const Bandwidth bandwidth{.read = 1e9, .copy = 1e9, .triad = 1e9, .launch_seconds = 5e-6};
  const Prediction p = predict(footprint, {10, 30}, 8, bandwidth);
  EXPECT_DOUBLE_EQ(p.bytes, 1200 + 8 * (10 + 30));
  EXPECT_DOUBLE_EQ(p.seconds, 5e-6 + p.bytes / 1e9);
  EXPECT_EQ(p.why, "1.2 kB of matrix and 320 B of vectors at 1.0 GB/s, after 5.0 us to start");
  EXPECT_DOUBLE_EQ(predict(footprint, {10, 30}, 8, bandwidth, {.num_vectors = 3, .reads_y = true}).bytes,
                   1200 + 3 * 8 * (10 + 10 + 30));
  EXPECT_DOUBLE_EQ(predict(footprint, {10, 30}, 8, bandwidth, {.alpha = 1.0}).bytes, 1200 + 8 * (100 + 10));
}

TEST(Predict, RefusesWhatCannotBe) {
  const Bandwidth bandwidth{.read = 1e9};
  EXPECT_THROW(predict(Footprint{}, {1, 1}, 8, Bandwidth{}), Error);
  EXPECT_THROW(predict(Footprint{}, {1, 1}, 8, bandwidth, {.num_vectors = 0}), Error);
  EXPECT_THROW(predict(Footprint{}, {1, 1}, 8, bandwidth, {.alpha = 1.5}), Error);
}

TEST(Predict, AgreesWithTheFormat) {
  const Csr<double> a(2, 2, Array<std::int32_t>{0, 1, 3}, Array<Index>{0, 0, 1}, Array<double>{1, 2, 3});
  const Bandwidth bandwidth{.read = 2e9};
  const Prediction p = predict<double>(AnyFormat<double>(a.clone()), bandwidth);
  EXPECT_DOUBLE_EQ(p.bytes, static_cast<double>(a.footprint().moved_bytes) + 8 * 4);
  EXPECT_DOUBLE_EQ(p.seconds, p.bytes / 2e9);
}

TEST(Predict, CodeBalanceOfPaddedJaggedDiagonals) {
  EXPECT_DOUBLE_EQ(code_balance(1, 16), 6 + 4 + 0.5);
  EXPECT_DOUBLE_EQ(code_balance(0.25, 4), 6 + 1 + 2);
  EXPECT_DOUBLE_EQ(code_balance(1, 8, 4), (4 + 4 + 4 + 8.0 / 8) / 2);
}

// Sect. II-B on pJDS, equations (2) to (4).
TEST(Predict, WhenAGpuPaysOff) {
  const HostVectors ten{.gpu_bandwidth = 100e9, .bus_bandwidth = 10e9};
  const HostVectors twenty{.gpu_bandwidth = 100e9, .bus_bandwidth = 5e9};
  EXPECT_DOUBLE_EQ(ten.kernel_seconds(1e6, 7, 1), 8 * 1e6 / 100e9 * (7 * 2.5 + 2));
  EXPECT_DOUBLE_EQ(ten.transfer_seconds(1e6), 16 * 1e6 / 10e9);
  EXPECT_NEAR(ten.row_length_half_lost(1), 7, 0.5);
  EXPECT_NEAR(twenty.row_length_half_lost(), 25, 0.5);
  EXPECT_NEAR(ten.row_length_tenth_lost(1), 80, 1);
  EXPECT_NEAR(twenty.row_length_tenth_lost(), 266, 2);  // the paper rounds on the way

  const double half = ten.row_length_half_lost(0.5), tenth = ten.row_length_tenth_lost(0.5);
  EXPECT_DOUBLE_EQ(ten.kernel_seconds(1, half, 0.5), ten.transfer_seconds(1));
  EXPECT_DOUBLE_EQ(ten.kernel_seconds(1, tenth, 0.5), 10 * ten.transfer_seconds(1));
  const double once = twenty.row_length_half_lost();
  EXPECT_DOUBLE_EQ(twenty.kernel_seconds(1, once, 1 / once), twenty.transfer_seconds(1));
}

// Sect. III on pJDS: 12.9 GF/s for DLR1 becomes 10.9 with transfers, HMEp and sAMG come down to 3.7 and 2.3. One bus
// bandwidth, 3.75 GB/s, explains all three.
TEST(Predict, RatesWithTransfersOfThePaper) {
  EXPECT_NEAR(flops_with_transfers(12.9e9, 144, 3.75e9) / 1e9, 10.9, 0.1);
  EXPECT_NEAR(flops_with_transfers(7.9e9, 15, 3.75e9) / 1e9, 3.7, 0.05);
  EXPECT_NEAR(flops_with_transfers(7.8e9, 7, 3.75e9) / 1e9, 2.3, 0.05);
}

TEST(Predict, PeaksOfRowGroupedCsr) {
  EXPECT_DOUBLE_EQ(rgcsr_peak_flops(141e9, 4, false), 23.5e9);
  EXPECT_DOUBLE_EQ(rgcsr_peak_flops(141e9, 8, false), 14.1e9);
  EXPECT_DOUBLE_EQ(rgcsr_peak_flops(141e9, 4, true), 35.25e9);
  EXPECT_DOUBLE_EQ(rgcsr_peak_flops(141e9, 8, true), 23.5e9);
}

}  // namespace
}  // namespace millrace
