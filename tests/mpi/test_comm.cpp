// What passes among the ranks of an MPI job; run with any number of them.
#include "millrace/base/comm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <new>

#include "expect.hpp"
#include "millrace/base/patience.hpp"
#include "millrace/base/together.hpp"
#include "millrace/solve/engine/agree.hpp"

namespace millrace {
namespace {

using testing::error_of;

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
  EXPECT_EQ(comm.sum_before(comm.rank() + 1), comm.rank() * (comm.rank() + 1) / 2);
  EXPECT_TRUE(comm.any(comm.rank() == comm.size() - 1));
  EXPECT_EQ(comm.all(comm.rank() == 0), comm.size() == 1);
  comm.barrier();
}

// Added in the order of the ranks, so with the same bits everywhere, many or few.
TEST(MpiComm, SumsHaveTheSameBitsOnAllRanks) {
  const Comm comm = Comm::world();
  std::vector<double> values(40'000);
  const auto value = [](std::size_t i, int rank) { return std::exp(0.001 * static_cast<double>(i)) / (3 + rank); };
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i, comm.rank());
  comm.sum(values);
  for (const std::size_t i : {std::size_t{0}, std::size_t{16'383}, std::size_t{16'384}, values.size() - 1}) {
    double expected = value(i, 0);
    for (int r = 1; r < comm.size(); ++r) expected += value(i, r);
    EXPECT_EQ(values[i], expected);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, &values[123], sizeof(bits));
  for (const std::uint64_t other : comm.gather(bits)) EXPECT_EQ(other, bits);
}

TEST(MpiComm, GathersAndBroadcasts) {
  const Comm comm = Comm::world();
  const std::vector<std::int32_t> mine(static_cast<std::size_t>(comm.rank()), comm.rank());  // none, one, two, ...
  std::vector<std::int32_t> expected;
  for (int r = 0; r < comm.size(); ++r) expected.insert(expected.end(), static_cast<std::size_t>(r), r);
  EXPECT_EQ(comm.gather(std::span<const std::int32_t>(mine)), expected);
  const int last = comm.size() - 1;
  EXPECT_EQ(comm.broadcast(join("of rank ", comm.rank()), last), join("of rank ", last));
  EXPECT_EQ(comm.broadcast("", 0), "");
}

TEST(MpiComm, DuplicatesAndUsersCommunicators) {
  const Comm comm = Comm::world(), again = comm.duplicate();
  EXPECT_EQ(comm, Comm::world());
  EXPECT_EQ(again.size(), comm.size());
  EXPECT_EQ(again.rank(), comm.rank());
  if (comm.fortran_handle() == -1) return;  // no MPI
  EXPECT_NE(again, comm);
  EXPECT_EQ(Comm::of(comm.fortran_handle()).size(), comm.size());
}

TEST(MpiComm, AloneByDefault) {
  const Comm comm;
  EXPECT_EQ(comm.size(), 1);
  EXPECT_EQ(comm.rank(), 0);
  double value[1] = {3};
  comm.sum(value);
  EXPECT_EQ(value[0], 3);
  EXPECT_EQ(comm.gather(7), std::vector{7});
  EXPECT_EQ(comm.sum_before(5), 0);
  EXPECT_EQ(comm, Comm());
}

TEST(MpiTogether, TheTextOfTheLowestRankComesToAll) {
  const Comm comm = Comm::world();
  EXPECT_EQ(together(comm, [&] { return comm.rank() + 1; }), comm.rank() + 1);
  if (comm.size() == 1) return;
  const auto odd = [&] {
    together(comm, [&] { require<IoError>(comm.rank() % 2 == 0, "file ", comm.rank(), " is broken"); });
  };
  EXPECT_EQ(error_of(odd), join("rank 1 of ", comm.size(), ": file 1 is broken"));
  EXPECT_THROW(odd(), IoError);
  EXPECT_THROW(odd(), OnAllRanks);
  const auto memory = [&] {
    together(comm, [&] {
      if (comm.rank() == 1) throw std::bad_alloc();
    });
  };
  EXPECT_EQ(error_of(memory), join("rank 1 of ", comm.size(), ": there is not enough memory for this"));
  const auto nested = [&] { together(comm, odd); };
  EXPECT_EQ(error_of(nested), join("rank 1 of ", comm.size(), ": file 1 is broken"));  // its number once
}

TEST(MpiTogether, OneMonitorEndsAllRanks) {
  const Comm comm = Comm::world();
  const int last = comm.size() - 1;
  const detail::Monitor agreed = detail::agreed_monitor(
      comm, comm.rank() == last ? detail::Monitor([](int iteration, double) { return iteration < 3; }) : nullptr);
  ASSERT_TRUE(agreed != nullptr);
  EXPECT_TRUE(agreed(2, 0.5));
  EXPECT_FALSE(agreed(3, 0.5));
  EXPECT_TRUE(detail::agreed_monitor(comm, nullptr) == nullptr);
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const millrace::MpiSession session(argc, argv);
  return RUN_ALL_TESTS();
}
