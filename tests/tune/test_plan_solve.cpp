// The facts that decide about a solve, the tries that follow from them, and patience.
#include "millrace/tune/plan_solve.hpp"

#include <algorithm>
#include <cmath>

#include "support.hpp"

namespace millrace::testing {
namespace {

Csr<double> two_by_two(double a, double b, double c, double d) {
  return Csr<double>(2, 2, Array<std::int32_t>{0, 2, 4}, {0, 1, 0, 1}, {a, b, c, d});
}
std::vector<SolvePlan> plans_of(const Csr<double>& a, const PlanRequest& request = {}) {
  return plan_solve(system_facts(a, compute_stats(a)), request);
}

}  // namespace

TEST(PlanSolve, TriesFollowTheFacts) {
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1, 2)).front().method, "cg");
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1 + 1e-13, 2)).front().method, "cg");  // symmetric but for rounding
  EXPECT_EQ(plans_of(two_by_two(2, 1, 0.9, 2)).front().method, "gmres");
  EXPECT_EQ(plans_of(two_by_two(-2, 1, 1, -2)).front().order, "negate");
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1, -2)).front().method, "minres");
  EXPECT_EQ(plans_of(two_by_two(2, 1, 1, 2), {.without = {"direct"}}).back().precond, "ilu20");
  const std::vector<SolvePlan> named = plans_of(two_by_two(2, 1, 1, 2), {.method = "bicgstab"});
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].precond, "ilu0");
  for (const SolvePlan& plan : plans_of(two_by_two(2, 1, 1, -2), {.precond = "none"})) EXPECT_EQ(plan.precond, "none");

  std::vector<SolveAttempt> before(1);
  before[0].plan.method = "cg";
  before[0].report.end = SolveEnd::max_iterations;
  EXPECT_FALSE(worth_trying({.method = "minres"}, before));
  before[0].report.end = SolveEnd::indefinite;
  EXPECT_TRUE(worth_trying({.method = "minres"}, before));
  EXPECT_FALSE(worth_trying({.method = "cg"}, before));  // with whatever preconditioner
  before[0].conclusive = true;
  EXPECT_FALSE(worth_trying({.method = "gmres"}, before));
}

TEST(PlanSolve, AFactorisationComesFirstWhereItIsCheapAndLastElsewhere) {
  const SystemFacts hard = system_facts(two_by_two(1, 3, 3, 1), compute_stats(two_by_two(1, 3, 3, 1)));
  const bool built = !plan_solve(hard, {})[0].skip.empty() || plan_solve(hard, {})[0].method == "direct";
  if (!built || !hard.direct) GTEST_SKIP() << "this build has no direct solver, or no AMD for a forecast";
  EXPECT_EQ(plan_solve(hard, {}).front().method, "direct");
  EXPECT_NE(plan_solve(hard, {}).front().why.find("cheap"), std::string::npos);
  const auto next_to_last = [](const std::vector<SolvePlan>& plans) { return plans.at(plans.size() - 2).method; };
  EXPECT_EQ(next_to_last(plans_of(two_by_two(2, 1, 1, 2))), "direct");     // dominant: iterations are good at it,
  EXPECT_EQ(plans_of(two_by_two(1, -1, -1, 1)).front().method, "direct");  // ... unless it may be singular
  SystemFacts filled = hard;
  filled.direct->flops = 1e12;
  EXPECT_EQ(plan_solve(filled, {}).front().method, "cg");
  EXPECT_EQ(next_to_last(plan_solve(filled, {})), "direct");
  for (const PlanRequest& request :
       {PlanRequest{.precond = "jacobi"}, PlanRequest{.mixed = true}, PlanRequest{.max_iterations = 0}})
    for (const SolvePlan& plan : plan_solve(hard, request)) EXPECT_NE(plan.method, "direct");
}

