// Parts of the command: the reference product, numbers as text, tables, hashes and timing in turns.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/command_line.hpp"
#include "millrace/bench/measure.hpp"
#include "millrace/bench/other_load.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/bench/reference.hpp"
#include "millrace/sparse/gallery.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "verbs/bench/report.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

template <class T>
class ReferenceOf : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ReferenceOf, Scalars);

TYPED_TEST(ReferenceOf, AcceptsRoundingAndRefusesMore) {
  using T = TypeParam;
  using R = RealOf<T>;
  const Csr<T> a = convert_values<T>(gallery::make("random:n=200"));
  const int num_vectors = 2;
  std::vector<T> x, y;
  for (std::uint64_t i = 0; i < 400; ++i) x.push_back(random_value<T>(7, i));
  std::vector<R> size;  // sum |a||x| of every row
  for (int v = 0; v < num_vectors; ++v)
    for (Index r = 0; r < 200; ++r) {
      T sum{};
      R sizes{};
      for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s) {
        const T x_j = x[static_cast<std::size_t>(v * 200 + a.cols.data()[s])];
        sum += a.vals.data()[s] * x_j;
        sizes += std::abs(a.vals.data()[s]) * std::abs(x_j);
      }
      y.push_back(sum);
      size.push_back(sizes);
    }
  const Reference<T> reference(a, x, num_vectors, 2);
  EXPECT_TRUE(reference.check(y).ok());
  EXPECT_GT(reference.check(y).max_error_over_bound, 0);

  const std::size_t place = 200 + 17;
  const R eps = std::numeric_limits<R>::epsilon();
  const auto n = static_cast<R>(a.row_length(17));
  auto wrong = y;
  wrong[place] += T{2 * ((is_complex<T> ? 4 * n : n) + 2) * eps * size[place]};
  const CheckResult result = reference.check(wrong);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.worst_row, 17);
  EXPECT_EQ(result.worst_vector, 1);
  wrong[place] = T{std::numeric_limits<R>::quiet_NaN()};
  EXPECT_FALSE(reference.check(wrong).ok());
}

TEST(Reference, KnowsMoreDigitsThanDouble) {
  const Csr<double> a(1, 3, Array<std::int32_t>{0, 3}, Array<Index>{0, 1, 2}, Array<double>{1e16, 1, -1e16});
  const std::vector<double> x{1, 1, 1};
  const Reference<double> reference(a, x, 1, 1);
  EXPECT_EQ(reference.check(std::vector<double>{1}).max_error_over_bound, 0);
  EXPECT_GT(reference.check(std::vector<double>{0}).max_error_over_bound, 0);
}

