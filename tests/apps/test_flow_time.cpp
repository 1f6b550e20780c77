// millrace flow in time: states, forces and series of runs that are stopped and go on.
#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "cylinder_case.hpp"
#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {

/// A cylinder that starts at once, for a time that steps of an eighth reach exactly.
inline std::string starting_flow(const std::string& end, const std::string& more = "") {
  return cylinder_case({.title = "a cylinder starts",
                        .mesh = "",
                        .equation = "angle = 3\n",
                        .tables = "[time]\nscheme = 'bdf2'\nstep = 0.125\nend = " + end + '\n' + more});
}

inline std::string file_with(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

inline std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Lines of a report that were folded, in one.
inline std::string unfolded(const std::string& text) {
  std::string words, word;
  for (std::istringstream in(text); in >> word;) words += word + ' ';
  return words;
}

TEST(FlowInTime, AResumedRunLeavesTheFilesOfOneRun) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = file_with(folder / "flow.toml", starting_flow("0.75"));
  const std::string half = file_with(folder / "half.toml", starting_flow("0.375")), state = folder / "a.mrs";
  const std::vector<std::string> files{"--forces", folder / "part.csv", "--vtu", folder / "part.pvd"};
  const auto with_files = [&](std::vector<std::string> words) {
    words.insert(words.end(), files.begin(), files.end());
    const Outcome outcome = run_command(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return unfolded(outcome.out);
  };
  ASSERT_EQ(run_command({"flow", file, "--forces", folder / "whole.csv", "--vtu", folder / "whole.pvd"}).code, 0);
  with_files({"flow", half, "--save", state});
  const std::string resumed = with_files({"flow", file, "--resume", state, "--save", state});
  EXPECT_NE(resumed.find("order 1 at time 0.375 after 3 steps; the case has changed since"), std::string::npos)
      << resumed;
  EXPECT_NE(resumed.find("part.pvd: 7 times"), std::string::npos) << resumed;
  const std::string forces = read_file(folder / "whole.csv"), list = read_file(folder / "whole.pvd");
  EXPECT_EQ(std::count(forces.begin(), forces.end(), '\n'), 7);
  EXPECT_EQ(read_file(folder / "part.csv"), forces);
  EXPECT_EQ(replace_all(read_file(folder / "part.pvd"), "part_", "whole_"), list);
  EXPECT_NE(list.find("timestep=\"0.75\" part=\"0\" file=\"whole_000006.vtu\""), std::string::npos) << list;
  for (int step = 0; step <= 6; ++step) {
    const std::string number = "_00000" + std::to_string(step) + ".vtu", whole = read_file(folder / ("whole" + number));
    EXPECT_TRUE(whole.starts_with("<?xml")) << step;
    EXPECT_EQ(read_file(folder / ("part" + number)), whole) << step;
  }
  // From a run that was over nothing is left to do; a new name begins a new file of forces.
  const std::string nothing = with_files({"flow", file, "--resume", state});
  EXPECT_NE(nothing.find("reached the end, order 1: the time is 0.75 after 0 steps"), std::string::npos) << nothing;
  EXPECT_EQ(read_file(folder / "part.csv"), forces);
  // At another order the lines go on, too.
  with_files({"flow", half, "--save", state});
  with_files({"flow", file, "--resume", state, "--order", "2"});
  const std::string higher = read_file(folder / "part.csv");
  EXPECT_EQ(std::count(higher.begin(), higher.end(), '\n'), 7);
  EXPECT_EQ(higher.substr(0, higher.find("\n0.5,")), forces.substr(0, forces.find("\n0.5,")));
  EXPECT_NE(higher, forces);
}

TEST(FlowInTime, EveryNthStepAndTheLast) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = file_with(folder / "flow.toml", starting_flow("0.625"));
  const Outcome outcome =
      run_command({"flow", file, "--vtu", folder / "a.b.pvd", "--vtu-every", "3", "--subdivide", "3"});
  expect_plain(outcome);
  for (int step = 0; step <= 6; ++step)
    EXPECT_EQ(fs::exists(folder / ("a.b_00000" + std::to_string(step) + ".vtu")), step == 0 || step == 3 || step == 5);
  // Nine triangles (type 5) of each of the 64, over ten points each.
  const std::string vtu = read_file(folder / "a.b_000005.vtu");
  EXPECT_NE(vtu.find("NumberOfPoints=\"640\" NumberOfCells=\"576\""), std::string::npos) << vtu.substr(0, 400);
  // A run that fails has the steps before.
  const std::string bad = file_with(folder / "bad.toml", starting_flow("0.75", "[solver]\nmax_steps = 1\n"));
  const Outcome failed = run_command({"flow", bad, "--vtu", folder / "bad.pvd", "--save", folder / "bad.mrs"});
  EXPECT_EQ(failed.code, 4) << failed.out;
  EXPECT_EQ(failed.err.find("there is no solution to write"), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("a smaller time.step"), std::string::npos) << failed.err;
  EXPECT_NE(read_file(folder / "bad.pvd").find("bad_000000.vtu"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "bad.mrs"));
}

