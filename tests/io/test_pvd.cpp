// Series of files in time: what the list says after every step, and what is refused.
#include "millrace/io/pvd.hpp"

#include <cmath>
#include <fstream>

#include "expect.hpp"
#include "io/io_tools.hpp"

namespace millrace {
namespace {

TEST(Pvd, IsCompleteAfterEveryStep) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "steps");
  PvdSeries series(folder / "run.pvd");
  EXPECT_EQ(folder.num_files(), 1u);
  series.add(0, folder / "steps" / "a.vtu");
  const std::string head =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n    <DataSet timestep=\"0\" part=\"0\" file=\"steps/a.vtu\"/>\n";
  const std::string tail = "  </Collection>\n</VTKFile>\n";
  EXPECT_EQ(test::load(folder / "run.pvd"), head + tail);
  series.add(0.1, folder / "b & 'c' <d>.vtu");
  EXPECT_EQ(test::load(folder / "run.pvd"),
            head + "    <DataSet timestep=\"0.1\" part=\"0\" file=\"b &amp; &apos;c&apos; &lt;d&gt;.vtu\"/>\n" + tail);
  EXPECT_EQ(series.num_steps(), 2);
  EXPECT_EQ(folder.num_files(), 2u);
}

TEST(Pvd, NamesAreSeenFromItsFolder) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "lists");
  PvdSeries series(folder / "lists" / ".." / "lists" / "run.pvd");
  series.add(-1e-300, folder / "a.vtu");
  EXPECT_NE(test::load(folder / "lists" / "run.pvd").find("timestep=\"-1e-300\" part=\"0\" file=\"../a.vtu\""),
            std::string::npos);
}

TEST(Pvd, RelativeNamesStay) {
  const auto before = std::filesystem::current_path();
  const test::TempFolder folder;
  std::filesystem::current_path(folder.path());
  PvdSeries series("run.pvd");
  series.add(1, "a.vtu");
  std::filesystem::current_path(before);
  EXPECT_NE(test::load(folder / "run.pvd").find("file=\"a.vtu\""), std::string::npos);
}

TEST(Pvd, GoesOnAfterAStop) {
  const test::TempFolder folder;
  const auto path = folder / "run.pvd";
  const auto add = [&](PvdSeries& series, int step) {
    series.add(0.1 * step, folder / ("a" + std::to_string(step) + ".vtu"));
  };
  PvdSeries whole(path);
  for (int step = 0; step <= 4; ++step) add(whole, step);
  const std::string all = test::load(path);
  for (int stop = 0; stop <= 4; ++stop) {  // at every step, the later ones made again
    PvdSeries again = PvdSeries::resumed(path, 0.1 * stop);
    EXPECT_EQ(again.num_steps(), stop + 1);
    EXPECT_EQ(again.last_time(), 0.1 * stop);
    EXPECT_EQ(test::load(path), all);  // as long as nothing is added
    for (int step = stop + 1; step <= 4; ++step) add(again, step);
    EXPECT_EQ(test::load(path), all);
  }
  PvdSeries early = PvdSeries::resumed(path, -1);
  EXPECT_EQ(early.num_steps(), 0);
  EXPECT_EQ(PvdSeries::resumed(folder / "none.pvd", 1).num_steps(), 0);
  std::size_t from = all.find("0.1\"");
  for (const std::string& text : {std::string("no list"), all.substr(0, all.size() / 2), std::string(),
                                  std::string(all).replace(from, 3, "ten"), std::string(all).replace(from, 3, "9.9")}) {
    std::ofstream(folder / "bad.pvd") << text;
    EXPECT_EQ(test::error_of([&] { PvdSeries::resumed(folder / "bad.pvd", 1); }),
              (folder / "bad.pvd").string() +
                  ": is no list of steps that this library has written, so that no run can go on with it");
  }
}

TEST(Pvd, RefusesAndKeepsWhatItHas) {
  const test::TempFolder folder;
  const std::string name = (folder / "run.pvd").string();
  PvdSeries series(name);
  series.add(1, folder / "a.vtu");
  const std::string good = test::load(name);
  const auto refusal = [&](double time, const std::string& file) {
    return testing::error_of([&] { series.add(time, file.empty() ? "" : folder / file); });
  };
  EXPECT_EQ(refusal(1, "b.vtu"), name + ": a step at time 1 was asked for after one at 1; times ascend");
  EXPECT_EQ(refusal(0.5, "b.vtu"), name + ": a step at time 0.5 was asked for after one at 1; times ascend");
  EXPECT_EQ(refusal(std::nan(""), "b.vtu"), name + ": a step at time nan was asked for; times are finite");
  EXPECT_EQ(refusal(2, ""), name + ": the step at time 2 has no file");
  EXPECT_EQ(refusal(2, "b\x01.vtu"), name +
                                         ": the name of a file 'b\\x01.vtu' has bytes that XML cannot hold; UTF-8 "
                                         "without control characters is right");
  EXPECT_EQ(test::load(name), good);
  series.add(2, folder / "b.vtu");
  EXPECT_EQ(series.num_steps(), 2);
  PvdSeries nowhere(folder / "none" / "run.pvd");
  EXPECT_EQ(test::error_of([&] { nowhere.add(0, "a.vtu"); }),
            (folder / "none" / "run.pvd").string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(nowhere.num_steps(), 0);
}

}  // namespace
}  // namespace millrace
