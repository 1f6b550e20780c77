// State files: round trips to the bit, damage of every kind, and a writer that is killed.
#include "millrace/hdg/state_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "expect.hpp"
#include "hdg_tools.hpp"
#include "temporary_folder.hpp"

namespace millrace::test {

using testing::error_of;

/// One triangle, one component, order 1: the smallest state there is.
inline hdg::SavedState one_triangle() {
  hdg::SavedState saved{.equation = "poisson", .case_text = "title = \"one\"\n", .comps = 1, .order = 1};
  saved.mesh = {2, 1, 3, 11, 13};
  saved.state = {{1, -0.0, std::bit_cast<double>(0x7ff8000000000123)}, {1e-320, 2, 3, 4, 5, INFINITY}};
  saved.continuation = {.step = 7, .cfl = 640, .residual = 1e-5, .last = 1.0 / 3, .best = 1e-6, .stalled = 2};
  saved.continuation.linear.order = {2, 0, 1};
  saved.continuation.fallbacks = {"new order", "", "double"};
  saved.time = {.time = 0.1, .step = 0.025, .last_error = 1e-4, .num_steps = 4};
  saved.time.earlier = {{0.08, {1, 2, 3}}, {1.0 / 30, {4, 5, 6}}};
  return saved;
}

inline std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void put_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
inline void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_TRUE(testing::same_bits<double>(a, b));
}

TEST(StateFile, BringsEveryBitBack) {
  const TemporaryFolder folder("millrace-state");
  const auto path = folder.path() / "a.mrs", again = folder.path() / "b.mrs";
  const hdg::SavedState saved = one_triangle();
  hdg::write_state(path, saved);
  const hdg::SavedState found = hdg::read_state(path);
  expect_same_bits(found.state.u, saved.state.u);
  expect_same_bits(found.state.trace, saved.state.trace);
  EXPECT_EQ(found.mesh, saved.mesh);
  EXPECT_EQ(found.equation, saved.equation);
  EXPECT_EQ(found.case_text, saved.case_text);
  EXPECT_EQ(found.continuation.step, 7);
  EXPECT_EQ(found.continuation.last, 1.0 / 3);
  EXPECT_EQ(found.continuation.linear.order, saved.continuation.linear.order);
  EXPECT_EQ(found.continuation.fallbacks, saved.continuation.fallbacks);
  ASSERT_EQ(found.time.earlier.size(), 2U);
  for (std::size_t level = 0; level < 2; ++level) {
    EXPECT_EQ(found.time.earlier[level].time, saved.time.earlier[level].time);
    EXPECT_EQ(found.time.earlier[level].u, saved.time.earlier[level].u);
  }
  EXPECT_EQ(found.time.num_steps, 4);
  EXPECT_EQ(found.time.step, 0.025);
  hdg::write_state(again, found);
  EXPECT_EQ(bytes_of_file(again), bytes_of_file(path));  // so no field was forgotten
}

TEST(StateFile, HasTheLayoutOfTheDocumentation) {
  const TemporaryFolder folder("millrace-state");
  const auto path = folder.path() / "a.mrs";
  hdg::write_state(path, one_triangle());
  const std::string bytes = bytes_of_file(path);
  const auto number = [&]<class N>(std::size_t at, N) {
    N value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  EXPECT_EQ(bytes.substr(0, 8), "\x89MRS\r\n\x1a\n");
  EXPECT_EQ(number(8, std::uint32_t{}), 0x01020304u);
  EXPECT_EQ(number(12, std::uint32_t{}), 1u);   // version
  EXPECT_EQ(number(16, std::uint32_t{}), 2u);   // dimensions
  EXPECT_EQ(number(20, std::uint32_t{}), 1u);   // components
  EXPECT_EQ(number(24, std::uint32_t{}), 1u);   // order
  EXPECT_EQ(number(28, std::uint32_t{}), 8u);   // parts
  EXPECT_EQ(number(32, std::int64_t{}), 1);     // cells
  EXPECT_EQ(number(40, std::int64_t{}), 3);     // faces
  EXPECT_EQ(number(48, std::uint64_t{}), 11u);  // fingerprints
  EXPECT_EQ(number(56, std::uint64_t{}), 13u);
  EXPECT_EQ(number(64, std::int64_t{}), std::ssize(bytes));
  EXPECT_EQ(number(72, std::int64_t{}), 320);      // where u begins
  EXPECT_EQ(number(80, std::int64_t{}), 3 * 8);    // and its bytes
  EXPECT_EQ(number(96, std::int64_t{}), 384);      // traces
  EXPECT_EQ(number(320, double{}), 1);             // u[0]
  EXPECT_EQ(number(384 + 8, double{}), 2);         // trace[1]
  EXPECT_EQ(number(120, std::int64_t{}) % 64, 0);  // earlier levels
  EXPECT_EQ(number(128, std::int64_t{}), 2 * 3 * 8);
  const auto numbers = static_cast<std::size_t>(number(168, std::int64_t{}));
  EXPECT_EQ(bytes.substr(numbers, 5), std::string("step\0", 5));
  EXPECT_EQ(number(numbers + 24, double{}), 7);
}

TEST(StateFile, EveryCutAndEveryFlippedByteIsRefused) {
  const TemporaryFolder folder("millrace-state");
  const auto path = folder.path() / "a.mrs";
  hdg::write_state(path, one_triangle());
  const std::string whole = bytes_of_file(path);
  ASSERT_LT(whole.size(), 3000u);
  const auto refused = [&](std::size_t at) {
    try {
      hdg::read_state(path);
      ADD_FAILURE() << "accepted, changed at " << at << " of " << whole.size();
    } catch (const IoError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(path.string() + ": ")) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  };
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) { file.seekp(static_cast<std::streamoff>(at)).put(byte).flush(); };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    put(at, static_cast<char>(whole[at] ^ (1 << at % 8)));
    refused(at);
    put(at, whole[at]);
  }
  hdg::read_state(path);  // whole again
  put(whole.size(), '\0');
  refused(whole.size());
  for (std::size_t length = whole.size(); length-- > 0;) {
    std::filesystem::resize_file(path, length);
    refused(length);
  }
  put_file(path, whole.substr(0, 400));
  EXPECT_NE(error_of([&] { hdg::read_state(path); }).find(join("cut off: it has 400 of its ", whole.size(), " bytes")),
            std::string::npos);
  put_file(path, "no state");
  EXPECT_NE(error_of([&] { hdg::read_state(path); }).find("this is no state file of a flow"), std::string::npos);
  EXPECT_NE(error_of([&] { hdg::read_state(folder.path() / "none.mrs"); }).find("none.mrs"), std::string::npos);
}

