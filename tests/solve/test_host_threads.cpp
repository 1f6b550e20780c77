// Solvers and the host threads of a process: after fork, from many threads of the user's, and with limits.
#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "in_child.hpp"
#include "millrace/base/resident.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/threads/cores.hpp"
#include "millrace/base/threads/pool.hpp"
#include "millrace/sparse/matrix.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

// Large enough for regions of several threads in products and in sweeps.
const SparseMatrix<double>& matrix() {
  static const SparseMatrix<double> a(laplacian<double>(200, 1), "csr");
  return a;
}

std::vector<double> solution(int num_threads) {
  Queue queue(Device::host(), num_threads);
  const Array<double> b(matrix().shape().rows, 1.0);
  Array<double> x(b.size(), 0.0);
  const SolveReport report = cg(queue, matrix(), b, x, {.tolerance = 1e-6});
  EXPECT_EQ(report.end, SolveEnd::converged) << report.reason;
  return x.to_vector();
}

TEST(HostThreads, AChildAfterForkSolves) {
  const std::vector<double> right = solution(4);
  for (const int threads : {1, 2, 4}) {
    EXPECT_TRUE(holds_in_child([&] { return solution(threads) == right; })) << threads;
  }
  EXPECT_EQ(solution(3), right);
}

int threads_of_this_process() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

TEST(HostThreads, AThousandThreadsThatSolveOnceLeaveNothingBehind) {
  const std::vector<double> right = solution(2);
  const auto solve_in_threads = [&](int count) {
    for (int t = 0; t < count; t += 4) {
      std::vector<std::thread> four;
      for (int k = 0; k < 4; ++k)
        four.emplace_back([&] {
          const Csr<double> own = laplacian<double>(12, 1);
          const SparseMatrix<double> a(own, "csr");
          Queue queue(Device::host(), 2);
          const Array<double> b(own.num_rows, 1.0);
          Array<double> x(b.size(), 0.0);
          EXPECT_EQ(cg(queue, a, b, x, {.tolerance = 1e-6}).end, SolveEnd::converged);
          std::vector<int> hits(2);
          parallel(2, [&](int part, int) { ++hits[static_cast<std::size_t>(part)]; });
          EXPECT_EQ(hits, (std::vector<int>{1, 1}));
        });
      for (std::thread& thread : four) thread.join();
    }
  };
  solve_in_threads(100);  // what malloc keeps per thread is there now
  const int threads = threads_of_this_process();
  const double bytes = resident_bytes();
  solve_in_threads(1000);
  EXPECT_LE(threads_of_this_process(), std::max(threads, detail::cores_of_mask()));
  EXPECT_LE(resident_bytes(), bytes + 8e6);  // 8 kB of each would be seen
  EXPECT_EQ(solution(2), right);
}

TEST(HostThreads, ALimitHoldsForPublicCallsWithoutAQueue) {
  EXPECT_TRUE(holds_in_child([&] {
    const ThreadLimit one(1);
    const bool good = solution(1).size() == 40'000 && Array<double>(4'000'000, 1.0).clone().size() == 4'000'000;
    return good && detail::ThreadPool::num_workers() == 0;
  }));
}

// A queue of one thread, in a process that may use all cores.
TEST(HostThreads, AQueueLimitsAllThatItsCallsDo) {
  const Array<double> b(matrix().shape().rows, 1.0), large(2'000'000, 1.0);
  Array<double> x(b.size(), 0.0);
  const Csr<double> csr = laplacian<double>(200, 1);
  EXPECT_TRUE(holds_in_child([&] {
    Queue queue(Device::host(), 1);
    Array<double> y(queue, large.size());
    copy_bytes(queue, Device::host(), y.data(), Device::host(), large.data(), static_cast<std::size_t>(large.bytes()));
    const SparseMatrix<double> a(queue, csr, "sell-8-1");
    const bool solved = cg(queue, a, b, x, {.tolerance = 1e-6}).end == SolveEnd::converged;
    return solved && detail::ThreadPool::num_workers() == 0;
  }));
}

}  // namespace
}  // namespace millrace::testing