TEST(PlanSolve, WhatIsLackingIsListedWithTheReason) {
  const auto plans = plans_of(two_by_two(1, 3, 3, 1), {.without = {"direct", "amd"}});
  int skipped = 0;
  for (const SolvePlan& plan : plans) {
    if (plan.skip.empty()) continue;
    ++skipped;
    EXPECT_EQ(plan.skip, "left out, as asked");
    EXPECT_TRUE(plan.method == "direct" || plan.order == "match+amd") << plan.name();
  }
  EXPECT_EQ(skipped, 2);
  EXPECT_EQ(error_of([] { check_solve_part("lu"); }), "unknown part 'lu'; there are: direct amg amd");
}

TEST(PlanSolve, MultigridIsTriedForManyUnknowns) {
  SystemFacts facts = system_facts(two_by_two(2, 1, 1, 2), compute_stats(two_by_two(2, 1, 1, 2)));
  facts.stats.num_rows = facts.dominant_rows = 100000;
  const auto by_amg = [](const std::vector<SolvePlan>& plans) {
    return std::count_if(plans.begin(), plans.end(), [](const SolvePlan& plan) { return plan.precond == "amg"; });
  };
  const std::vector<SolvePlan> plans = plan_solve(facts, {});
  ASSERT_GE(plans.size(), 3U);
  EXPECT_EQ(plans[0].name(), "cg + ic0");
  EXPECT_TRUE(plans[0].gives_way);
  EXPECT_EQ(plans[1].name(), "cg + amg");
  EXPECT_EQ(plans[2].name(), "cg + ic0");  // once more, for as long as it takes
  EXPECT_TRUE(plans[1].gives_way);
  EXPECT_FALSE(plans[2].gives_way);
  EXPECT_EQ(by_amg(plan_solve(facts, {.num_ranks = 4})), 1);
  EXPECT_TRUE(plan_solve(facts, {.num_ranks = 4})[1].skip.empty());
  const std::vector<SolvePlan> left_out = plan_solve(facts, {.without = {"amg"}});
  EXPECT_FALSE(left_out[0].gives_way);
  EXPECT_EQ(left_out[1].skip, "left out, as asked");
  EXPECT_EQ(by_amg(plan_solve(facts, {.amg = false})), 0);
  EXPECT_FALSE(plan_solve(facts, {.amg = false})[0].gives_way);
  EXPECT_EQ(by_amg(plan_solve(facts, {.precond = "ilu0"})), 0);
}

TEST(PlanSolve, BadScalingIsSeenAndRemoved) {
  const Csr<double> a = two_by_two(1e-9, 0, 1e-9, 1);
  const SystemFacts facts = system_facts(a, compute_stats(a));
  EXPECT_TRUE(facts.badly_scaled());
  EXPECT_NE(facts.text().find("badly scaled"), std::string::npos);
  const std::vector<SolvePlan> plans = plan_solve(facts, {});
  for (const SolvePlan& plan : plans)
    EXPECT_TRUE(plan.method == "direct" || plan.order.starts_with("scale") || &plan == &plans.back()) << plan.name();
  EXPECT_EQ(plans.back().why, "as it is, for scaling has not helped");
}

TEST(PlanSolve, PatienceEndsWhatDoesNotMove) {
  Patience steady(1e-8, 1000, 50), stuck(1e-8, 1000, 50);
  bool steady_goes_on = true, stuck_goes_on = true;
  for (int k = 1; k <= 200; ++k) {
    steady_goes_on = steady_goes_on && steady(k, std::pow(0.97, k));
    stuck_goes_on = stuck_goes_on && stuck(k, 0.5 + 0.1 / k);
  }
  EXPECT_TRUE(steady_goes_on);
  EXPECT_FALSE(stuck_goes_on);
}

TEST(PlanSolve, WhatIsSlowGivesWay) {
  const auto ends_at = [](double rate, bool gives_way) {
    Patience patience(1e-8, 1000, 250, gives_way);
    double relative = 1;
    for (int k = 1; k <= 400; ++k)
      if (relative *= rate; !patience(k, relative)) return k;
    return 0;
  };
  EXPECT_EQ(ends_at(0.95, true), 40);  // 320 iterations would be missing,
  EXPECT_EQ(ends_at(0.95, false), 0);
  EXPECT_EQ(ends_at(0.88, true), 0);  // ... and here 104
  EXPECT_EQ(ends_at(1.00, true), 40);
  Patience late(1e-8, 1000, 250, true);  // slow from iteration 100 on, when most is done
  for (int k = 1; k <= 200; ++k) EXPECT_TRUE(late(k, std::pow(0.85, std::min(k, 100)))) << k;
}

