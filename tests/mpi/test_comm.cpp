// Reductions among the ranks of an MPI job; run with any number of them.
#include <gtest/gtest.h>

#include "millrace/base/comm.hpp"

namespace millrace {
namespace {

TEST(MpiComm, Reductions) {
  const Comm comm = Comm::world();
  const auto size = static_cast<double>(comm.size());
  double sums[2] = {1.0, static_cast<double>(comm.rank())};
  comm.sum(sums);
  EXPECT_EQ(sums[0], size);
  EXPECT_EQ(sums[1], size * (size - 1) / 2);
  double most[1] = {static_cast<double>(comm.rank())};
  comm.max(most);
  EXPECT_EQ(most[0], size - 1);
  std::int64_t counts[1] = {2};
  comm.sum(counts);
  EXPECT_EQ(counts[0], 2 * comm.size());
  comm.barrier();
}

TEST(MpiComm, AloneByDefault) {
  const Comm comm;
  EXPECT_EQ(comm.size(), 1);
  EXPECT_EQ(comm.rank(), 0);
  double value[1] = {3};
  comm.sum(value);
  EXPECT_EQ(value[0], 3);
  EXPECT_EQ(comm, Comm());
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const millrace::MpiSession session(argc, argv);
  return RUN_ALL_TESTS();
}
