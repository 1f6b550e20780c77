// The table [linear] of case files: what it sets, what it refuses, and that the solution does not depend on it.
#include <algorithm>

#include "case_tools.hpp"
#include "expect.hpp"
#include "millrace/hdg/trace_solver_words.hpp"

namespace millrace::test {
namespace {

using testing::error_of;

hdg::Case with_linear(const std::string& keys, const std::string& solver = "") {
  return case_of(text_of_example("couette.toml") + "\n[solver]\n" + solver + "\n[linear]\n" + keys + "\n", 2);
}

TEST(CaseLinear, KeysSetOptionsAndNothingElseChanges) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::NewtonOptions defaults;
  const hdg::Case plain = with_linear("");
  EXPECT_EQ(plain.newton.linear_tolerance, defaults.linear_tolerance);
  EXPECT_EQ(plain.newton.linear.minimum_fill, defaults.linear.minimum_fill);
  EXPECT_EQ(plain.newton.linear.coarse_order, defaults.linear.coarse_order);
  EXPECT_EQ(plain.newton.linear.coarse, defaults.linear.coarse);
  EXPECT_EQ(plain.newton.linear.coarse_steps, defaults.linear.coarse_steps);
  EXPECT_EQ(plain.newton.linear.precision, defaults.linear.precision);
  EXPECT_EQ(plain.newton.linear.cycle, defaults.linear.cycle);
  const hdg::Case c = with_linear(
      "elimination = 'as-numbered'\ncoarse = 'stationary'\ncoarse_order = 0\ncoarse_steps = 3\nfactors = 'bfloat16'\n"
      "cycle = 40\ntolerance = 1e-4");
  EXPECT_EQ(c.newton.linear_tolerance, 1e-4);
  EXPECT_FALSE(c.newton.linear.minimum_fill);
  EXPECT_EQ(c.newton.linear.coarse_order, 0);
  EXPECT_EQ(c.newton.linear.coarse, CoarseSolver::stationary);
  EXPECT_EQ(c.newton.linear.coarse_steps, 3);
  EXPECT_EQ(c.newton.linear.precision, Precision::bfloat16);
  EXPECT_EQ(c.newton.linear.cycle, 40);
  EXPECT_EQ(with_linear("coarse = 'none'").newton.linear.coarse_order, -1);
  EXPECT_EQ(with_linear("factors = 'double'").newton.linear.precision, Precision::full);
  EXPECT_EQ(with_linear("tolerance = 1e-5\nloosest = 1e-5", "").newton.loosest, 1e-5);
  EXPECT_EQ(with_linear("tolerance = 0.1", "").newton.loosest, 0.1);
  EXPECT_EQ(with_linear("", "linear_tolerance = 1e-3").newton.linear_tolerance, 1e-3);
}

TEST(CaseLinear, ErrorsNameThePlaceAndWhatIsAccepted) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto refused = [](const std::string& keys, const std::string& wanted, const std::string& solver = "") {
    const std::string text = error_of([&] { with_linear(keys, solver); });
    EXPECT_NE(text.find(wanted), std::string::npos) << text << "\nwanted: " << wanted;
    EXPECT_EQ(text.find("case.toml:"), text.find("case.toml"));
  };
  refused("factors = 'half'", "'linear.factors' is 'half'; accepted are: double, single, bfloat16");
  refused("elimination = 'rcm'", "'linear.elimination' is 'rcm'; accepted are: minimum-fill, as-numbered");
  refused("coarse = 'direct'", "'linear.coarse' is 'direct'; accepted are: gmres, stationary, none");
  refused("coarse = 'none'\ncoarse_steps = 5", "'linear.coarse_steps' beside coarse = \"none\"");
  refused("coarse_order = -1", "'linear.coarse_order' is -1; 0 to 5 are accepted");
  refused("coarse_steps = 0", "'linear.coarse_steps' is 0; 1 to 100 are accepted");
  refused("cycle = 0", "'linear.cycle' is 0; 1 to 10000 are accepted");
  refused("tolerance = 1", "'linear.tolerance' is 1; a share of the right-hand side, more than 0 and less than 1");
  refused("loosest = 1e-7", "'linear.loosest' is 1e-07, less than the tightest, 1e-06");
  refused("loosest = 1", "'linear.loosest' is 1; a share of the right-hand side");
  refused("tolerance = 1e-3", "'linear.tolerance' is 'solver.linear_tolerance'; one of them",
          "linear_tolerance = 1e-4");
  refused("restart = 30", "'linear.restart' is no key here; accepted are: coarse, ");
}

// Newton's method ends at the same solution, however its systems are solved.
TEST(CaseLinear, TheSolutionDoesNotDependOnIt) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::CaseResult expected = solved(with_linear(""));
  for (const char* keys : {"elimination = 'as-numbered'", "coarse = 'stationary'\ncoarse_order = 0", "coarse = 'none'",
                           "factors = 'bfloat16'", "factors = 'double'\ncycle = 12", "tolerance = 1e-3"}) {
    const hdg::CaseResult result = solved(with_linear(keys));
    const std::vector<double>&a = result.orders.back().errors, &b = expected.orders.back().errors;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-8 * (1 + b[i])) << keys;
  }
}

// Each part of the estimate follows what it is of.
TEST(CaseLinear, TheEstimateOfMemoryFollowsTheSettings) {
  const auto estimate = [](const hdg::TraceSolverOptions& linear, bool keep = true, int order = 3) {
    return hdg::estimate_memory(5760, 8752, 2, 4, order, {.keep_solutions = keep, .linear = linear});
  };
  const hdg::MemoryEstimate usual = estimate({});
  const auto changed = [&](const hdg::TraceSolverOptions& linear) { return estimate(linear); };
  EXPECT_DOUBLE_EQ(changed({.precision = Precision::full}).factors, 2 * usual.factors);
  EXPECT_DOUBLE_EQ(changed({.precision = Precision::bfloat16}).factors, usual.factors / 2);
  EXPECT_DOUBLE_EQ(changed({.cycle = 50}).basis, usual.basis / 2);
  EXPECT_DOUBLE_EQ(usual.basis, 200.0 * 8752 * 16 * 8);
  EXPECT_EQ(changed({.coarse_order = -1}).coarse, 0);
  EXPECT_LT(changed({.coarse_order = 0}).coarse, usual.coarse / 2);
  EXPECT_DOUBLE_EQ(usual.cells - estimate({}, false).cells, 8.0 * 5760 * 40 * 49);
  EXPECT_LT(usual.total(), 1.15 * usual.large());
  EXPECT_LT(estimate({}, true, 2).total(), usual.total());
}

// The peak of a solve: at most 1.15 times matrix, factors, basis, cells and coarse system, within 10 % of the estimate.
TEST(SlowCaseMemory, ThePeakIsAsEstimated) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  Queue queue;
  hdg::Case c = hdg::read_case(std::string(MILLRACE_EXAMPLES) + "/flow/naca0012.toml", 3);
  c.first_order = 3;
  int left = 2;  // factors and basis are made three times
  const hdg::CaseResult result = hdg::run_case(queue, c, [&](const hdg::CaseStep&) { return left-- > 0; });
  ASSERT_EQ(result.steps.size(), 3U) << result.reason;
  const hdg::OrderResult& last = result.orders.back();
  if (last.peak_bytes == 0) GTEST_SKIP() << "this system does not say how much memory a process has";
  EXPECT_LT(last.peak_bytes, 1.15 * (last.memory.large() + last.memory.coarse));
  EXPECT_NEAR(last.peak_bytes, last.memory.total(), 0.1 * last.memory.total());
}

}  // namespace
}  // namespace millrace::test