TEST(Terminal, NumbersReadWell) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(-123456), "-123,456");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1.5e9), "1.50 GB");
  EXPECT_EQ(seconds_text(12.34e-6), "12.3 us");
  EXPECT_EQ(seconds_text(4.9e-3), "4.90 ms");
  EXPECT_EQ(seconds_text(9.999), "10.0 s");
  EXPECT_EQ(split("a,,b,c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(split("").empty());
}

TEST(Terminal, BarsFollowTheirShare) {
  Style ascii, blocks;
  blocks.unicode = true;
  EXPECT_EQ(bar(0.5, 8, ascii), "####");
  EXPECT_EQ(bar(0, 8, ascii), "");
  EXPECT_EQ(bar(1e-9, 8, ascii), "#");  // something is never nothing
  EXPECT_EQ(bar(0.5, 3, blocks), "█▌");
  EXPECT_EQ(bar(7, 2, ascii), "##");
}

TEST(Table, AlignsColumnsAndFitsTheWidth) {
  Table table({{"name", Table::Align::left}, {"n"}});
  table.add({"a", "1"}, 1);
  table.add({"longer", "1000"}, 0.5);
  Style style;
  style.width = 24;
  EXPECT_EQ(table.text(style), "name       n\na          1  ##########\nlonger  1000  #####\n");
  style.width = 14;  // no room for bars
  EXPECT_EQ(table.text(style), "name       n\na          1\nlonger  1000\n");
}

Point point_of(double seconds, double spread) {
  Point point;
  point.samples.seconds = {seconds * (1 - spread), seconds, seconds * (1 + spread)};
  return point;
}

TEST(Report, ADifferenceWithinTheSpreadIsNone) {
  EXPECT_TRUE(no_difference(point_of(1, 0.1), point_of(1.05, 0.1)));
  EXPECT_FALSE(no_difference(point_of(1, 0.01), point_of(1.05, 0.01)));
}

TEST(Report, AWrongResultIsSaidAndHasNoTime) {
  Point good = point_of(1e-3, 0.01), wrong;
  good.device = wrong.device = "cpu";
  good.contender.name = "csr";
  wrong.contender.name = "coo";
  wrong.check = {.max_error_over_bound = 12, .worst_row = 3};
  Bandwidth limit;
  limit.read = 1e10;
  const std::string text = bench_table({wrong, good}, limit, {});
  EXPECT_NE(text.find("WRONG: coo: row 3 of vector 0 is 12 times its error bound away; not timed"), std::string::npos);
  EXPECT_NE(text.find("winner:       csr"), std::string::npos);
}

TEST(Report, TheBestPeerAndTheBestRepeatableOne) {
  const auto peer_of = [](const std::string& name, double seconds, bool deterministic) {
    Point point = point_of(seconds, 0.01);
    point.device = "cpu";
    point.contender = {.name = name, .own = false, .deterministic = deterministic};
    return point;
  };
  Point own = point_of(100e-6, 0.01);
  own.device = "cpu";
  own.contender.name = "sell-32-1";
  Bandwidth limit;
  limit.read = 1e10;
  const Point hasty = peer_of("cusparse coo alg1", 80e-6, false), steady = peer_of("cusparse csr alg2", 150e-6, true);
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string both = bench_table({own, hasty, steady}, limit, {});
  EXPECT_TRUE(contains(both, "\nbest peer:    cusparse coo alg1, 80.0 us: 1.25 times as fast as sell-32-1\n")) << both;
  EXPECT_TRUE(contains(both, "\nrepeatable:   cusparse csr alg2, 150 us: sell-32-1 is 1.50 times as fast\n")) << both;
  const std::string one = bench_table({own, steady}, limit, {});  // the best is repeatable: once is enough
  EXPECT_TRUE(contains(one, "\nbest peer:    cusparse csr alg2, 150 us: sell-32-1 is 1.50 times as fast\n")) << one;
  EXPECT_FALSE(contains(one, "repeatable:"));
  EXPECT_FALSE(contains(bench_table({own, hasty}, limit, {}), "repeatable:"));
}

TEST(Report, ACeilingIsInTheTableAndInNoRatio) {
  Point own = point_of(100e-6, 0.01), ceiling = point_of(80e-6, 0.01);
  own.device = ceiling.device = "cpu";
  own.contender.name = "csr";
  own.share_of_gather = 0.8;
  ceiling.contender = {.name = "gather", .own = false, .ceiling = true, .note = "no rows"};
  Bandwidth limit;
  limit.read = 1e10;
  const std::string text = bench_table({own, ceiling}, limit, {});
  for (const char* part :
       {"of gather", "ceiling gather", "80.0 %", "winner:       csr", "ceiling:      gather, 80.0 us"})
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  EXPECT_EQ(text.find("best peer:"), std::string::npos) << text;
  EXPECT_EQ(bench_table({own}, limit, {}).find("of gather"), std::string::npos);

  const auto record = bench_record(Device::host(), limit, std::vector<Point>{own, ceiling});
  EXPECT_EQ(record["points"][0]["kind"], "own");
  EXPECT_EQ(record["points"][0]["percent_of_gather"], 80.0);
  EXPECT_EQ(record["points"][1]["kind"], "ceiling");
  EXPECT_FALSE(record["points"][1].contains("percent_of_gather"));
}

TEST(Report, OthersOnTheMachineAreNamedAndRecorded) {
  using bench::busy_text, bench::busy_ticks;
  EXPECT_EQ(busy_text(0.93, 2), "busy: other processes took 0.9 of 2 cores meanwhile, so these times are too long");
  EXPECT_EQ(busy_text(0.5, 1), "busy: other processes took 0.5 of 1 core meanwhile, so these times are too long");
  EXPECT_EQ(busy_text(0.09, 2), "");
  EXPECT_EQ(busy_text({}, 2), "");
  EXPECT_EQ(busy_ticks("cpu  1000 200 30 99999 7 4 5 60 11 12"), 1000 + 200 + 30 + 4 + 5 + 60);
  EXPECT_EQ(busy_ticks("cpu  1 2 3 4"), 6);  // of an old kernel
  EXPECT_FALSE(busy_ticks("cpu0 1 2 3 4"));
  EXPECT_FALSE(busy_ticks(""));
  EXPECT_FALSE(bench::OtherLoad().cores());  // in no time nothing can be counted
  Bandwidth limit;
  EXPECT_EQ(bench_record(Device::host(), limit, {}, 0.534)["other_cores"], 0.53);
  EXPECT_FALSE(bench_record(Device::host(), limit, {}).contains("other_cores"));
}

// Two processes that count are seen, and what this one counts itself is not.
TEST(Report, OtherProcessesAreSeen) {
  const auto count_for = [](double seconds) {
    const auto begin = std::chrono::steady_clock::now();
    volatile int count = 0;
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) count = count + 1;
  };
  const bench::OtherLoad load;
  const pid_t other = fork();
  if (other == 0) {
    for (;;) pause();
  }
  count_for(0.7);
  const double quiet = load.cores().value_or(-1);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  EXPECT_GE(quiet, 0);
  const bench::OtherLoad beside;
  const pid_t busy = fork();
  if (busy == 0) {
    count_for(20);
    _exit(0);
  }
  count_for(0.8);
  const double found = beside.cores().value_or(-1);
  kill(busy, SIGKILL);
  waitpid(busy, nullptr, 0);
  EXPECT_GT(found, 0.2);  // of a core: more where it is idle otherwise
}

