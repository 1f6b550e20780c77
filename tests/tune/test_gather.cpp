// The sums of the gather ceiling: a tile is checked as a row of a matrix would be, on the host and on the GPU.
#include "millrace/tune/gather.hpp"

#include "support.hpp"

namespace millrace::testing {
namespace {

constexpr Index num_cols = 101;

// Every row is a tile, so that the product of this matrix is what the gather must find.
template <class T>
Csr<T> tiles_of(Index num_entries) {
  std::vector<std::int64_t> row_ptr{0};
  while (row_ptr.back() < num_entries)
    row_ptr.push_back(std::min<std::int64_t>(num_entries, row_ptr.back() + gather_tile));
  Array<Index> cols(num_entries);
  for (Index i = 0; i < num_entries; ++i) cols.data()[i] = (i * 37) % num_cols;
  return Csr<T>(static_cast<Index>(row_ptr.size() - 1), num_cols,
                Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)), std::move(cols),
                Array<T>(std::span<const T>(random_vector<T>(num_entries, 5))));
}

template <class T>
void expect_right_sums(Device device) {
  Queue queue(device, device.on_host() ? 2 : 0);
  const std::vector<T> x = random_vector<T>(num_cols, 6);
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(device);
  for (const Index n : {0, 1, 2047, 2048, 2049, 10000}) {
    const Csr<T> tiles = tiles_of<T>(n), there = tiles.to(device);
    ASSERT_EQ(num_gather_sums(n), tiles.num_rows);
    const std::vector<T> poison(static_cast<std::size_t>(tiles.num_rows),
                                T{std::numeric_limits<RealOf<T>>::quiet_NaN()});
    const auto expected = reference<T>(tiles, Op::none, T{1}, x, T{0}, poison);
    Array<T> sums = Array<T>(std::span<const T>(poison)).to(device);
    std::vector<T> first;
    for (int run = 0; run < 2; ++run) {
      gather<T>(queue, there, x_there.device_span(), sums.device_span());
      queue.wait();
      expect_within<T>(expected, sums.to_vector(), join(n, " entries"));
      if (run == 0) first = sums.to_vector();
    }
    EXPECT_TRUE(same_bits<T>(sums.to_vector(), first)) << n;
  }
}

template <class T>
class GatherOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GatherOf, Scalars);
TYPED_TEST(GatherOf, SumsEveryTile) { expect_right_sums<TypeParam>(Device::host()); }

template <class T>
class GpuGatherOf : public ::testing::Test {};
TYPED_TEST_SUITE(GpuGatherOf, Scalars);
TYPED_TEST(GpuGatherOf, SumsEveryTile) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  expect_right_sums<TypeParam>(Device::gpu());
}

TEST(Gather, RefusesWhatDoesNotFit) {
  const Csr<double> a = tiles_of<double>(10);
  const std::vector<double> x(100);
  Array<double> sums(1);
  Queue queue;
  EXPECT_EQ(
      error_of([&] { gather<double>(queue, a, std::span<const double>(x), sums.device_span()); }),
      "gather: the matrix has 101 columns and 10 entries, so x needs one vector of 101 and there are 1 sums; they "
      "have 1 of 100 and 1");
}

}  // namespace
}  // namespace millrace::testing
