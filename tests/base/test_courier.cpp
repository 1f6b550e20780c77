// The courier looks until a task is done, and brings back what it threw; waits for other ranks have an end.
#include "millrace/base/courier.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <stdexcept>

#include "expect.hpp"
#include "millrace/base/patience.hpp"

namespace millrace::testing {

TEST(Courier, LooksUntilATaskIsDone) {
  Courier courier;
  std::atomic<int> looks = 0;
  for (int task = 1; task <= 3; ++task) {
    looks = 0;
    courier.begin([&] { return ++looks == 5; });
    courier.wait();
    EXPECT_EQ(looks, 5);
  }
}

TEST(Courier, BringsErrorsBackAndGoesOn) {
  Courier courier;
  courier.begin([]() -> bool { throw std::runtime_error("no message came"); });
  EXPECT_THROW(courier.wait(), std::runtime_error);
  courier.wait();  // said once
  std::atomic<bool> open = false;
  courier.begin([&] { return open.load(); });
  EXPECT_NE(error_of([&] { courier.begin([] { return true; }); }).find("one task at a time"), std::string::npos);
  open = true;
  courier.wait();
}

TEST(Patience, ComesFromTheEnvironment) {
  unsetenv("MILLRACE_PATIENCE");
  EXPECT_EQ(patience_seconds(), 300);
  setenv("MILLRACE_PATIENCE", "0.01", 1);
  EXPECT_EQ(patience_seconds(), 0.01);
  RankWait wait;
  while (wait.wait()) {
  }
  EXPECT_GE(wait.seconds(), 0.01);
  for (const char* bad : {"soon", "-1", "0", "inf", "3s"}) {
    setenv("MILLRACE_PATIENCE", bad, 1);
    EXPECT_EQ(error_of([] { patience_seconds(); }),
              join("MILLRACE_PATIENCE is '", bad, "'; a positive number of seconds is accepted"));
  }
  unsetenv("MILLRACE_PATIENCE");
}

}  // namespace millrace::testing
