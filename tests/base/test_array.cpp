// Arrays on the host and on a GPU.
#include <algorithm>
#include <cstdint>
#include <fstream>

#include "expect.hpp"
#include "millrace/base/array.hpp"
#include "millrace/base/timer.hpp"

namespace millrace::testing {
namespace {

std::int64_t resident_pages() {
  std::int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

// Whatever malloc keeps: MPI may have told it to keep everything.
TEST(ArrayHost, LargeMemoryGoesBackToTheSystem) {
  constexpr std::int64_t size = (40 << 20) / 8 + 3;  // 40 MB
  const std::int64_t before = resident_pages();
  {
    Array<double> a(size, 1.5);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % (2 << 20), 0u);
    EXPECT_EQ(a.data()[size - 1], 1.5);
    EXPECT_GT(resident_pages(), before + 9000);
    const Array<double> b = std::move(a);
    EXPECT_EQ(b.clone().data()[size - 1], 1.5);
  }
  EXPECT_LT(resident_pages(), before + 2000);
}

TEST(ArrayHost, CopiesMovesAndBorrows) {
  Array<double> a{1, 2, 3};
  EXPECT_EQ(a.to_vector(), (std::vector<double>{1, 2, 3}));
  Array<double> b = a.clone();
  b.span()[0] = 9;
  EXPECT_EQ(a.span()[0], 1);
  const double* before = a.data();
  const Array<double> c = std::move(a);
  EXPECT_EQ(c.data(), before);
  double own[2] = {5, 6};
  {
    Array<double> borrowed = Array<double>::borrow({Device::host(), own, 2});
    borrowed.span()[1] = 7;
    EXPECT_TRUE(borrowed.borrowed());
  }
  EXPECT_EQ(own[1], 7);
  EXPECT_EQ(Array<float>().size(), 0);
  EXPECT_EQ(Array<float>(0).data(), nullptr);
  EXPECT_NE(error_of([] { Array<double>(-1); }).find("a length of -1 entries"), std::string::npos);
  EXPECT_NE(error_of([] { Array<double>(INT64_MAX); }).find("not possible"), std::string::npos);
  EXPECT_NE(error_of([] { Array<char>(INT64_MAX / 2); }).find("could not be had"), std::string::npos);
  EXPECT_NE(error_of([&] { b.assign(std::span<const double>(own)); }).find("the array has 3 entries, the source 2"),
            std::string::npos);
}

TEST(ArrayHost, SpansAreCountedWithSignedNumbers) {
  Array<int> a{4, 5, 6};
  const HostSpan<int> span = a.span();
  static_assert(std::is_same_v<decltype(span.size()), std::int64_t>);
  for (std::int64_t i = 0; i < span.size(); ++i) span[i] += 10;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(span[i], 14 + static_cast<int>(i));
  const HostSpan<const int> constant = span;
  int sum = 0;
  for (const int value : constant) sum += value;
  EXPECT_EQ(sum, 45);
  const auto front = [](std::span<const int> values) { return values.front(); };
  EXPECT_EQ(front(a.span()), 14);
  const auto count = []<class U>(std::span<U> values) { return std::ssize(values); };
  EXPECT_EQ(count(a.span()), 3);
  const std::span<int> plain = a.span();
  EXPECT_EQ(plain.data(), a.data());
  EXPECT_EQ(HostSpan<int>().size(), 0);
  EXPECT_TRUE(Array<int>().span().empty());
}

TEST(ArrayHost, LargeOnesAreAlignedAndFilled) {
  const Array<double> a((16 << 20) + 1, 2.5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % (2 << 20), 0u);
  EXPECT_EQ(std::count(a.data(), a.data() + a.size(), 2.5), a.size());
}

TEST(GpuArray, TravelsAndKeepsHostCodeOut) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Device gpu = Device::gpu();
  const std::vector<double> values = random_vector<double>(100'001, 1);
  const Array<double> there = Array<double>(std::span<const double>(values)).to(gpu);
  EXPECT_EQ(there.to(gpu).to_vector(), values);
  EXPECT_NE(error_of([&] { (void)there.span(); }).find("this array lives on gpu:0"), std::string::npos);
  Queue queue(gpu);
  Array<double> pooled(queue, 100'001);
  copy_bytes(queue, gpu, pooled.data(), gpu, there.data(), static_cast<std::size_t>(there.bytes()));
  Array<double> pinned(Device::host(), 100'001, Memory::pinned);
  copy_bytes(queue, Device::host(), pinned.data(), gpu, pooled.data(), static_cast<std::size_t>(there.bytes()));
  queue.wait();
  EXPECT_TRUE(same_bits<double>(pinned.span(), values));
  EXPECT_NE(error_of([&] { Array<char>(gpu, INT64_MAX / 2); }).find("bytes were asked for on gpu:0"),
            std::string::npos);
  EXPECT_GT(facts(gpu).cache_bytes, 0);
  int runs = 0;
  const Samples timed = time(queue, [&] { ++runs; }, {.warm_ups = 1, .min_runs = 3, .max_runs = 3, .cold = true});
  EXPECT_EQ(timed.seconds.size(), 3u);
}

// A copy has arrived when it returns: work that a queue begins at once must not be overtaken by it.
TEST(GpuArray, CopiesHaveArrivedWhenTheyReturn) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Device gpu = Device::gpu();
  const std::vector<double> good = random_vector<double>(1'000'001, 2), poison(good.size(), -7.0);
  const Array<double> source = Array<double>(std::span<const double>(good)).to(gpu);
  Array<double> target(gpu, source.size());
  Queue queue(gpu);
  for (int i = 0; i < 50; ++i) {
    target.assign(std::span<const double>(poison));
    copy_bytes(queue, gpu, target.data(), gpu, source.data(), static_cast<std::size_t>(source.bytes()));
    queue.wait();
    ASSERT_EQ(target.to_vector(), good) << "run " << i;
  }
}

}  // namespace
}  // namespace millrace::testing
