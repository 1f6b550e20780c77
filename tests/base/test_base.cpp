// Errors, dispatch, devices, arrays, queues, threads and timing.
#include "millrace/base/array.hpp"
#include "millrace/base/dispatch.hpp"
#include "millrace/base/timer.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

TEST(Require, JoinsItsPartsAndKeepsThePlace) {
  require(true, "not thrown");
  try {
    require<IoError>(1 > 2, "row ", 7, " of ", std::string("A"), ": ", 0.5, ' ', true);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "row 7 of A: 0.5 1");
    EXPECT_NE(std::string(error.place().file_name()).find("test_base.cpp"), std::string::npos);
  }
}

TEST(Dispatch, CallsTheValueOrListsTheKnown) {
  int called = 0;
  dispatch<1, 2, 4>("width", 2, [&]<int V>() { called = V; });
  EXPECT_EQ(called, 2);
  EXPECT_EQ(error_of<Unsupported>([] { dispatch<1, 2, 4>("width", 3, []<int>() {}); }),
            "width = 3 is not compiled in; compiled values are: 1 2 4");
}

TEST(DeviceName, ParsesAndPrints) {
  EXPECT_TRUE(parse_device("cpu").on_host());
  EXPECT_TRUE(parse_device("host").on_host());
  EXPECT_EQ(to_string(Device::gpu(3)), "gpu:3");
  for (const char* wrong : {"", "gpu:", "gpu:x", "gpu1", "tpu", "cuda:-1"})
    EXPECT_NE(error_of([&] { parse_device(wrong); }).find("unknown device '"), std::string::npos) << wrong;
  EXPECT_GT(facts(Device::host()).memory_bytes, 0);
  EXPECT_GT(facts(Device::host()).num_units, 0);
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

TEST(ArrayHost, LargeOnesAreAlignedAndFilled) {
  const Array<double> a((16 << 20) + 1, 2.5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % (2 << 20), 0u);
  EXPECT_EQ(std::count(a.data(), a.data() + a.size(), 2.5), a.size());
}

TEST(QueueHost, ScratchIsReusedAndNested) {
  Queue queue;
  const void* first = nullptr;
  {
    const auto a = queue.scratch<double>(100);
    const auto b = queue.scratch<double>(100);
    EXPECT_NE(a.data(), b.data());
    first = a.data();
  }
  const auto again = queue.scratch<char>(10);
  EXPECT_TRUE(again.data() == first || again.size() == 10);
  EXPECT_EQ(Queue(Device::host(), 3).num_threads(), 3);
  EXPECT_NE(error_of([] { Queue(Device::host(), -1); }).find("-1 threads were asked for"), std::string::npos);
}

TEST(Parallel, CoversEveryPartOnceAndPassesErrorsOn) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> hits(100'003);
    parallel_for(threads, std::ssize(hits), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), std::ssize(hits));
    EXPECT_EQ(error_of([&] { parallel(threads, [](int, int) { throw Error("inside"); }); }), "inside");
  }
  std::int64_t next = 0;
  for (int t = 0; t < 7; ++t) {
    const auto [begin, end] = even_part(23, t, 7);
    EXPECT_EQ(begin, next);
    next = end;
  }
  EXPECT_EQ(next, 23);
}

TEST(Timer, QuantilesAndCounts) {
  const Samples samples{{3, 1, 2, 5, 4}};
  EXPECT_EQ(samples.median(), 3);
  EXPECT_EQ(samples.fastest(), 1);
  EXPECT_DOUBLE_EQ(samples.spread(), (4.0 - 2.0) / 2 / 3);
  Queue queue;
  int runs = 0;
  const Samples timed =
      time(queue, [&] { ++runs; }, {.warm_ups = 2, .min_runs = 5, .max_runs = 5, .max_seconds = 0, .cold = true});
  EXPECT_EQ(runs, 7);
  EXPECT_EQ(timed.seconds.size(), 5u);
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

}  // namespace
}  // namespace millrace::testing
