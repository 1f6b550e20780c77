// millrace flow: the report, the record, the matrix, and the exit codes.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cylinder_case.hpp"
#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {

const std::string small_flow = cylinder_case();

TEST(Flow, ReportsAndRecords) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml", record = folder / "small.json", matrix = folder / "small.mtx";
  std::ofstream(file) << small_flow;
  const Outcome outcome = run_command({"flow", file, "--json", record, "--matrix", matrix});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"64 triangles of order 4", "far: far-field, wall: adiabatic-wall", "residual", "drag",
                           "converged, order 1", "Cd ", "memory"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  const nlohmann::json json = nlohmann::json::parse(read_file(record));
  EXPECT_EQ(json.at("schema"), "millrace.flow");
  EXPECT_TRUE(json.at("converged"));
  EXPECT_EQ(json.at("history").size(), json.at("orders").at(0).at("steps"));
  EXPECT_GT(json.at("orders").at(0).at("coefficients").at("drag"), 1);
  EXPECT_NEAR(json.at("orders").at(0).at("coefficients").at("lift"), 0, 1e-7);
  EXPECT_EQ(json.at("fluxes").size(), 2U);
  const Outcome inspected = run_command({"inspect", matrix, "--read-gb-s", "10"});
  EXPECT_NE(inspected.out.find("8 x 8, 100.0 % full"), std::string::npos) << inspected.out << inspected.err;
}

TEST(Flow, JsonAloneOnStandardOutput) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml";
  std::ofstream(file) << small_flow;
  const Outcome outcome = run_command({"flow", file, "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("cells"), 64);
}

TEST(Flow, ForcesAgainstTime) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml", forces = folder / "forces.csv", record = folder / "small.json";
  std::ofstream(file) << small_flow << "[time]\nscheme = 'bdf2'\nstep = 0.1\nend = 0.3\n";
  const Outcome outcome = run_command({"flow", file, "--forces", forces, "--json", record});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"bdf2 from 0 to 0.3, steps of 0.1", "newton", "reached the end, order 1: the time is 0.3"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  std::istringstream lines(read_file(forces));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "time,step,drag,lift,moment,wall.force_x,wall.force_y,wall.moment_z");
  double drag = 0;
  int count = 0;
  for (; std::getline(lines, line); ++count) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 7) << line;
    double time = 0, step = 0, lift = 0, moment = 0, force = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf,%lf", &time, &step, &drag, &lift, &moment, &force), 6);
    EXPECT_NEAR(time, 0.1 * (count + 1), 1e-14);
    EXPECT_NEAR(drag, 2 * force, 1e-12 * std::abs(drag));
  }
  EXPECT_EQ(count, 3);
  const nlohmann::json json = nlohmann::json::parse(read_file(record));
  EXPECT_EQ(json.at("history").size(), 3U);
  EXPECT_NEAR(json.at("history").at(2).at("time"), 0.3, 1e-15);
  EXPECT_NEAR(json.at("history").at(2).at("coefficients").at("drag"), drag, 1e-12 * std::abs(drag));
  // Said before the run: no folder, another ending, a steady case.
  EXPECT_NE(run_command({"flow", file, "--forces", folder / "none/forces.csv"}).err.find("there is no folder"),
            std::string::npos);
  EXPECT_NE(run_command({"flow", file, "--forces", folder / "forces.txt"}).err.find("must end in .csv"),
            std::string::npos);
  std::ofstream(file) << small_flow;
  const Outcome steady = run_command({"flow", file, "--forces", forces});
  EXPECT_EQ(steady.code, 1);
  EXPECT_NE(steady.err.find("--forces writes forces against time, and the case has no [time]"), std::string::npos)
      << steady.err;
}

