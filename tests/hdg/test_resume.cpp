// Runs that are stopped and go on from a file end as if they had not been stopped.
#include <gtest/gtest.h>

#include "case_tools.hpp"
#include "expect.hpp"
#include "hdg_tools.hpp"
#include "millrace/hdg/state_file.hpp"

namespace millrace::test {

using testing::error_of;

constexpr const char* coarse_cylinder = R"(
[mesh]
generator = "o-mesh"
around = 8
across = 4
far = 20
[equation]
name = "navier-stokes"
mach = 0.3
reynolds = 30
angle = 2
[space]
order = 2
[boundary.wall]
kind = "adiabatic-wall"
[boundary.far]
kind = "far-field"
)";

constexpr const char* closed_annulus = R"(
[mesh]
generator = "annulus"
inner = 1
outer = 2
around = 8
across = 1
[equation]
name = "navier-stokes"
mach = 0.3
reynolds = 10
[space]
order = 2
[boundary.inner]
kind = "isothermal-wall"
rotation = -1
[boundary.outer]
kind = "adiabatic-wall"
)";

/// A run that saves its state and ends after so many steps.
inline hdg::CaseResult run_and_save(const hdg::Case& c, const std::string& file, std::size_t steps,
                                    const hdg::SavedState* from = nullptr) {
  Queue queue(Device::host(), 1);
  std::size_t made = 0;
  return hdg::run_case(queue, c, [&](const hdg::CaseStep&) { return ++made < steps; }, {.save = file, .resume = from});
}

TEST(Resume, AfterAnyStepTheEndIsTheSameToTheBit) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  for (const char* text : {coarse_cylinder, closed_annulus}) {
    const hdg::Case c = case_of(text);
    const hdg::CaseResult whole = solved(c);
    const std::size_t num_steps = whole.steps.size();
    ASSERT_GE(num_steps, 6U);
    for (const std::size_t stop : {std::size_t{1}, num_steps / 2, num_steps - 1, num_steps}) {
      const hdg::CaseResult first = run_and_save(c, file, stop);
      ASSERT_EQ(first.steps.size(), stop);
      const hdg::SavedState saved = hdg::read_state(file);
      EXPECT_EQ(saved.case_text, text);
      Queue queue(Device::host(), 2);  // the same bits for any number of threads
      const hdg::CaseResult rest = hdg::run_case(queue, c, {}, {.resume = &saved});
      EXPECT_TRUE(rest.converged) << rest.reason;
      EXPECT_EQ(stop + rest.steps.size(), num_steps) << stop;
      EXPECT_EQ(rest.state.u, whole.state.u) << stop;
      EXPECT_EQ(rest.state.trace, whole.state.trace) << stop;
      EXPECT_EQ(rest.orders.back().coefficients.drag, whole.orders.back().coefficients.drag);
      EXPECT_EQ(rest.orders.back().num_steps, whole.orders.back().num_steps);
      EXPECT_EQ(rest.mass_start, whole.mass_start);
      if (rest.steps.empty()) continue;
      EXPECT_EQ(rest.steps.front().number, whole.steps[stop].number);
      EXPECT_EQ(rest.steps.front().newton.tolerance, whole.steps[stop].newton.tolerance);
    }
  }
}

TEST(Resume, ManyTimes) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  const hdg::Case c = case_of(coarse_cylinder);
  const hdg::CaseResult whole = solved(c);
  hdg::CaseResult result = run_and_save(c, file, 3);
  for (int k = 0; k < 40 && !result.converged; ++k) {
    const hdg::SavedState saved = hdg::read_state(file);
    result = run_and_save(c, file, 3, &saved);
  }
  EXPECT_EQ(result.state.u, whole.state.u);
}

TEST(Resume, AtAnotherOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  run_and_save(case_of(coarse_cylinder), file, 1000);
  const hdg::SavedState saved = hdg::read_state(file);
  EXPECT_EQ(saved.order, 2);
  Queue queue;
  const hdg::Case higher = case_of(coarse_cylinder, 3);
  const hdg::CaseResult raised = hdg::run_case(queue, higher, {}, {.resume = &saved});
  EXPECT_TRUE(raised.converged) << raised.reason;
  EXPECT_LE(raised.steps.size(), 10U);
  EXPECT_EQ(raised.orders.back().order, 3);
  EXPECT_EQ(raised.state.u, solved(higher).state.u);
  const hdg::Case lower = case_of(coarse_cylinder, 1);
  const hdg::CaseResult cut = hdg::run_case(queue, lower, {}, {.resume = &saved});
  EXPECT_TRUE(cut.converged) << cut.reason;
  EXPECT_EQ(cut.orders.size(), 1U);
  const double drag = solved(lower).orders.back().coefficients.drag;
  EXPECT_NEAR(cut.orders.back().coefficients.drag, drag, 1e-8 * drag);
  // A case that begins with a higher order.
  const hdg::Case only = case_of(exchanged(coarse_cylinder, {{"order = 2", "order = 3\nfirst_order = 3"}}));
  const hdg::CaseResult at_once = hdg::run_case(queue, only, {}, {.resume = &saved});
  EXPECT_TRUE(at_once.converged) << at_once.reason;
  EXPECT_EQ(at_once.orders.size(), 1U);
  EXPECT_EQ(at_once.state.u, raised.state.u);
}

