// The peers compute what they claim to, on odd matrices too, and say why when they cannot; PETSc's ranks never stay
// behind.
#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "command.hpp"
#include "millrace/bench/contender.hpp"
#include "millrace/bench/features.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/reference.hpp"
#include "millrace/sparse/gallery.hpp"
#include "peers/blocks.hpp"
#include "run_command.hpp"

namespace millrace::command {

// Makes and runs all peers of a matrix, checks every result, and returns the facts of those that ran.
struct PeerResults {
  std::vector<ContenderFacts> ran;
  std::vector<std::string> skipped;  // "name: why"

  const ContenderFacts* find(const std::string& name) const {
    const auto found = std::find_if(ran.begin(), ran.end(), [&](const auto& facts) { return facts.name == name; });
    return found == ran.end() ? nullptr : &*found;
  }
  std::string reason(const std::string& name) const {
    for (const std::string& text : skipped)
      if (text.starts_with(name + ": ")) return text;
    return "";
  }
};

template <class T>
PeerResults run_peers(const Csr<T>& a, int num_vectors = 1, int num_threads = 2) {
  Queue queue(Device::host(), num_threads);
  std::vector<T> x, y(static_cast<std::size_t>(a.num_rows) * static_cast<std::size_t>(num_vectors));
  for (std::int64_t i = 0; i < std::int64_t{a.num_cols} * num_vectors; ++i)
    x.push_back(random_value<T>(3, static_cast<std::uint64_t>(i)));
  const Reference<T> reference(a, x, num_vectors, 2);
  const Problem<T> problem{a,
                           queue,
                           {Device::host(), x.data(), a.num_cols, num_vectors},
                           {Device::host(), y.data(), a.num_rows, num_vectors}};
  PeerResults results;
  for (const Maker<T>& maker : peers(problem)) {
    try {
      Contender<T> contender = maker.make();
      std::fill(y.begin(), y.end(), T{std::numeric_limits<RealOf<T>>::quiet_NaN()});
      contender.run();
      EXPECT_TRUE(reference.check(y).ok()) << maker.name;
      const std::vector<T> first = y;
      contender.run();  // a second product must not spoil what the first one brought
      EXPECT_EQ(y, first) << maker.name;
      EXPECT_EQ(contender.facts.name, maker.name);
      EXPECT_FALSE(contender.facts.own);
      EXPECT_GE(contender.facts.artificial_zeros, 0);
      EXPECT_GE(contender.facts.moved_bytes, a.vals.bytes()) << maker.name;
      EXPECT_GE(contender.facts.format_bytes, contender.facts.moved_bytes) << maker.name;
      results.ran.push_back(contender.facts);
    } catch (const Unsupported& error) {
      results.skipped.push_back(maker.name + ": " + error.what());
    }
  }
  return results;
}

template <class T>
class PeersOf : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PeersOf, Scalars);

TYPED_TEST(PeersOf, ComputeTheProductOfOneAndOfSeveralVectors) {
  for (const char* spec : {"cfd:n=4,block=3", "hdg:m=8,faces=60", "powerlaw:n=960"}) {
    const bool blocks = std::string(spec) != "powerlaw:n=960";
    const Csr<TypeParam> a = convert_values<TypeParam>(gallery::make(spec));
    for (const int num_vectors : {1, 3}) {
      const PeerResults results = run_peers(a, num_vectors);
      EXPECT_TRUE(results.find("plain csr"));
      EXPECT_EQ(results.find("plain bsr") != nullptr, blocks) << spec;
      EXPECT_EQ(results.find("eigen") != nullptr, features::eigen);
      EXPECT_EQ(results.find("graphblas") != nullptr, features::graphblas);
    }
  }
}

