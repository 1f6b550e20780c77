// Runs in time that are stopped and go on from a file end as if they had not been stopped, to the last bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "case_tools.hpp"
#include "expect.hpp"
#include "millrace/hdg/state_file.hpp"

namespace millrace::test {

using testing::error_of;

// A gas at rest between walls, of which one begins to move: forces on both, and a condition that changes with time.
const std::string moved_wall = R"toml([mesh]
generator = "box"
cells = [2, 2]
[equation]
name = "navier-stokes"
mach = 0.4
reynolds = 20
[space]
order = 2
[time]
scheme = "SCHEME"
step = 0.05
start = 0.5
end = 0.9
[start]
kind = "rest"
[boundary.y0]
kind = "adiabatic-wall"
[boundary.y1]
kind = "dirichlet"
density = 1
velocity = ["0.2 * sin(3 * (t - 0.5)) * x * (1 - x)", 0]
pressure = "1 / (1.4 * 0.16)"
[boundary.x0]
kind = "symmetry"
[boundary.x1]
kind = "symmetry"
)toml";

inline hdg::Case moved_wall_case(const std::string& scheme, bool adaptive, std::optional<int> order = {}) {
  Exchanges pieces{{"SCHEME", scheme}};
  if (adaptive) pieces.emplace_back("end = 0.9", "end = 0.9\ntolerance = 3e-4");
  return case_of(exchanged(moved_wall, pieces), order);
}

/// A run that saves its state and ends after so many steps; all steps for 0.
inline hdg::CaseResult run_in_time(const hdg::Case& c, const std::string& file, std::size_t steps,
                                   const hdg::SavedState* from = nullptr) {
  Queue queue(Device::host(), 1);
  std::size_t made = 0;
  return hdg::run_case(queue, c, [&](const hdg::CaseStep&) { return ++made != steps; }, {.save = file, .resume = from});
}

inline void expect_same_end(const hdg::CaseResult& found, const hdg::CaseResult& whole, const std::string& what) {
  EXPECT_TRUE(found.converged) << what << found.reason;
  EXPECT_EQ(found.state.u, whole.state.u) << what;
  EXPECT_EQ(found.state.trace, whole.state.trace) << what;
  EXPECT_EQ(found.mass_start, whole.mass_start) << what;
  EXPECT_EQ(found.mass_end, whole.mass_end) << what;
  EXPECT_EQ(found.orders.back().num_steps, whole.orders.back().num_steps) << what;
  ASSERT_EQ(found.fluxes.size(), whole.fluxes.size());
  for (std::size_t group = 0; group < whole.fluxes.size(); ++group) {
    EXPECT_EQ(found.fluxes[group].flux, whole.fluxes[group].flux) << what;
    EXPECT_EQ(found.fluxes[group].moment, whole.fluxes[group].moment) << what;
  }
}

TEST(ResumeTime, AfterAnyStepTheEndIsTheSameToTheBit) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  for (const std::string scheme : {"dirk2", "dirk3", "bdf2"})
    for (const bool adaptive : {false, true}) {
      const hdg::Case c = moved_wall_case(scheme, adaptive);
      const hdg::CaseResult whole = solved(c);
      const std::size_t num_steps = whole.steps.size();
      ASSERT_GE(num_steps, 4U) << scheme << adaptive;
      for (std::size_t stop = 1; stop <= num_steps; ++stop) {
        const std::string what = join(scheme, adaptive ? " adaptive" : "", ", stopped after ", stop, ": ");
        ASSERT_EQ(run_in_time(c, file, stop).steps.size(), stop) << what;
        const hdg::SavedState saved = hdg::read_state(file);
        EXPECT_EQ(saved.time.num_steps, static_cast<int>(stop));
        EXPECT_EQ(saved.time.time, whole.steps[stop - 1].time->time) << what;
        EXPECT_EQ(saved.time.last_error, whole.steps[stop - 1].time->error) << what;
        Queue queue(Device::host(), 2);  // the same bits for any number of threads
        const hdg::CaseResult rest = hdg::run_case(queue, c, {}, {.resume = &saved});
        EXPECT_EQ(stop + rest.steps.size(), num_steps) << what;
        expect_same_end(rest, whole, what);
        if (rest.steps.empty()) continue;
        EXPECT_EQ(rest.steps.front().number, whole.steps[stop].number) << what;
        EXPECT_EQ(rest.steps.front().time->step, whole.steps[stop].time->step) << what;
        EXPECT_EQ(rest.steps.front().time->error, whole.steps[stop].time->error) << what;
      }
    }
}

TEST(ResumeTime, AfterEveryStep) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  const hdg::Case c = moved_wall_case("bdf2", true);
  const hdg::CaseResult whole = solved(c);
  hdg::CaseResult result = run_in_time(c, file, 1);
  for (std::size_t k = 1; k < whole.steps.size(); ++k) {
    const hdg::SavedState saved = hdg::read_state(file);
    EXPECT_EQ(saved.time.earlier.size(), std::min<std::size_t>(k, 2));
    result = run_in_time(c, file, 1, &saved);
  }
  const hdg::SavedState end = hdg::read_state(file);
  expect_same_end(run_in_time(c, file, 0, &end), whole, "one step at a time: ");
}