TEST(PlanSolve, ACycleThatChangesNeedsAFlexibleMethod) {
  const Csr<double> a = two_by_two(2, 1, 1, 2);
  const std::vector<SolvePlan> plans = plans_of(a, {.precond = "amg:cycle=k"});
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].method, "fgmres");
  EXPECT_FALSE(plans[0].why.empty());
  EXPECT_EQ(plans_of(a, {.precond = "amg:cycle=v"}).front().method, "cg");
}

TEST(PlanSolve, MultigridThatIsIndefiniteSaysNothingOfFactors) {
  std::vector<SolveAttempt> before(2);
  before[0].plan = {.method = "cg", .precond = "ic0"};
  before[0].report.end = SolveEnd::stopped;
  before[1].plan = {.method = "cg", .precond = "amg"};
  before[1].report.end = SolveEnd::indefinite;
  EXPECT_TRUE(worth_trying({.method = "cg", .precond = "ic0"}, before));
  EXPECT_TRUE(worth_trying({.method = "minres"}, before));
  before[0].report.end = SolveEnd::indefinite;
  EXPECT_FALSE(worth_trying({.method = "cg", .precond = "ic0"}, before));
}

TEST(PlanSolve, FactsAreCountedAndSaid) {
  const auto facts_of = [](const Csr<double>& a) { return system_facts(a, compute_stats(a)); };
  const SystemFacts good = facts_of(two_by_two(2, 1, 1, 2));
  EXPECT_TRUE(good.hermitian && good.positive() && !good.negative() && good.finite);
  EXPECT_EQ(good.dominant_rows, 2);
  EXPECT_EQ(good.text(), "symmetric, positive diagonal, all rows diagonally dominant");
  const SystemFacts odd = facts_of(two_by_two(0, 1, 3, -2));
  EXPECT_EQ(odd.zero_diagonal, 1);
  EXPECT_EQ(odd.negative_diagonal, 1);
  EXPECT_FALSE(odd.positive() || odd.negative() || odd.hermitian);
  EXPECT_FALSE(facts_of(two_by_two(1, 0, 0, NAN)).finite);
  EXPECT_FALSE(facts_of(two_by_two(1, INFINITY, 0, 1)).finite);
  const Csr<double> empty(2, 2, Array<std::int32_t>{0, 1, 1}, {0}, {1});
  EXPECT_NE(facts_of(empty).text().find("1 empty rows: singular"), std::string::npos);
  const Csr<double> none(0, 0, Array<std::int32_t>{0}, {}, {});
  EXPECT_NO_THROW(facts_of(none).text());
}

TEST(PlanSolve, ChoicesAreAutoAndTheTables) {
  for (const char* good : {"auto", "cg", "fgmres", "direct", "direct-klu"}) EXPECT_NO_THROW(check_method_choice(good));
  for (const char* good : {"auto", "none", "ilu3"}) EXPECT_NO_THROW(check_precond_choice(good));
  EXPECT_EQ(error_of([] { check_method_choice("sor"); }), "unknown method 'sor'; there are: " + method_choices());
  EXPECT_EQ(error_of([] { check_precond_choice("sor"); }),
            "unknown preconditioner 'sor'; there are: " + precond_choices());
}

TEST(PlanSolve, OrdersAreWords) {
  EXPECT_EQ(order_words("scale+match"), (std::vector<std::string>{"scale", "match"}));
  EXPECT_EQ(order_words("match+rcm"), (std::vector<std::string>{"match", "rcm"}));
  EXPECT_TRUE(order_words("").empty());
  EXPECT_THROW(order_words("match+sorted"), Error);
}

}  // namespace millrace::testing