TYPED_TEST(PeersOf, AcceptEmptyRowsRectanglesRepeatsAndNothing) {
  using T = TypeParam;
  const Csr<T> wide(3, 5, Array<std::int32_t>{0, 3, 3, 4}, Array<Index>{4, 0, 4, 2}, Array<T>{T{1}, T{2}, T{3}, T{4}});
  const Csr<T> tall(5, 2, Array<std::int64_t>{0, 0, 1, 1, 2, 4}, Array<Index>{1, 0, 0, 1},
                    Array<T>{T{1}, T{2}, T{3}, T{4}});
  const Csr<T> none(4, 4, Array<std::int32_t>{0, 0, 0, 0, 0}, Array<Index>{}, Array<T>{});
  for (const Csr<T>* a : {&wide, &tall, &none}) {
    const PeerResults results = run_peers(*a, 2);
    EXPECT_TRUE(results.find("plain csr"));
    EXPECT_NE(results.reason("plain bsr").find("does not consist of dense blocks"), std::string::npos);
    EXPECT_EQ(results.find("graphblas") != nullptr, features::graphblas);
  }
}

TEST(Peers, SayWhyTheyDoNotRun) {
  if (!features::petsc) GTEST_SKIP() << "built without PETSc";
  EXPECT_EQ(run_peers(gallery::make("poisson3d7:n=5")).reason("petsc"),
            "petsc: starting its ranks is worth while above 100000 entries; the matrix has 725");
  const Csr<float> a = convert_values<float>(gallery::make("poisson3d7:n=26"));
  EXPECT_EQ(run_peers(a).reason("petsc"), "petsc: this peer computes in double, not in float");
  EXPECT_EQ(run_peers(a, 2).reason("petsc"), "petsc: this peer multiplies one vector at a time, not 2");
}

// Dense blocks in the first block column and on the diagonal; so many of them miss their first entry.
Csr<double> blocks_of(Index size, Index num, int num_missing) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> cols;
  for (Index r = 0; r < num * size; ++r) {
    for (const Index block : std::set<Index>{0, r / size})
      for (Index j = 0; j < size; ++j) {
        const bool missing = num_missing > 0 && r % size == 0 && j == 0;
        if (missing) --num_missing;
        if (!missing) cols.push_back(block * size + j);
      }
    row_ptr.push_back(std::ssize(cols));
  }
  const std::vector<double> vals(cols.size(), 1.5);
  return {num * size, num * size, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(cols)), Array<double>(std::span<const double>(vals))};
}

TEST(Peers, PlainBsrTakesBlocksThatAreNearlyFull) {
  const PeerResults results = run_peers(blocks_of(4, 30, 5));
  ASSERT_TRUE(results.find("plain bsr"));
  EXPECT_EQ(results.find("plain bsr")->artificial_zeros, 5);
  EXPECT_TRUE(results.find("plain bsr")->note.starts_with("blocks of 4"));
}

TEST(PeerBlocks, TheLargestSizeThatFitsIsFound) {
  const Index sizes[] = {2, 3, 4, 8, 12};
  EXPECT_EQ(find_block_size<double>(blocks_of(4, 9, 0), sizes), 4);
  EXPECT_EQ(find_block_size<double>(blocks_of(24, 5, 0), sizes), 12);  // 24 is not among them, its half is
  try {
    find_block_size<double>(blocks_of(5, 7, 0), sizes);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(),
                 "the matrix consists of blocks of 5, but its shape of 35 x 35 can be cut into none of the sizes that "
                 "fit into them: 2 3 4 8 12");
  }
  EXPECT_THROW(find_block_size<double>(gallery::make("poisson2d5:n=9"), sizes), Unsupported);
}

TEST(PeerBlocks, OnlyRowsOutOfOrderAreCopied) {
  std::optional<Csr<double>> copy;
  const Csr<double> sorted = gallery::make("poisson2d5:n=4");
  EXPECT_EQ(&with_sorted_rows(sorted, copy), &sorted);
  const Csr<double> repeats(1, 3, Array<std::int32_t>{0, 3}, Array<Index>{0, 2, 2}, Array<double>{1, 2, 3});
  EXPECT_EQ(with_sorted_rows(repeats, copy).vals.to_vector(), (std::vector<double>{1, 5}));
}

