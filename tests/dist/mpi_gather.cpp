// Vectors to rank 0 and back. Part of the program test_mpi.
#include "millrace/dist/gather.hpp"

#include "expect.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::testing {
namespace {

template <class T>
class MpiGather : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MpiGather, AllScalars);

TYPED_TEST(MpiGather, ThereAndBack) {
  using T = TypeParam;
  const Comm world = Comm::world();
  for (const std::int64_t n : {0, 1, 100})
    for (const std::int64_t multiple : {1, 64})
      for (const int num : {0, 1, 3}) {
        const Partition parts = by_rows(n, world.size(), multiple);
        const std::vector<T> all = random_vector<T>(n * num, 1);
        const std::span<const T> on_0 = world.rank() == 0 ? std::span<const T>(all) : std::span<const T>();
        const std::vector<T> mine = deal_vectors(world, parts, on_0, num);
        const std::int64_t rows = parts.size(world.rank());
        ASSERT_EQ(std::ssize(mine), rows * num);
        for (int v = 0; v < num; ++v)
          for (std::int64_t i = 0; i < rows; ++i)
            ASSERT_EQ(mine[to_size(v * rows + i)], all[to_size(v * n + parts.begin(world.rank()) + i)]);
        EXPECT_TRUE(same_bits<T>(gather_vectors(world, parts, std::span<const T>(mine), num), on_0));
      }
  const Partition parts = by_rows(10, world.size());
  const std::vector<T> wrong(11);
  const std::string text = error_of([&] { gather_vectors(world, parts, std::span<const T>(wrong), 1); });
  EXPECT_NE(text.find("gather_vectors: 11 entries"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