// From the solution of a flow to that of a faster one: pseudo-time begins anew, for the residual is another.
TEST(Resume, AnotherCaseBeginsAnew) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  run_and_save(case_of(coarse_cylinder), file, 1000);
  const hdg::SavedState saved = hdg::read_state(file);
  const hdg::Case other = case_of(exchanged(coarse_cylinder, {{"reynolds = 30", "reynolds = 40"}}));
  Queue queue;
  const hdg::CaseResult result = hdg::run_case(queue, other, {}, {.resume = &saved});
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_EQ(result.steps.front().number, 1);
  EXPECT_EQ(result.steps.front().newton.cfl, other.cfl_later);
  const double drag = solved(other).orders.back().coefficients.drag;
  EXPECT_NEAR(result.orders.back().coefficients.drag, drag, 1e-8 * drag);
  const std::string text = error_of([&] {
    hdg::run_case(queue, case_of(exchanged(coarse_cylinder, {{"around = 8", "around = 10"}})), {}, {.resume = &saved});
  });
  EXPECT_NE(text.find("another mesh: it has 64 cells"), std::string::npos) << text;
}

// Steps without end: the state of the last one is kept, and a limit on steps counts those of a run.
TEST(Resume, StatesAreWrittenAsOftenAsAskedAndAtALimit) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  const hdg::Case c = case_of(std::string(coarse_cylinder) + "[solver]\nmax_steps = 5\n");
  Queue queue;
  std::vector<int> seen;  // steps of the state that is there
  const auto look = [&](const hdg::CaseStep&) {
    seen.push_back(std::filesystem::exists(file) ? hdg::read_state(file).continuation.step : 0);
    return true;
  };
  EXPECT_FALSE(hdg::run_case(queue, c, look, {.save = file, .save_every = 2}).converged);
  EXPECT_EQ(seen, (std::vector<int>{0, 0, 2, 2, 4}));
  const hdg::SavedState saved = hdg::read_state(file);
  EXPECT_EQ(saved.continuation.step, 5);
  const hdg::CaseResult more = hdg::run_case(queue, c, {}, {.resume = &saved});
  EXPECT_EQ(more.steps.size(), 5U);
  EXPECT_EQ(more.steps.front().number, 6);
  EXPECT_THROW(hdg::run_case(queue, c, {}, {.save_every = -1}), Error);
}

/// Heat that makes more of itself than the walls can take: there is no steady state.
struct Explosion : hdg::Poisson<2> {
  static constexpr std::string_view name = "explosion";
  template <class N>
  void source(const double*, const N* u, N* s) const {
    s[0] = 40.0 * (1.0 + u[0] * u[0]);
  }
};

// What was reached is kept, and whoever goes on from it begins anew: the same step would fail again.
TEST(Resume, FromARunThatFoundNoStep) {
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  hdg::Case c;
  c.mesh = unit_mesh(2, 3);
  c.problem = {hdg::make_equation(Explosion{}), on_all_sides(2, "dirichlet", {})};
  c.start = [](const double*, double* u) { u[0] = 0; };
  const hdg::CaseResult failed = run_and_save(c, file, 1000);
  EXPECT_FALSE(failed.converged);
  EXPECT_NE(failed.reason.find("no step along Newton's direction"), std::string::npos) << failed.reason;
  const hdg::SavedState saved = hdg::read_state(file);
  EXPECT_EQ(saved.equation, "explosion");
  EXPECT_EQ(saved.state.u, failed.state.u);
  EXPECT_EQ(saved.continuation.step, 0);
  c.newton.cfl = 1;
  c.newton.max_steps = 3;
  Queue queue;
  const hdg::CaseResult again = hdg::run_case(queue, c, {}, {.resume = &saved});
  EXPECT_EQ(again.steps.front().number, 1);
  EXPECT_EQ(again.steps.front().newton.cfl, 1);
  EXPECT_EQ(again.steps.front().newton.residual, failed.orders.back().residual);
}

}  // namespace millrace::test
