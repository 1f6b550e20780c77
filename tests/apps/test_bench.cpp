// bench: the record follows its schema, every contender was checked, and the table says what it must.
#include <set>
#include <sstream>

#include "command.hpp"
#include "millrace/bench/features.hpp"
#include "run_command.hpp"
#include "schema.hpp"

namespace millrace::test {

namespace features = bench::features;

void expect_valid(const Json& record) {
  const Json schema = Json::parse(read_file(std::string(MILLRACE_TEST_DATA) + "/../../benchmarks/schema.json"));
  EXPECT_EQ(violation(schema, schema, record), "");
}

/// The points of a record, each checked, and what they are of.
struct Points {
  std::set<std::string> contenders{}, states{}, precisions{};
  std::set<int> numbers{};
  std::size_t count = 0;
};
Points checked_points(const Json& record) {
  Points found{.count = record.at("points").size()};
  for (const Json& point : record.at("points")) {
    EXPECT_TRUE(point.at("checked").at("ok").get<bool>());
    EXPECT_LE(point.at("checked").at("max_error_over_bound").get<double>(), 1);
    EXPECT_EQ(point.at("matrix").at("entries"), 7 * 512 - 6 * 64);
    EXPECT_LE(point.at("minimum_bytes").get<double>(), point.at("traffic_bytes").get<double>());
    found.contenders.insert(point.at("contender").get<std::string>());
    found.states.insert(point.at("state").get<std::string>());
    found.precisions.insert(point.at("precision").get<std::string>());
    found.numbers.insert(point.at("num_vectors").get<int>());
  }
  return found;
}

TEST(Bench, RecordFollowsTheSchemaAndEveryPointWasChecked) {
  const Outcome outcome =
      run_command({"bench", "poisson3d7:n=8", "--precision", "double,complex-float", "--rhs", "1,3", "--both",
                   "--min-time", "0.001", "--no-peers", "--json", "-", "--formats", "csr,sell-32-1024"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json record = Json::parse(outcome.out);
  expect_valid(record);
  const Points found = checked_points(record);
  EXPECT_EQ(found.states, (std::set<std::string>{"cold", "hot"}));
  EXPECT_EQ(found.precisions, (std::set<std::string>{"double", "complex-float"}));
  EXPECT_EQ(found.numbers, (std::set<int>{1, 3}));
  for (const char* name : {"csr", "sell-32-1024"}) EXPECT_TRUE(found.contenders.contains(name)) << name;
  EXPECT_EQ(found.count, found.contenders.size() * 2 * 2 * 2);
  EXPECT_EQ(record.at("command").get<std::string>().substr(0, 14), "millrace bench");
}

TEST(Bench, PeersAreCheckedInTheSameRun) {  // once: programs of ranks take seconds to start
  const Outcome outcome =
      run_command({"bench", "poisson3d7:n=8", "--formats", "csr", "--min-time", "0.001", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream notes(outcome.err);  // peers that cannot serve say so there
  for (std::string line; std::getline(notes, line);)
    EXPECT_TRUE(line.starts_with("skipped: ") || line.starts_with("busy: ")) << line;
  const Json record = Json::parse(outcome.out);
  expect_valid(record);
  const Points found = checked_points(record);
  EXPECT_TRUE(found.contenders.contains("plain csr"));
  EXPECT_EQ(found.contenders.contains("eigen"), features::eigen);
  EXPECT_EQ(found.contenders.contains("graphblas"), features::graphblas);
}

TEST(Bench, TableNamesTheWinnerTheLimitAndThePeer) {
  const Folder folder;
  ASSERT_EQ(run_command({"gen", "powerlaw:n=1000", "-o", folder / "a.mtx"}).code, 0);
  const Outcome outcome = run_command({"bench", folder / "a.mtx", "--formats", "csr,sell-16-64", "--threads", "2",
                                       "--min-time", "0.001", "--json", folder / "record.json"});
  expect_plain(outcome);
  for (const char* word : {"a.mtx: 1,000 x 1,000", "hot", "contender", "GFLOP/s", "GB/s", "csr", "sell-16-64",
                           "peer plain csr", "winner:", "memory limit:", "best peer:", "#"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  const std::string text = read_file(folder / "record.json");
  const Json record = Json::parse(text);
  expect_valid(record);
  EXPECT_EQ(record.at("points").at(0).at("matrix").at("file"), "a.mtx");
  EXPECT_EQ(text.find(folder.path().string()), std::string::npos);  // no folders of the user
}

TEST(Bench, GraphsAndTheGatherCeilingAreOfAGpu) {
  expect_error(run_command({"bench", "poisson2d5:n=4", "--graph"}), 1, "CUDA graphs are of a GPU");
  expect_error(run_command({"bench", "poisson2d5:n=4", "--gather"}), 1, "this ceiling is of a GPU");
}

TEST(Bench, RectangularEmptyAndComplexMatricesRun) {
  const Folder folder;
  std::ofstream(folder / "wide.mtx")
      << "%%MatrixMarket matrix coordinate complex general\n2 5 3\n1 5 1 2\n2 1 -1 0\n2 2 0 1\n";
  std::ofstream(folder / "none.mtx") << "%%MatrixMarket matrix coordinate real general\n4 4 0\n";
  const Outcome outcome = run_command({"bench", folder / "wide.mtx", folder / "none.mtx", "--min-time", "0"});
  expect_plain(outcome);
  EXPECT_NE(outcome.out.find("complex-double"), std::string::npos);
  expect_error(run_command({"bench", folder / "wide.mtx", "--precision", "double", "--min-time", "0", "--json", "-"}),
               1, "complex");
}

}  // namespace millrace::test