TEST(StateFile, RefusesToWriteWhatIsNoState) {
  const TemporaryFolder folder("millrace-state");
  const auto path = folder.path() / "a.mrs";
  hdg::SavedState saved = one_triangle();
  saved.state.u.push_back(0);
  EXPECT_NE(error_of([&] { hdg::write_state(path, saved); }).find("earlier level has 3 numbers, the state 4"),
            std::string::npos);
  saved.time.earlier.clear();
  EXPECT_NE(error_of([&] { hdg::write_state(path, saved); }).find("4 and 6 numbers"), std::string::npos);
  EXPECT_NE(error_of([&] { hdg::write_state(folder.path() / "no/a.mrs", one_triangle()); }).find("cannot be written"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(StateFile, NamesWhatDoesNotFit) {
  const auto poisson = hdg::make_equation(hdg::Poisson<2>{});
  const Mesh mesh = unit_mesh(2, 3), coarse = unit_mesh(2, 2);
  Mesh moved = unit_mesh(2, 3);
  moved.points.data()[7] += 1e-15;
  const hdg::MeshIdentity here = hdg::identity_of(hdg::TraceSpace(mesh, 1));
  EXPECT_EQ(here, hdg::identity_of(hdg::TraceSpace(mesh, 3)));
  hdg::SavedState saved{.equation = "poisson", .comps = 1, .order = 1};
  saved.mesh = here;
  hdg::require_fit(saved, "a.mrs", here, *poisson);
  const auto text_with = [&](const hdg::MeshIdentity& other, const hdg::Equation& equation) {
    return error_of([&] { hdg::require_fit(saved, "a.mrs", other, equation); });
  };
  EXPECT_EQ(text_with(hdg::identity_of(hdg::TraceSpace(coarse, 1)), *poisson),
            "a.mrs: the state is one on another mesh: it has 18 cells and 33 faces; that of the case has 8 and 16");
  EXPECT_NE(text_with(hdg::identity_of(hdg::TraceSpace(moved, 1)), *poisson).find("their points, or the nodes"),
            std::string::npos);
  hdg::MeshIdentity renumbered = here;
  ++renumbered.numbering;
  EXPECT_NE(text_with(renumbered, *poisson).find("faces in another order"), std::string::npos);
  EXPECT_EQ(text_with(here, *hdg::make_equation(hdg::Euler<2>{})),
            "a.mrs: the state is one of poisson in 2 dimensions with 1 components; the case has euler in 2 with 4");
}

TEST(StateFile, OrdersArePaddedAndCut) {
  for (const int dim : {2, 3}) {
    const Mesh mesh = unit_mesh(dim, 2);
    const hdg::TraceSpace low(mesh, 1), high(mesh, 3);
    const auto steep = [](const double* x, double* u) { u[0] = x[0] - 2 * x[1], u[1] = 3 + x[1]; };
    const hdg::State state = hdg::project(low, 2, steep);
    const hdg::State up = hdg::with_order(state, 1, 2, high), down = hdg::with_order(up, 3, 2, low);
    expect_same_bits(down.u, state.u);
    expect_same_bits(down.trace, state.trace);
    expect_same_bits(up.u, hdg::raise(low, state, high).u);
    EXPECT_THROW(hdg::with_order(state, 2, 2, high), Error);
    EXPECT_THROW(hdg::with_order(state, 0, 2, high), Error);
  }
}

// A child that writes one state after the other is killed with no chance to tidy up: what it leaves is one of them.
TEST(StateFile, AKilledWriterLeavesTheLastStateWhole) {
  const TemporaryFolder folder("millrace-state");
  const auto path = folder.path() / "a.mrs";
  hdg::SavedState saved{.equation = "poisson", .comps = 1, .order = 1};
  constexpr Index cells = 20'000, faces = 30'000;
  saved.mesh = {2, cells, faces, 1, 2};
  const auto fill = [&](int step) {
    saved.continuation.step = step;
    saved.state.u.assign(3 * cells, step);
    saved.state.trace.assign(2 * faces, -step);
  };
  std::mt19937 random(5);
  std::uniform_int_distribution<int> microseconds(0, 4000);
  int last = 0;
  for (int round = 0; round < 12; ++round) {
    fill(++last);
    hdg::write_state(path, saved);
    const pid_t child = fork();
    if (child == 0)
      for (int step = last + 1;; ++step) {
        fill(step);
        hdg::write_state(path, saved);
      }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const hdg::SavedState found = hdg::read_state(path);
    EXPECT_GE(found.continuation.step, last);
    last = found.continuation.step;
    EXPECT_TRUE(std::ranges::all_of(found.state.u, [&](double value) { return value == last; }));
    EXPECT_TRUE(std::ranges::all_of(found.state.trace, [&](double value) { return value == -last; }));
  }
}

}  // namespace millrace::test
