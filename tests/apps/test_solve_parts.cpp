// Parts of `millrace solve`: the rule for formats, the facts and tries of auto, patience, names, the plot.
#include <gtest/gtest.h>

#include "millrace/sparse/gallery.hpp"
#include "terminal/residual_view.hpp"
#include "verbs/solve/auto.hpp"
#include "verbs/solve/format.hpp"
#include "verbs/solve/methods.hpp"
#include "verbs/solve/preconds.hpp"

namespace millrace::command {

FormatChoice format_of(const char* spec, Device device = Device::host(), bool single_kernel = false) {
  return choose_format(compute_stats(gallery::make(spec)), device, single_kernel);
}

TEST(SolveParts, FormatsFollowTheStatistics) {
  EXPECT_EQ(format_of("poisson3d7:n=12").format, "dia");
  EXPECT_EQ(format_of("poisson3d7:n=12", Device::gpu()).format, "dia-32");
  EXPECT_EQ(format_of("poisson3d7:n=12", Device::gpu(), true).format, "csr");
  EXPECT_EQ(format_of("cfd:n=6,block=5").format, "bsr-5");
  EXPECT_EQ(format_of("hdg:m=8,faces=500").format, "dbf-8");
  EXPECT_EQ(format_of("random:n=200").format, "csr");
  EXPECT_EQ(format_of("random:n=20000").format.substr(0, 4), "sell");
  EXPECT_EQ(format_of("powerlaw:n=20000").format, "csr");
  for (const char* spec : {"poisson3d7:n=12", "cfd:n=6,block=5", "hdg:m=8,faces=500", "random:n=200"}) {
    EXPECT_FALSE(format_of(spec).reason.empty());
    const Csr<double> a = gallery::make(spec);
    EXPECT_NO_THROW(SparseMatrix<double>(a, format_of(spec).format)) << spec;
  }
}

Csr<double> two_by_two(double a, double b, double c, double d) {
  return Csr<double>(2, 2, Array<std::int32_t>{0, 2, 4}, {0, 1, 0, 1}, {a, b, c, d});
}
std::vector<Plan> plans_of(const Csr<double>& a, const AutoRequest& request = {}) {
  return plan_solve(system_facts(a, compute_stats(a)), request);
}

TEST(SolveParts, TriesFollowTheFacts) {
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1, 2)).front().method, "cg");
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1 + 1e-13, 2)).front().method, "cg");  // symmetric but for rounding
  EXPECT_EQ(plans_of(two_by_two(2, 1, 0.9, 2)).front().method, "gmres");
  EXPECT_EQ(plans_of(two_by_two(-2, 1, 1, -2)).front().order, "negate");
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1, -2)).front().method, "minres");
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1, 2)).back().precond, "ilu20");
  const std::vector<Plan> named = plans_of(two_by_two(2, 1, 1, 2), {.method = "bicgstab"});
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].precond, "ilu0");
  for (const Plan& plan : plans_of(two_by_two(2, 1, 1, -2), {.precond = "none"})) EXPECT_EQ(plan.precond, "none");

  std::vector<Attempt> before(1);
  before[0].report.end = SolveEnd::max_iterations;
  EXPECT_FALSE(worth_trying({.method = "minres"}, before));
  before[0].report.end = SolveEnd::indefinite;
  EXPECT_TRUE(worth_trying({.method = "minres"}, before));
}

TEST(SolveParts, PatienceEndsWhatDoesNotMove) {
  Patience steady(1e-8, 1000, 50), stuck(1e-8, 1000, 50);
  bool steady_goes_on = true, stuck_goes_on = true;
  for (int k = 1; k <= 200; ++k) {
    steady_goes_on = steady_goes_on && steady(k, std::pow(0.97, k));
    stuck_goes_on = stuck_goes_on && stuck(k, 0.5 + 0.1 / k);
  }
  EXPECT_TRUE(steady_goes_on);
  EXPECT_FALSE(stuck_goes_on);
}

TEST(SolveParts, NamesOfPreconditioners) {
  EXPECT_EQ(parse_precond("ilu0").name, "ilu");
  EXPECT_EQ(parse_precond("ilu12").size, 12);
  EXPECT_EQ(parse_precond("block-jacobi").size, 0);
  EXPECT_EQ(parse_precond("block-jacobi-24").size, 24);
  EXPECT_EQ(parse_precond("block-ilu0").name, "block-ilu0");
  for (const char* wrong : {"", "ilu", "ilu-1", "ilu99", "jacobi-3", "block-jacobi-0", "block-jacobi24", "nothing"})
    EXPECT_THROW(parse_precond(wrong), Error) << wrong;
  EXPECT_THROW(find_method("sor"), Error);
}

TEST(SolveParts, PlotsHaveAnAxisAndNeverFail) {
  const Style style;
  const std::vector<double> falling{1, 1e-2, 1e-4, 1e-9}, odd{0, NAN, INFINITY, 1e-300, 1e300};
  const std::string plot = residual_plot(falling, 1e-8, 6, style);
  EXPECT_EQ(std::count(plot.begin(), plot.end(), '\n'), 7);
  EXPECT_NE(plot.find("3 iterations"), std::string::npos);
  EXPECT_EQ(residual_plot(odd, 1e-8, 6, style).empty(), false);
  EXPECT_EQ(residual_plot({}, 1e-8, 6, style), "");
}

}  // namespace millrace::command