TEST(Flow, SaysWhatIsWrong) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "bad.toml";
  std::ofstream(file) << small_flow << "speed = 3\n";
  const Outcome bad = run_command({"flow", file});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("bad.toml:18:9: 'boundary.far.speed' is no key here; accepted are: "), std::string::npos)
      << bad.err;
  const Outcome missing = run_command({"flow", folder / "none.toml"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("none.toml"), std::string::npos) << missing.err;
  std::ofstream(file) << small_flow << "[solver]\nmax_steps = 2\n";
  const Outcome unsolved = run_command({"flow", file});
  EXPECT_EQ(unsolved.code, 4);
  EXPECT_NE(unsolved.err.find("not solved: order 1: the residual is "), std::string::npos) << unsolved.err;
  EXPECT_NE(unsolved.err.find("the last drag coefficient was "), std::string::npos) << unsolved.err;
  const Outcome checked = run_command({"flow", file, "--check"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_NE(checked.out.find("nothing is wrong with this case"), std::string::npos) << checked.out;
}

constexpr const char* small_heat = R"toml(title = "heat"
[mesh]
generator = "box"
dim = DIM
cells = CELLS
[equation]
name = "poisson"
[space]
order = 2
[exact]
source = true
value = "sin(3*x) * cos(2*y)"
)toml";

std::string heat_case(int dim) {
  std::string text = small_heat;
  text.replace(text.find("DIM"), 3, std::to_string(dim));
  text.replace(text.find("CELLS"), 5, dim == 2 ? "[3, 3]" : "[2, 2, 2]");
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"})
    if (dim == 3 || side[0] != 'z') text += "[boundary." + std::string(side) + "]\nkind = \"dirichlet\"\n";
  return text;
}

TEST(Flow, PaintsFieldsAndWritesThemForVtk) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string gas = folder / "gas.toml", plane = folder / "plane.toml", space = folder / "space.toml";
  std::ofstream(gas) << small_flow;
  std::ofstream(plane) << heat_case(2);
  std::ofstream(space) << heat_case(3);
  const auto paint = [&](const std::string& file, const std::vector<std::string>& more, const std::string& wrote) {
    std::vector<std::string> words{"flow", file, "--picture", folder / "a.svg", "--vtu", folder / "a.vtu"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_command(words);
    expect_plain(outcome);
    EXPECT_NE(outcome.out.find(wrote), std::string::npos) << outcome.out;
    EXPECT_TRUE(read_file(folder / "a.vtu").starts_with("<?xml"));
    const std::string svg = read_file(folder / "a.svg");
    EXPECT_TRUE(svg.starts_with("<svg") && svg.find("</svg>") != std::string::npos);
    return svg;
  };
  const std::string mach = paint(gas, {}, "a.svg: mach"),
                    entropy = paint(gas, {"--field", "entropy"}, "a.svg: entropy");
  EXPECT_NE(mach, entropy);
  EXPECT_NE(mach.find("a cylinder"), std::string::npos);
  EXPECT_NE(paint(gas, {"--view", "-2,2,-1,1"}, "a.svg: mach"), mach);
  EXPECT_EQ(paint(gas, {"--view", "-20,20,-20,20"}, "a.svg: mach"), mach);
  for (const char* name : {"mach", "density", "pressure", "entropy", "velocity", "temperature", "vorticity"})
    EXPECT_NE(read_file(folder / "a.vtu").find("Name=\"" + std::string(name) + "\""), std::string::npos) << name;
  paint(plane, {"--mesh-lines", "--field", "gradient_x"}, "a.svg: gradient_x");
  EXPECT_NE(paint(plane, {"--range", "-7,7"}, "a.svg: u").find(">-6<"), std::string::npos);
  paint(space, {}, "a.svg: u, cut at z = 0.5");
  paint(space, {"--cut", "x=0.3"}, "a.svg: u, cut at x = 0.3");
  const Outcome png = run_command({"flow", plane, "--picture", folder / "a.png"});
  if (png.err.find("no libpng") == std::string::npos) {
    expect_plain(png);
    EXPECT_TRUE(read_file(folder / "a.png").starts_with("\x89PNG\r\n\x1a\n"));
  }
}

TEST(Flow, RefusesPicturesBeforeItSolves) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string plane = folder / "plane.toml", svg = folder / "a.svg", vtu = folder / "a.vtu";
  std::ofstream(plane) << heat_case(2);
  const auto refused = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), {"flow", plane});
    expect_error(run_command(words), 1, part);
    EXPECT_FALSE(fs::exists(svg) || fs::exists(vtu)) << part;
  };
  refused({"--picture", svg, "--vtu", vtu, "--field", "mach"},
          "unknown field 'mach' of poisson; there are: u gradient gradient_x gradient_y");
  refused({"--picture", folder / "a.gif", "--vtu", vtu}, "must end in .png or .svg");
  refused({"--picture", folder / "none/a.svg", "--vtu", vtu}, "there is no folder");
  refused({"--picture", svg, "--vtu", folder / "a.vtk"}, "must end in .vtu");
  refused({"--picture", svg, "--cut", "z=0.5"}, "flow: --cut is for meshes in space");
  refused({"--picture", svg, "--view", "1,0,0,1"}, "flow: --view '1,0,0,1' is no view; four numbers");
  refused({"--picture", svg, "--view", "0,1,0"}, "is no view");
  refused({"--picture", svg, "--range", "1,1"}, "flow: --range '1,1' is no range; two numbers");
  refused({"--picture", svg, "--view", "0,1,0,top"}, "is no view");
  refused({"--picture", svg, "--view", "4,5,0,1"}, "is in --view 4,5,0,1");
  refused({"--vtu", vtu, "--field", "u"},
          "flow: --field, --cut, --view, --range and --mesh-lines say what --picture FILE");
  std::ofstream(plane) << small_flow << "[solver]\nmax_steps = 2\n";
  const Outcome unsolved = run_command({"flow", plane, "--picture", svg, "--vtu", vtu});
  EXPECT_EQ(unsolved.code, 4);
  EXPECT_NE(unsolved.err.find("; there is no solution to write; "), std::string::npos) << unsolved.err;
  EXPECT_FALSE(fs::exists(svg) || fs::exists(vtu));
}