TEST(FlowInTime, GoesOnAfterAnInterruptionAtAnyMoment) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = file_with(folder / "flow.toml", starting_flow("4"));
  const std::string state = folder / "state.mrs", forces = folder / "part.csv", list = folder / "part.pvd";
  ASSERT_EQ(run_command({"flow", file, "--forces", folder / "whole.csv", "--vtu", folder / "whole.pvd"}).code, 0);
  const std::string whole = read_file(folder / "whole.csv");
  for (const int signal : {SIGINT, SIGKILL}) {
    for (const std::string& old : {state, forces, list}) fs::remove(old);
    const std::string out_name = folder / "out", err_name = folder / "err";
    const int out = open(out_name.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600),
              err = open(err_name.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    const pid_t child = start_command(
        {"flow", file, "--save", state, "--save-every", "2", "--forces", forces, "--vtu", list}, out, err);
    for (int i = 0; i < 20'000; ++i) {
      const std::string lines = read_file(forces);
      if (std::count(lines.begin(), lines.end(), '\n') > 4) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(child, signal);
    const int code = wait_for(child);
    close(out);
    close(err);
    EXPECT_EQ(code, signal == SIGKILL ? 1000 + SIGKILL : 128 + signal) << read_file(err_name);
    EXPECT_TRUE(read_file(list).ends_with("</VTKFile>\n"));
    if (signal == SIGINT) {
      EXPECT_NE(read_file(err_name).find("go on with millrace flow " + file + " --resume " + state), std::string::npos);
    }
    const Outcome resumed = run_command({"flow", file, "--resume", state, "--forces", forces, "--vtu", list});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(read_file(forces), whole);
    EXPECT_EQ(replace_all(read_file(list), "part_", "whole_"), read_file(folder / "whole.pvd"));
    EXPECT_EQ(read_file(folder / "part_000032.vtu"), read_file(folder / "whole_000032.vtu"));
  }
}

TEST(FlowInTime, SaysWhatIsWrongBeforeTheRun) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = file_with(folder / "flow.toml", starting_flow("0.25")), state = folder / "a.mrs",
                    early = file_with(folder / "early.toml", starting_flow("0.125"));
  std::string text = starting_flow("1");
  const std::string steady = file_with(folder / "steady.toml", text.substr(0, text.find("[time]")));
  ASSERT_EQ(run_command({"flow", file, "--save", state}).code, 0);
  const auto refused = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), "flow");
    expect_error(run_command(words), 1, part);
  };
  refused({early, "--resume", state},
          state + ": the state is one of time 0.25, and 'time.end' is 0.125; an end that is not before is accepted");
  const std::string other = file_with(folder / "other.csv", "time,step,lift\n0.25,0.125,1\n");
  refused({file, "--resume", state, "--forces", other}, other + ": has other columns than the forces of ");
  const std::string columns = "time,step,drag,lift,moment,wall.force_x,wall.force_y,wall.moment_z\n";
  for (const char* lines : {"", "0.125,0.125,1,1,1,1,1,1\n", "0.2501,0.125,1,1,1,1,1,1\n", "0.25,0.125,1"}) {
    const std::string gap = file_with(folder / "gap.csv", columns + lines);
    refused({file, "--resume", state, "--forces", gap}, gap + ": has no line of the time 0.25 of the state, so that");
    EXPECT_EQ(read_file(gap), columns + lines);
  }
  const std::string list = file_with(folder / "list.pvd", "<VTKFile/>\n");
  refused({file, "--resume", state, "--vtu", list}, list + ": is no list of steps that this library has written");
  refused({steady, "--vtu", folder / "a.pvd"}, "--vtu FILE.pvd writes a series in time, and the case has no [time]");
  refused({file, "--vtu", folder / "a.vtu", "--vtu-every", "2"}, "flow: --vtu-every says how many steps are between");
  refused({file, "--vtu", folder / "none/a.pvd"}, "there is no folder ");
  refused({file, "--vtu", folder / "a.vtk"}, "must end in .vtu .pvd");
  refused({file, "--save", folder / "none/a.mrs"}, "there is no folder ");
  for (const char* step : {"0", "-0.125"}) {
    const std::string bad = file_with(folder / "bad.toml", replace_all(starting_flow("1"), "0.125", step));
    refused({bad}, "bad.toml:20:8: 'time.step' is " + std::string(step) + "; a positive number is accepted");
  }
  for (const char* number : {"0", "9", "-1", "two"})
    EXPECT_EQ(run_command({"flow", file, "--vtu", folder / "a.vtu", "--subdivide", number}).code, 2) << number;
  EXPECT_EQ(run_command({"flow", file, "--subdivide", "2"}).code, 2);
  EXPECT_EQ(run_command({"flow", file, "--vtu", folder / "a.pvd", "--vtu-every", "0"}).code, 2);
  EXPECT_EQ(run_command({"flow", file, "--preview", "sometimes"}).code, 2);
  for (const char* name : {"a.pvd", "a.vtu", "a_000000.vtu"}) EXPECT_FALSE(fs::exists(folder / name)) << name;
}

TEST(FlowInTime, TheExample) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const Outcome outcome =
      run_command({"flow", std::string(MILLRACE_EXAMPLES) + "/flow/moving_vortex.toml", "--order", "1"});
  expect_plain(outcome);
  for (const char* part : {"2 periodic sides", "dirk3 from 0 to 4, steps of 0.25", "the time is 4 after 16 steps"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
}

}  // namespace millrace::test