// A higher order goes on from the functions of the lower one; what it has found before the stop has the errors of that.
TEST(ResumeTime, AtAnotherOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  for (const std::string scheme : {"dirk2", "dirk3", "bdf2"}) {
    run_in_time(moved_wall_case(scheme, false, 2), file, 4);
    const hdg::SavedState saved = hdg::read_state(file);
    EXPECT_EQ(saved.order, 2);
    for (const int order : {3, 1}) {
      const hdg::Case c = moved_wall_case(scheme, false, order);
      const hdg::CaseResult whole = solved(c), resumed = run_in_time(c, file, 0, &saved);
      EXPECT_TRUE(resumed.converged) << resumed.reason;
      EXPECT_EQ(resumed.orders.back().order, order);
      EXPECT_EQ(resumed.steps.size(), 4U);
      EXPECT_EQ(resumed.steps.front().number, 5);
      EXPECT_EQ(resumed.steps.back().time->time, 0.9);
      EXPECT_EQ(resumed.state.u.size(), whole.state.u.size());
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < whole.state.u.size(); ++i) {
        difference += std::pow(resumed.state.u[i] - whole.state.u[i], 2);
        size += std::pow(whole.state.u[i], 2);
      }
      EXPECT_LT(difference, 1e-6 * size) << scheme << order;
      EXPECT_GT(difference, 0);
    }
  }
}

TEST(ResumeTime, StatesAreWrittenAsOftenAsAskedAndWhenAStepFails) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  const hdg::Case c = moved_wall_case("dirk2", false);
  Queue queue;
  std::vector<int> seen, shown;  // steps of the state that is there, and those that were shown
  const auto look = [&](const hdg::CaseStep&) {
    seen.push_back(std::filesystem::exists(file) ? hdg::read_state(file).time.num_steps : 0);
    return true;
  };
  const auto show = [&](const hdg::CaseMoment& moment) {
    shown.push_back(moment.step);
    EXPECT_NEAR(moment.time, 0.5 + 0.05 * moment.step, 1e-14);
    EXPECT_EQ(moment.solver.space().order(), 2);
  };
  const hdg::CaseResult whole = hdg::run_case(queue, c, look, {.save = file, .save_every = 3, .show = show});
  EXPECT_EQ(seen, (std::vector<int>{0, 0, 0, 3, 3, 3, 6, 6}));
  EXPECT_EQ(shown, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(hdg::read_state(file).time.num_steps, 8);
  // A later end is reached from the state of the earlier one.
  const hdg::SavedState end = hdg::read_state(file);
  hdg::Case longer = moved_wall_case("dirk2", false);
  longer.time->end = 1;
  const hdg::CaseResult more = hdg::run_case(queue, longer, {}, {.resume = &end});
  EXPECT_EQ(more.steps.size(), 2U);
  EXPECT_EQ(more.steps.back().time->time, 1);
  // What was reached before a step that failed is kept.
  hdg::Case failing = moved_wall_case("dirk2", false);
  int steps = 0;
  const auto count = [&](const hdg::CaseStep&) { return ++steps, true; };
  failing.problem.source_in_time = [](const double*, double t, double* s) {
    s[0] = s[1] = s[2] = 0, s[3] = t > 0.7 ? -1e9 : 0;
  };
  const hdg::CaseResult failed = hdg::run_case(queue, failing, count, {.save = file});
  EXPECT_FALSE(failed.converged);
  EXPECT_NE(failed.reason.find("a smaller step might help"), std::string::npos) << failed.reason;
  const hdg::SavedState last = hdg::read_state(file);
  EXPECT_GT(steps, 2);
  EXPECT_EQ(last.time.num_steps, steps);
  EXPECT_EQ(last.state.u, failed.state.u);
}

TEST(ResumeTime, BetweenSteadyAndUnsteadyRuns) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  const hdg::Case c = moved_wall_case("dirk3", false);
  hdg::Case steady = moved_wall_case("dirk3", false);
  steady.time.reset();
  steady.newton.tolerance = 1e-9;
  Queue queue;
  // Time begins at its start with the state of a steady run, and that of a steady run's numbers of steps is no time.
  ASSERT_TRUE(hdg::run_case(queue, steady, {}, {.save = file}).converged);
  const hdg::SavedState rest = hdg::read_state(file);
  EXPECT_EQ(rest.time.num_steps, 0);
  const hdg::CaseResult begun = run_in_time(c, file, 2, &rest);
  EXPECT_EQ(begun.steps.front().number, 1);
  EXPECT_NEAR(begun.steps.front().time->time, 0.55, 1e-15);
  const hdg::SavedState moving = hdg::read_state(file);
  EXPECT_TRUE(hdg::run_case(queue, steady, {}, {.resume = &moving}).converged);
  hdg::Case earlier = moved_wall_case("dirk3", false);
  earlier.time->end = 0.52;
  const std::string text = error_of([&] { hdg::run_case(queue, earlier, {}, {.resume = &moving}); });
  EXPECT_NE(text.find("the state is one of time 0.6, and 'time.end' is 0.52; an end that is not before is accepted"),
            std::string::npos)
      << text;
}

TEST(ResumeTime, TimesThatMakeNoSenseAreRefused) {
  const TemporaryFolder folder("millrace-resume");
  const std::string file = (folder.path() / "a.mrs").string();
  hdg::SavedState saved{.equation = "poisson", .comps = 1, .order = 1};
  saved.mesh = {2, 1, 3, 11, 13};
  saved.state = {{1, 2, 3}, {1, 2, 3, 4, 5, 6}};
  const auto refused = [&](const hdg::SavedTime& time) {
    saved.time = time;
    hdg::write_state(file, saved);
    return error_of([&] { hdg::read_state(file); });
  };
  EXPECT_NE(refused({.time = NAN, .num_steps = 1}).find("the state is not: its time is nan"), std::string::npos);
  EXPECT_NE(refused({.time = 1, .step = -0.1}).find("the next step -0.1"), std::string::npos);
  EXPECT_NE(refused({.time = 1, .step = 0.1, .earlier = {{0.9, {1, 2, 3}}, {0.95, {1, 2, 3}}}})
                .find("an earlier level of time 0.95 comes after one of 0.9"),
            std::string::npos);
}

}  // namespace millrace::test