TEST(Report, WhatIsSkippedIsNamedOnce) {
  EXPECT_EQ(skipped_text("dbf", "dbf: the matrix is 5 x 3"), "dbf: the matrix is 5 x 3");
  EXPECT_EQ(skipped_text("sell-8-1", "sell: too much padding"), "sell-8-1: too much padding");
  EXPECT_EQ(skipped_text("cusparse csr alg1", "cusparse: SpMV: no"), "cusparse csr alg1: SpMV: no");
  EXPECT_EQ(skipped_text("csr (graph)", "queue: 8 bytes"), "csr (graph): queue: 8 bytes");
  EXPECT_EQ(skipped_text("ellr", "ell: too wide"), "ellr: ell: too wide");
  EXPECT_EQ(skipped_text("coo", "not enough memory"), "coo: not enough memory");
}

TEST(State, ChoicesAndDefaults) {
  using States = std::vector<State>;
  const Device host = Device::host(), gpu = Device::gpu();
  EXPECT_EQ(states_of({}, host), States{State::hot});
  EXPECT_EQ(states_of({}, gpu), (States{State::cold, State::hot}));
  EXPECT_EQ(states_of({.cold = true}, gpu), States{State::cold});
  EXPECT_EQ(states_of({.hot = true}, gpu), States{State::hot});
  EXPECT_EQ(states_of({.cold = true, .hot = true}, host), (States{State::cold, State::hot}));
  EXPECT_EQ(states_of({.both = true}, host), (States{State::cold, State::hot}));
  EXPECT_EQ(states_of({.graph = true}, gpu), (States{State::cold, State::hot, State::graph}));
  EXPECT_EQ(states_of({.hot = true, .graph = true}, gpu), (States{State::hot, State::graph}));
  EXPECT_THROW(states_of({.graph = true}, host), Unsupported);
  EXPECT_EQ(to_string(State::cold), "cold");
  EXPECT_EQ(to_string(State::hot), "hot");
  EXPECT_EQ(to_string(State::graph), "graph");
}

TEST(Record, HashSeesEveryPart) {
  const std::string hash = matrix_hash(gallery::make("poisson2d5:n=8"));
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(hash, matrix_hash(gallery::make("poisson2d5:n=8")));
  EXPECT_NE(hash, matrix_hash(gallery::make("poisson2d5:n=8,seed=2")));
  EXPECT_NE(hash, matrix_hash(gallery::make("poisson2d5:n=8,permute=1")));
}

TEST(Record, CommandLinesLoseTheirFolders) {
  const char* words[] = {"/usr/bin/millrace", "bench", "/data/A.mtx", "--json=/tmp/x.json", "poisson2d5:n=8"};
  keep_command_line(5, words);
  EXPECT_EQ(command_line(), "millrace bench A.mtx --json=x.json poisson2d5:n=8");
}

TEST(Measure, EveryWorkRunsInTurns) {
  Queue queue;
  std::string order;
  double last = 0;
  const auto samples = measure_in_turns(queue, {[&] { order += 'a'; }, [&] { order += 'b'; }}, {.min_time = 0},
                                        [&](double part) { last = part; });
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].seconds.size(), samples[1].seconds.size());
  EXPECT_GE(samples[0].seconds.size(), 5u);
  EXPECT_NE(order.find("ab"), std::string::npos);
  EXPECT_NE(order.find("ba"), std::string::npos);
  EXPECT_EQ(last, 1);
}

}  // namespace millrace::command
