// Cores that a process may use: its affinity mask, and what its control groups grant.
#include "millrace/base/threads/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>

#include "temporary_folder.hpp"

namespace millrace::testing {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

int cores_of(const std::string& groups, const fs::path& mount) {
  put(mount / "groups", groups);
  return detail::cores_of_groups(mount / "groups", mount);
}

TEST(Cores, OfTheSecondVersionTheLeastOfAGroupAndThoseAboveItCounts) {
  const test::TemporaryFolder folder("millrace-cores");
  EXPECT_EQ(cores_of("0::/user/job\n", folder.path()), 0);
  put(folder.path() / "user/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cores_of("0::/user/job\n", folder.path()), 0);
  put(folder.path() / "user/cpu.max", "350000 100000\n");
  EXPECT_EQ(cores_of("0::/user/job\n", folder.path()), 4);
  put(folder.path() / "user/job/cpu.max", "200000 100000\n");
  EXPECT_EQ(cores_of("0::/user/job\n", folder.path()), 2);
  put(folder.path() / "cpu.max", "50000 100000\n");  // of a container, whose mount is its own group
  EXPECT_EQ(cores_of("0::/user/job\n", folder.path()), 1);
  EXPECT_EQ(cores_of("0::/\n", folder.path()), 1);
}

TEST(Cores, OfTheFirstVersionTheGroupOfTheControllerCounts) {
  const test::TemporaryFolder folder("millrace-cores");
  put(folder.path() / "cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  put(folder.path() / "cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores_of("5:memory:/job\n4:cpu,cpuacct:/job\n", folder.path()), 3);
  EXPECT_EQ(cores_of("5:memory:/job\n", folder.path()), 0);
  put(folder.path() / "cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cores_of("4:cpu,cpuacct:/job\n", folder.path()), 0);
  EXPECT_EQ(cores_of("", folder.path()), 0);
  EXPECT_EQ(detail::cores_of_groups(folder.path() / "missing", folder.path()), 0);
}

TEST(Cores, ThereAreAsManyAsTheMaskHas) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(detail::cores_of_mask(), CPU_COUNT(&before));
  EXPECT_LE(available_cores(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(available_cores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace millrace::testing