TEST(Flow, CheckSaysWhatACaseNeeds) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml", state = folder / "small.mrs";
  std::ofstream(file) << small_flow;
  const Outcome checked = run_command({"flow", file, "--check", "--save", state});
  EXPECT_EQ(checked.code, 0) << checked.err;
  for (const char* part : {"64 triangles of order 4", "wall: 8 faces, adiabatic-wall", "far: 8 faces, far-field",
                           "memory", "per Newton step at order 1", "(64 of 64", "iterations of GMRES"})
    EXPECT_NE(checked.out.find(part), std::string::npos) << part << '\n' << checked.out;
  EXPECT_FALSE(fs::exists(state));  // nothing was run
}

/// The small flow with more cells and a higher order, so that there is time to interrupt it.
inline std::string larger_flow() {
  std::string text = small_flow;
  text.replace(text.find("around = 8"), 10, "around = 12");
  text.replace(text.find("across = 4"), 10, "across = 8");
  return text.replace(text.find("order = 1"), 9, "order = 2");
}
inline double drag_of(const std::string& record) {
  return nlohmann::json::parse(read_file(record)).at("orders").back().at("coefficients").at("drag");
}

/// Starts a run that saves its states, and sends it a signal when it has said that so many steps were made.
inline Outcome interrupted_flow(const Folder& folder, const std::string& file, int steps, int signal) {
  const std::string out_name = folder / "out", err_name = folder / "err";
  const int out = open(out_name.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600),
            err = open(err_name.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  const pid_t child =
      start_command({"flow", file, "--save", folder / "state.mrs", "--save-every", "1", "--threads", "1"}, out, err);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = read_file(out_name);
    const std::size_t table = text.find("residual ");
    if (table != std::string::npos &&
        std::count(text.begin() + static_cast<std::ptrdiff_t>(table), text.end(), '\n') > steps)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, signal);
  const int code = wait_for(child);
  close(out);
  close(err);
  return {code, read_file(out_name), read_file(err_name)};
}

