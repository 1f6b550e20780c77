// millrace tune-gemm: the fastest of what was timed, and what a user is told without a GPU; on one, tables that can be
// read again.
#include <nlohmann/json.hpp>

#include "millrace/base/device.hpp"
#include "run_command.hpp"
#include "verbs/tune_gemm/run.hpp"

namespace millrace::test {

using command::GemmPoint;
using Kernel = GemmVariant::Kernel;

TEST(TuneGemm, KeepsTheFastestOfEveryShape) {
  const auto point = [](int m, const char* precision, const char* variant, double seconds) {
    return GemmPoint{"table", precision, {m, 1000, 4, false}, variant, {{seconds, seconds, seconds}}};
  };
  const std::vector<GemmPoint> points{point(4, "double", "cublas", 2), point(4, "double", "own", 4),
                                      point(4, "double", "own/64", 3), point(4, "float", "cublas/16", 5),
                                      point(4, "float", "own/16", 1),  point(8, "double", "own", 1)};
  const GemmTable table = command::best_variants(points);
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[0], (GemmEntry{4, 4, 1000, false, 8, {Kernel::library, 0}, {Kernel::own, 64}}));
  EXPECT_EQ(table[1], (GemmEntry{4, 4, 1000, false, 4, {Kernel::own, 16}, {Kernel::own, 16}}));
  EXPECT_EQ(table[2].m, 8);
  EXPECT_DOUBLE_EQ(points[0].gflop_s(), 2e-9 * 4 * 1000 * 4 / 2);
}

TEST(TuneGemm, ActionsOfTets) {
  const auto cases = command::tet_cases(2, 1000);
  ASSERT_EQ(cases.size(), 4u);
  EXPECT_EQ(cases[0].name, "order 2 interp");
  EXPECT_EQ(cases[3].name, "order 2 grad transposed");
  EXPECT_EQ(cases[3].shape.m, 10);
  EXPECT_EQ(cases[3].shape.k, cases[2].shape.m);
  for (const auto& c : cases) EXPECT_EQ(std::ssize(c.table), c.shape.m * c.shape.k);
}

TEST(TuneGemm, OnAHostThereIsOneWay) {
  const Outcome outcome =
      run_command({"tune-gemm", "--device", "cpu", "--sizes", "5x7", "--n", "50", "--min-time", "0", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("schema"), "millrace.gemm");
  ASSERT_EQ(json.at("points").size(), 2u);  // double and float
  EXPECT_EQ(json.at("points")[0].at("variant"), "loop");
  EXPECT_EQ(json.at("points")[0].at("m"), 7);
}

TEST(TuneGemm, RefusesWhatIsNotThere) {
  expect_error(run_command({"tune-gemm", "--orders", "7..9"}), 1, "tets have orders 1 to 8");
  expect_error(run_command({"tune-gemm", "--sizes", "27"}), 2, "nodes and points are written 27x64");
  expect_error(run_command({"tune-gemm", "--n", "many"}), 2, "'many' is no number");
  if (num_gpus() == 0) {
    expect_error(run_command({"tune-gemm"}), 1, "device 'gpu' was asked for");
  }
}

TEST(GpuTuneGemm, WritesATableThatCanBeRead) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  const Folder folder;
  const std::string text = folder / "table.txt", source = folder / "table.cpp";
  for (const std::string& file : {text, source}) {
    const Outcome outcome = run_command({"tune-gemm", "--orders", "1,3", "--n", "777", "--min-time", "0", "-o", file});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("order 3 grad transposed"), std::string::npos) << outcome.out;
  }
  EXPECT_EQ(read_gemm_table(text).size(), 16u);
  std::ifstream stream(source);
  EXPECT_NE(std::string(std::istreambuf_iterator<char>(stream), {}).find("built_in_gemm_table"), std::string::npos);
}

}  // namespace millrace::test