TEST(SlowPetsc, AllFormatsAreRightOnSeveralRanks) {
  if (!features::petsc) GTEST_SKIP() << "built without PETSc";
  for (const int num_ranks : {1, 2, 3}) {
    const PeerResults stencil = run_peers(gallery::make("poisson3d7:n=26,permute=1"), 1, num_ranks);
    const PeerResults blocks = run_peers(gallery::make("cfd:n=9,block=5"), 1, num_ranks);
    for (const char* name : {"petsc aij", "petsc sell"}) {
      EXPECT_TRUE(stencil.find(name)) << stencil.reason(name);
      EXPECT_TRUE(blocks.find(name)) << blocks.reason(name);
    }
    EXPECT_NE(stencil.reason("petsc baij").find("does not consist of dense blocks"), std::string::npos);
    ASSERT_TRUE(blocks.find("petsc baij")) << blocks.reason("petsc baij");
    EXPECT_EQ(blocks.find("petsc baij")->artificial_zeros, 0);
    EXPECT_NE(blocks.find("petsc baij")->note.find(" us to reach them and back"), std::string::npos);
  }
}

// Command lines of the processes that name the open files of that process: mpirun and its ranks.
std::string ranks_of(pid_t command) {
  const std::string mark = join("/proc/", command, "/fd");
  std::string found;
  for (const auto& entry : test::fs::directory_iterator("/proc")) {
    const std::string process = entry.path().filename().string();
    if (!std::isdigit(process[0])) continue;
    std::string words;
    try {
      words = test::read_file(entry.path() / "cmdline");
    } catch (const std::ios_base::failure&) {
      continue;  // it ended between being listed and being read
    }
    if (words.find(mark) == std::string::npos) continue;
    std::replace(words.begin(), words.end(), '\0', ' ');
    found += process + ": " + words + "\n";
  }
  return found;
}

// Waits for what comes by itself; the end of patience only turns a hang into a failure, however busy the machine is.
template <class F>
bool comes_true(F&& holds) {
  constexpr auto patience = std::chrono::minutes(4);
  const auto begin = std::chrono::steady_clock::now();
  while (!holds()) {
    if (std::chrono::steady_clock::now() - begin > patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(SlowPetsc, RanksEndWithTheCommandHoweverItEnds) {
  if (!features::petsc) GTEST_SKIP() << "built without PETSc";
  const int nowhere = open("/dev/null", O_WRONLY);
  for (const int signal : {SIGKILL, SIGTERM})
    for (const int wait_ms : {0, 500}) {  // while they start, and while they compute
      const pid_t command =
          test::start_command({"bench", "poisson3d7:n=40", "--formats", "csr", "--min-time", "5"}, nowhere, nowhere);
      EXPECT_TRUE(comes_true([&] { return !ranks_of(command).empty(); })) << "no rank was started";
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      kill(command, signal);
      test::wait_for(command);
      EXPECT_TRUE(comes_true([&] { return ranks_of(command).empty(); }))
          << "after signal " << signal << ", " << wait_ms << " ms, these live on:\n"
          << ranks_of(command);
    }
  close(nowhere);
}

// A command that dies after it ordered a product from the first rank, and before it told the second: they would wait
// for each other for ever.
TEST(SlowPetsc, RanksEndWithACommandThatDiesBetweenTwoOrders) {
  if (!features::petsc) GTEST_SKIP() << "built without PETSc";
  const int nowhere = open("/dev/null", O_WRONLY);
  const pid_t command =
      test::start_command({"bench", "poisson3d7:n=40", "--formats", "csr", "--min-time", "5"}, nowhere, nowhere);
  const std::string folder = join("/proc/", command, "/fd");
  int pipe = -1;
  // Ranks come and go, for each of PETSc's formats: one set of them is caught while the command stands still.
  EXPECT_TRUE(comes_true([&] {
    kill(command, SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(command, SIGSTOP);
    const std::string processes = ranks_of(command);
    const auto found = processes.find(folder);
    if (found == std::string::npos) return false;
    std::istringstream words(processes.substr(found + folder.size()));
    int shared = -1, first_in = -1;  // see petsc_peer.cpp
    words >> shared >> first_in;
    pipe = open(join(folder, "/", first_in).c_str(), O_WRONLY);
    return pipe >= 0;
  }));
  EXPECT_EQ(write(pipe, "p", 1), 1);
  close(pipe);
  kill(command, SIGKILL);
  test::wait_for(command);
  EXPECT_TRUE(comes_true([&] { return ranks_of(command).empty(); })) << "these live on:\n" << ranks_of(command);
  close(nowhere);
}

}  // namespace millrace::command