TEST(Flow, GoesOnAfterAnInterruption) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "flow.toml", state = folder / "state.mrs", record = folder / "record.json";
  std::ofstream(file) << larger_flow();
  ASSERT_EQ(run_command({"flow", file, "--json", record, "--threads", "1"}).code, 0);
  const double drag = drag_of(record);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const Outcome stopped = interrupted_flow(folder, file, signal == SIGTERM ? 7 : 3, signal);
    if (signal == SIGKILL) {
      EXPECT_EQ(stopped.code, 1000 + SIGKILL) << stopped.out;
    } else {
      EXPECT_EQ(stopped.code, 128 + signal) << stopped.out << stopped.err;
      EXPECT_NE(stopped.err.find("stops after this step"), std::string::npos) << stopped.err;
      EXPECT_NE(stopped.err.find("interrupted; the state is in " + state + ": go on with millrace flow " + file +
                                 " --resume " + state),
                std::string::npos)
          << stopped.err;
    }
    const Outcome resumed = run_command({"flow", file, "--resume", state, "--json", record, "--threads", "1"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_NE(resumed.out.find(" steps, residual "), std::string::npos) << resumed.out;
    EXPECT_EQ(drag_of(record), drag);
    fs::remove(state);
  }
}

TEST(Flow, SavesAndResumesAtAnotherOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml", state = folder / "small.mrs";
  std::ofstream(file) << small_flow;
  ASSERT_EQ(run_command({"flow", file, "--save", state}).code, 0);
  const Outcome higher = run_command({"flow", file, "--order", "2", "--resume", state, "--save", state});
  EXPECT_EQ(higher.code, 0) << higher.err;
  EXPECT_NE(higher.out.find("converged, order 2"), std::string::npos) << higher.out;
  const Outcome lower = run_command({"flow", file, "--resume", state});
  EXPECT_EQ(lower.code, 0) << lower.err;
  EXPECT_NE(lower.out.find("order 2 after "), std::string::npos) << lower.out;
  EXPECT_NE(lower.out.find(", cut to"), std::string::npos) << lower.out;
}

TEST(Flow, RefusesStatesAndOutputsBeforeTheRun) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml", other = folder / "other.toml", state = folder / "small.mrs";
  std::ofstream(file) << small_flow;
  std::string text = small_flow;
  std::ofstream(other) << text.replace(text.find("across = 4"), 10, "across = 3");
  const std::string inviscid = folder / "euler.toml";
  text = small_flow;
  text.replace(text.find("navier-stokes"), 13, "euler").replace(text.find("reynolds = 20\n"), 14, "");
  std::ofstream(inviscid) << text.replace(text.find("adiabatic-wall"), 14, "slip-wall");
  ASSERT_EQ(run_command({"flow", file, "--save", state}).code, 0);
  expect_error(
      run_command({"flow", other, "--resume", state}), 1,
      state + ": the state is one on another mesh: it has 64 cells and 104 faces; that of the case has 48 and");
  expect_error(run_command({"flow", inviscid, "--resume", state}), 1,
               state + ": the state is one of navier-stokes in 2 dimensions");
  std::string bytes = read_file(state);
  std::ofstream(folder / "cut.mrs", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  expect_error(run_command({"flow", file, "--resume", folder / "cut.mrs"}), 1, "the file is cut off: it has ");
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(folder / "damaged.mrs", std::ios::binary) << bytes;
  expect_error(run_command({"flow", file, "--resume", folder / "damaged.mrs"}), 1, "the file is damaged (checksum of ");
  expect_error(run_command({"flow", file, "--save", folder / "none/a.mrs"}), 1, "there is no folder ");
  expect_error(run_command({"flow", file, "--save", folder / "a.txt"}), 1, "must end in .mrs");
  fs::create_directory(folder / "full.mrs");
  expect_error(run_command({"flow", file, "--save", folder / "full.mrs"}), 1, "is a folder");
  const Outcome every = run_command({"flow", file, "--save-every", "2"});
  EXPECT_EQ(every.code, 2) << every.err;
}

}  // namespace millrace::test
