// Real systems: whatever factors can solve, solve() solves, and what is singular to working precision is called so.
#include <cstdlib>
#include <filesystem>

#include "millrace/io/matrix_file.hpp"
#include "millrace/tune/solve.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

constexpr Index max_rows = 2000;  // larger ones: benchmarks/real_solves.py

std::filesystem::path matrices() {
  const char* folder = std::getenv("MILLRACE_DATA");
  return folder ? std::filesystem::path(folder) / "matrices" : std::filesystem::path();
}

template <class T>
std::vector<T> product_with(const Csr<T>& a, const std::vector<T>& x) {
  std::vector<T> b(static_cast<std::size_t>(a.num_rows));
  Queue queue;
  SparseMatrix<T>(a.clone()).apply(queue, {.x = x, .y = b});
  return b;
}

template <class T>
void expect_solved_or_singular(const std::string& name, const Csr<T>& a) {
  Queue queue;
  const std::vector<T> exact = random_vector<T>(a.num_rows, 17);
  const std::vector<T> b = product_with(a, exact);
  std::vector<T> x(b.size()), by_factors(b.size());
  const AutoReport direct = solve(queue, a, b, by_factors, {.method = "direct"});
  const AutoReport report = solve(queue, a, b, x);
  ASSERT_TRUE(direct.rcond.has_value()) << name;
  if (*direct.rcond < DirectReport::min_rcond) {
    EXPECT_NE(direct.doubt().find("singular to working precision"), std::string::npos) << name;
    EXPECT_TRUE(!report.rcond || report.singular()) << name;
    return;
  }
  EXPECT_TRUE(report.ok() && report.relative <= 1e-8) << name << ": " << report.text();
  EXPECT_EQ(report.singular(), false) << name;
}

template <class T>
double largest_error(const std::vector<T>& x) {
  double largest = 0;
  for (const T& value : x) largest = std::max(largest, std::abs(value - T{1}));
  return largest;
}

}  // namespace

TEST(DataSolve, SmallSquareMatrices) {
  if (matrices().empty()) GTEST_SKIP() << "MILLRACE_DATA names no folder";
  if (!direct_packages()[1].built()) GTEST_SKIP() << "this build has no UMFPACK";
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(matrices())) {
    if (entry.path().string().find(".mtx") == std::string::npos || entry.file_size() > 200'000) continue;
    std::visit(
        [&](const auto& a) {
          if (a.num_rows != a.num_cols || a.num_rows > max_rows || a.num_rows == 0) return;
          ++seen;
          expect_solved_or_singular(entry.path().filename().string(), sort_rows(a));
        },
        read_matrix(entry.path()));
  }
  EXPECT_GT(seen, 50);
}

// x of ones: iterations on the matrices as they are say converged with errors of 1.8e3 and 1.
TEST(DataSolve, BadlyScaledSystemsHaveAGoodSolution) {
  if (matrices().empty()) GTEST_SKIP() << "MILLRACE_DATA names no folder";
  Queue queue;
  for (const auto& [name, bound] : {std::pair{"fs_183_3", 1e-3}, std::pair{"watt_2", 1e-9}}) {
    const auto a = std::get<Csr<double>>(read_matrix(matrices() / (std::string(name) + ".mtx.xz")));
    const std::vector<double> b = product_with(a, std::vector<double>(static_cast<std::size_t>(a.num_rows), 1.0));
    std::vector<double> x(b.size());
    const AutoReport report = solve(queue, a, b, x);
    EXPECT_TRUE(report.ok()) << report.text();
    EXPECT_LE(largest_error(x), bound) << name;
    EXPECT_LE(largest_error(x), report.forward.value_or(bound)) << name;
  }
}

}  // namespace millrace::testing
