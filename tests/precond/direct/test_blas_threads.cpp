// The threads of the BLAS that a direct solver calls.
#include "millrace/precond/direct/blas_threads.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace millrace::testing {
namespace {

using detail::BlasThreads;

TEST(BlasThreads, AreLimitedAsLongAsALimitLives) {
  const int before = BlasThreads::now();
  if (before == 0) GTEST_SKIP() << "the BLAS here has no threads";
  {
    const BlasThreads outer(1);
    EXPECT_EQ(BlasThreads::now(), 1);
    {
      const BlasThreads inner(2);
      EXPECT_EQ(BlasThreads::now(), 1);  // the fewest
    }
    EXPECT_EQ(BlasThreads::now(), 1);
  }
  EXPECT_EQ(BlasThreads::now(), before);
}

TEST(BlasThreads, OfCallersAtOnceTheLastPutsBackWhatWas) {
  const int before = BlasThreads::now();
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([t] {
      for (int k = 0; k < 200; ++k) {
        const BlasThreads limit(1 + (t + k) % 3);
        EXPECT_LE(BlasThreads::now(), 3);
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(BlasThreads::now(), before);
}

}  // namespace
}  // namespace millrace::testing
