// millrace solve: what it chooses, what it writes, how it ends; on small systems whose answers are known.
#include <cmath>
#include <nlohmann/json.hpp>

#include "millrace/base/error.hpp"
#include "run_command.hpp"

namespace millrace::test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Json solve_record(Words words, int code = 0) {
  words.insert(words.begin(), "solve");
  words.push_back("--json");
  const Outcome outcome = run_command(words);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  return outcome.out.empty() ? Json{} : Json::parse(outcome.out);
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(Solve, TellsWhatItSawChoseAndReached) {
  const Outcome text = run_command({"solve", "poisson2d5:n=30", "--ascii"});
  expect_plain(text);
  for (const char* word : {"900 x 900", "symmetric, positive diagonal", "A times a pseudo-random vector", "format",
                           "dia", "try 1", "cg + ic0", "converged: |b - A x|, recomputed", "residual",
                           "the x that b was made of", "per iteration, which moves", "GB/s", "|*"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word << "\n" << text.out;
  EXPECT_NE(run_command({"solve", "poisson2d5:n=30", "--unicode"}).out.find("▁"), std::string::npos);
}

std::string write_waves(const Folder& folder, int n) {
  std::ofstream file(folder / "waves.mtx");
  file << "%%MatrixMarket matrix array real general\n" << n << " 1\n";
  for (int i = 0; i < n; ++i) file << std::sin(i * i % 31) << '\n';
  return folder / "waves.mtx";
}

TEST(Solve, EveryMethodAndPreconditionerReachesTheAim) {
  const Folder folder;
  const std::string b = write_waves(folder, 400);
  const auto solve = [&](const char* method, const char* precond) {
    const Json json = solve_record(
        {"poisson2d5:n=20", "-b", b, "--method", method, "--precond", precond, "--max-iterations", "3000"});
    EXPECT_EQ(json.at("end"), "converged") << method << " " << precond;
    EXPECT_LE(json.at("relative"), 1e-8) << method << " " << precond;
    EXPECT_GT(json.at("iterations"), 3) << method << " " << precond;
    EXPECT_EQ(json.at("tries").size(), 1u);
    EXPECT_EQ(json.at("tries").at(0).at("method"), method);
  };
  for (const char* method : {"cg", "minres", "bicgstab", "gmres", "fgmres", "chebyshev"})
    for (const char* precond : {"auto", "none", "jacobi", "block-jacobi-4"}) solve(method, precond);
  for (const char* precond : {"ilu0", "ilu2", "ic0", "ic1", "chebyshev", "chebyshev-8"}) solve("cg", precond);
  solve("gmres", "block-ilu0-2");
}

TEST(Solve, EveryFormatGivesTheSameSolution) {
  for (const char* format : {"coo", "csr", "bsr-2", "ell", "hyb", "sell-8-64", "rgcsr", "jds", "pjds"})
    for (const char* method : {"cg", "gmres"}) {
      const Json json = solve_record({"poisson2d5:n=20,permute=1", "--format", format, "--method", method});
      EXPECT_EQ(json.at("end"), "converged") << format;
      EXPECT_LE(json.at("error"), 1e-5) << format;
      EXPECT_EQ(json.at("format"), format);
    }
}

TEST(Solve, PrecisionsAndMixedPrecision) {
  for (const char* precision : {"float", "double", "complex-float", "complex-double"})
    EXPECT_EQ(solve_record({"poisson2d5:n=20", "--precision", precision}).at("end"), "converged") << precision;
  const Json json = solve_record({"poisson2d5:n=40", "--mixed", "--tol", "1e-12"});
  EXPECT_EQ(json.at("end"), "converged");
  EXPECT_LE(json.at("relative"), 1e-12);
  const Json& mixed = json.at("tries").at(0).at("mixed");
  EXPECT_GE(mixed.at("corrections"), 2);
  EXPECT_LT(mixed.at("float_bytes"), mixed.at("product_bytes"));
  expect_error(run_command({"solve", "poisson2d5:n=4", "--mixed", "--precision", "float", "--json"}), 1, "double");
}

TEST(Solve, AutoTriesWhatTheMatrixAsksFor) {
  const Folder folder;
  write(folder / "indefinite.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 3\n2 2 1\n3 3 2\n");
  write(folder / "b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n-1\n2\n");  // along both signs
  const Json indefinite = solve_record({folder / "indefinite.mtx", "-b", folder / "b.mtx", "--without", "direct"});
  EXPECT_EQ(indefinite.at("tries").at(0).at("end"), "indefinite");
  EXPECT_EQ(indefinite.at("tries").at(1).at("method"), "minres");
  EXPECT_EQ(indefinite.at("end"), "converged");

  write(folder / "negative.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 -2\n1 2 1\n2 1 1\n2 2 -2\n");
  const Json negative = solve_record({folder / "negative.mtx"});
  EXPECT_EQ(negative.at("tries").at(0).at("order"), "negate");
  EXPECT_LE(negative.at("error"), 1e-6);

  write(folder / "cycle.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1\n2 3 2\n3 1 3\n");
  const Json cycle = solve_record({folder / "cycle.mtx", "--method", "gmres", "--order", "match"});
  EXPECT_LE(cycle.at("iterations"), 2);  // the rows in another order are a diagonal matrix
  EXPECT_LE(cycle.at("error"), 1e-6);
  EXPECT_EQ(solve_record({folder / "cycle.mtx"}).at("end"), "converged");

  write(folder / "singular.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 3 2\n");
  EXPECT_NE(solve_record({folder / "singular.mtx"}).at("checks").get<std::string>().find("singular"),
            std::string::npos);
}

TEST(Solve, ReadsARightHandSideAndWritesTheSolution) {
  const Folder folder;
  write(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n1 2 1\n2 2 3\n3 1 2\n3 3 5\n");
  write(folder / "b.mtx", "%%MatrixMarket matrix array real general\n3 1\n6\n6\n17\n");
  const Outcome outcome =
      run_command({"solve", folder / "a.mtx", "-b", folder / "b.mtx", "-x", folder / "x.mtx", "--tol", "1e-14"});
  expect_plain(outcome);
  EXPECT_NE(outcome.out.find("b.mtx"), std::string::npos);
  EXPECT_EQ(outcome.out.find("the x that b was made of"), std::string::npos);
  std::ifstream file(folder / "x.mtx");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "%%MatrixMarket matrix array real general");
  while (file.peek() == '%') std::getline(file, line);
  int rows = 0, cols = 0;
  double x[3] = {};
  file >> rows >> cols >> x[0] >> x[1] >> x[2];
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(cols, 1);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(x[i], i + 1, 1e-12);

  write(folder / "short.mtx", "%%MatrixMarket matrix array real general\n2 1\n6\n6\n");
  expect_error(run_command({"solve", folder / "a.mtx", "-b", folder / "short.mtx", "--json"}), 1, "has 2 numbers");
  write(folder / "zero.mtx", "%%MatrixMarket matrix array real general\n3 1\n0\n0\n0\n");
  EXPECT_NE(run_command({"solve", folder / "a.mtx", "-b", folder / "zero.mtx"}).out.find("x = 0"), std::string::npos);
}

TEST(Solve, HistoryIsARecordWithAllResiduals) {
  const Folder folder;
  expect_plain(run_command({"solve", "poisson2d5:n=30", "--history", folder / "h.json"}));
  const Json json = Json::parse(read_file(folder / "h.json"));
  EXPECT_EQ(json.at("schema"), "millrace.solve");
  EXPECT_EQ(json.at("history").size(), json.at("iterations").get<std::size_t>() + 1);
  EXPECT_EQ(json.at("history").at(0), 1);
  EXPECT_LE(json.at("history").back(), 1e-8);
}

TEST(Solve, NotSolvedIsExitCodeFourWithTheReason) {
  const Outcome outcome =
      run_command({"solve", "poisson2d5:n=50", "--method", "cg", "--precond", "jacobi", "--max-iterations", "5"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.out.find("max_iterations"), std::string::npos);
  EXPECT_TRUE(outcome.err.starts_with("millrace: not solved: ")) << outcome.err;
  EXPECT_NE(outcome.err.find("5 iterations"), std::string::npos) << outcome.err;
}

// The help's first example must be work: not an eigenvector, and not zero where rows add up to zero.
TEST(Solve, TheRightHandSideOfItsOwnIsNoSpecialOne) {
  const Json stencil = solve_record({"poisson2d5:n=30", "--method", "cg", "--precond", "none"});
  EXPECT_GT(stencil.at("iterations"), 20);
  EXPECT_LE(stencil.at("error"), 1e-5);
  const Folder folder;
  write(folder / "ring.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 6\n1 1 1\n1 2 -1\n2 2 1\n2 3 -1\n3 3 1\n3 1 -1\n");
  const Json ring = solve_record({folder / "ring.mtx", "--method", "gmres", "--precond", "none"});
  EXPECT_GT(ring.at("rhs_norm"), 0.01);
  for (const char* precision : {"float", "complex-float", "complex-double"}) {
    const Json one = solve_record({"laplace2d5:n=20", "--threads", "1", "--precision", precision}),
               two = solve_record({"laplace2d5:n=20", "--threads", "2", "--precision", precision});
    EXPECT_EQ(one.at("rhs_norm"), two.at("rhs_norm"));
    EXPECT_EQ(one.at("error"), two.at("error"));
    EXPECT_LE(one.at("error"), 1e-1) << precision;
  }
}

TEST(Solve, ToleranceZeroAndWhatIsNoTolerance) {
  const Json zero = solve_record({"laplace2d5:n=20", "--tol", "0", "--method", "cg"}, 4);
  EXPECT_EQ(zero.at("end"), "stagnation");
  EXPECT_EQ(zero.at("tolerance"), 0);
  EXPECT_LE(zero.at("relative"), 1e-13);
  EXPECT_NE(zero.at("reason").get<std::string>().find("what this precision can reach"), std::string::npos);
  for (const char* bad : {"-1", "nan", "inf", "1e-8x"})
    for (const char* option : {"--tol", "--abs-tol"}) {
      const Outcome outcome = run_command({"solve", "laplace2d5:n=4", std::string(option) + "=" + bad});
      expect_error(outcome, 2, "");
      EXPECT_LT(outcome.err.size(), 150u) << outcome.err;
    }
  expect_error(run_command({"solve", "laplace2d5:n=4", "--tol", "1e-8x"}), 2,
               "'1e-8x' is no tolerance; accepted are finite numbers from 0 on");
}

TEST(Solve, WarnsOfAMethodThatDoesNotTakeTheMatrix) {
  const Folder folder;
  write(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 1\n2 2 3\n");
  for (const char* method : {"cg", "minres", "chebyshev"}) {
    const Outcome outcome = run_command({"solve", folder / "a.mtx", "--method", method, "--precond", "none"});
    const std::size_t warning = outcome.out.find("warning"), tried = outcome.out.find("try 1");
    EXPECT_LT(warning, tried) << outcome.out;
    EXPECT_NE(outcome.out.find(std::string(method) + " is for symmetric matrices, which this one is not"),
              std::string::npos);
  }
  EXPECT_EQ(run_command({"solve", folder / "a.mtx", "--method", "gmres"}).out.find("warning"), std::string::npos);
  EXPECT_EQ(solve_record({"laplace2d5:n=4", "--method", "cg"}).at("warning"), "");
  EXPECT_NE(solve_record({folder / "a.mtx", "--method", "bicgstab"}).at("symmetric"), true);
}

TEST(Solve, NegativeDefiniteAndHermitianHaveTheirNames) {
  const Folder folder;
  write(folder / "negative.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 -2\n2 1 1\n2 2 -2\n3 2 1\n3 3 -2\n");
  const Json negative = solve_record({folder / "negative.mtx", "--method", "cg", "--precond", "none"});
  EXPECT_EQ(negative.at("end"), "converged");
  EXPECT_NE(negative.at("reason").get<std::string>().find("-A x = -b"), std::string::npos);
  write(folder / "hermitian.mtx",
        "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 2 0\n2 1 0 1\n2 2 2 0\n");
  const Json hermitian = solve_record({folder / "hermitian.mtx"});
  EXPECT_TRUE(hermitian.at("checks").get<std::string>().starts_with("Hermitian, positive diagonal"));
  EXPECT_EQ(hermitian.at("hermitian"), true);
  EXPECT_FALSE(hermitian.contains("symmetric"));
  EXPECT_EQ(hermitian.at("tries").at(0).at("why").get<std::string>().find("symmetric"), std::string::npos);
  write(folder / "symmetric.mtx",
        "%%MatrixMarket matrix coordinate complex symmetric\n2 2 3\n1 1 2 0\n2 1 0 1\n2 2 2 0\n");
  EXPECT_TRUE(
      solve_record({folder / "symmetric.mtx"}).at("checks").get<std::string>().starts_with("symmetric, not Hermitian"));
}

// A file that cannot be written neither hides the report nor changes what the exit code says of the system.
TEST(Solve, WritingXNeverHidesTheReport) {
  const Folder folder;
  write(folder / "b.mtx", "%%MatrixMarket matrix array real general\n4 1\n1e300\n1e300\n-1e300\n1e300\n");
  write(folder / "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 1e-300\n2 2 1\n3 3 1\n4 4 1\n");  // x overflows
  const Words words{folder / "a.mtx", "-b", folder / "b.mtx", "--method", "bicgstab", "--precond", "jacobi"};
  Words with = words;
  with.insert(with.end(), {"-x", folder / "x.mtx"});
  const Json without = solve_record(words, 4), found = solve_record(with, 4);
  EXPECT_EQ(without.at("end"), "not_a_number");
  EXPECT_NE(without.at("reason").get<std::string>().find("x overflows"), std::string::npos);
  EXPECT_EQ(found.at("end"), without.at("end"));
  EXPECT_TRUE(read_file(folder / "x.mtx").starts_with("%%MatrixMarket matrix array real general"));

  const std::string name = folder / (std::string(250, 'x') + ".mtx");  // no room for the unfinished file's longer name
  const Outcome lost = run_command({"solve", "laplace2d5:n=50", "--method", "cg", "--precond", "none",
                                    "--max-iterations", "2", "--json", "-x", name});
  EXPECT_EQ(lost.code, 4) << lost.err;
  EXPECT_EQ(Json::parse(lost.out).at("end"), "max_iterations");
  EXPECT_NE(lost.err.find("cannot be written"), std::string::npos) << lost.err;
  EXPECT_NE(lost.err.find("not solved: "), std::string::npos) << lost.err;
  EXPECT_EQ(run_command({"solve", "laplace2d5:n=5", "-x", name}).code, 1);
}

TEST(Solve, HelpSaysWhatEndsAndExitCodesMean) {
  const Outcome help = run_command({"solve", "--help"});
  for (const char* word : {"nearly_converged", "exit code 4", "exit code 0", "laplace3d7"})
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
}

TEST(Solve, RefusesWhatIsNoSystem) {
  const Folder folder;
  write(folder / "wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
  expect_error(run_command({"solve", folder / "wide.mtx"}), 1, "is 2 x 3; solve takes square matrices only");
  write(folder / "nan.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 1\n");
  expect_error(run_command({"solve", folder / "nan.mtx"}), 1, "NaN");
  expect_error(run_command({"solve", "poisson2d5", "--method", "sor"}), 2, "unknown method 'sor'; there are: auto cg");
  expect_error(run_command({"solve", "poisson2d5", "--precond", "ilu"}), 2, "the number after ilu must be 0 to 20");
  expect_error(run_command({"solve", "poisson2d5", "--precond", "ssor"}), 2, "block-jacobi[-N]");
  expect_error(run_command({"solve", "poisson2d5", "--order", "match+abc"}), 2, "rcm");
  expect_error(run_command({"solve", "poisson2d5:n=4", "-x", folder / "none/x.mtx"}), 1, "there is no folder");
  expect_error(run_command({"solve", "poisson2d5:n=4", "-x", folder / "x.csv"}), 1, ".mtx");
}

TEST(Solve, DirectTellsConditionAndErrors) {
  const Folder folder;
  write(folder / "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 6\n1 1 1\n1 2 3\n2 1 2\n2 2 1\n3 3 1e-9\n3 1 1e-9\n");
  const Json json = solve_record({folder / "a.mtx", "--method", "direct"});
  if (json.is_null()) GTEST_SKIP() << "this build has no direct solver";
  EXPECT_EQ(json.at("end"), "converged");
  EXPECT_GT(json.at("rcond"), 0.01);
  EXPECT_LE(json.at("forward_error"), 1e-12);
  EXPECT_LE(json.at("row_backward_error"), 1e-15);
  EXPECT_LE(json.at("error"), 1e-14);
  EXPECT_EQ(json.at("doubt"), "");
  EXPECT_EQ(json.at("tries").at(0).at("method"), "direct");
  const Outcome text = run_command({"solve", folder / "a.mtx"});
  expect_plain(text);
  for (const char* word : {"badly scaled", "rows scaled by", "try 1", "direct", "backward", "condition", "reciprocal"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word << "\n" << text.out;
  expect_error(run_command({"solve", folder / "a.mtx", "--method", "direct-qr"}), 2, "direct[-KIND]");
  expect_error(run_command({"solve", folder / "a.mtx", "--method", "direct", "--max-factors", "100", "--json"}), 1,
               "the limit is 100 B");
}

TEST(Solve, SingularIsSaid) {
  const Folder folder;
  write(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n");
  write(folder / "b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  const Outcome outcome = run_command({"solve", folder / "a.mtx", "-b", folder / "b.mtx"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("singular to working precision"), std::string::npos) << outcome.err;
  const Json json = solve_record({folder / "a.mtx"});  // b in the range
  EXPECT_EQ(json.at("rcond"), 0);
  EXPECT_NE(json.at("doubt").get<std::string>().find("singular"), std::string::npos);
}

TEST(Solve, SingularIsSaidWithoutFactorsToo) {  // the graph of a path: ones are a null vector
  const Folder folder;
  constexpr int n = 40;
  std::string text = join("%%MatrixMarket matrix coordinate real symmetric\n", n, " ", n, " ", 2 * n - 1, "\n");
  for (int i = 1; i <= n; ++i) {
    text += join(i, " ", i, " ", i == 1 || i == n ? 1 : 2, "\n");
    if (i < n) text += join(i + 1, " ", i, " -1\n");
  }
  write(folder / "a.mtx", text);
  const Json json = solve_record({folder / "a.mtx", "--method", "minres", "--precond", "jacobi"});
  EXPECT_EQ(json.at("end"), "converged");
  EXPECT_LT(json.at("rcond"), 1e-15);
  EXPECT_NE(json.at("doubt").get<std::string>().find("singular"), std::string::npos);
  // Far from singular, and far from the known x only because so much was allowed.
  const Json regular = solve_record({"laplace2d5:n=12", "--method", "cg", "--tol", "0.3"});
  EXPECT_GT(regular.at("error"), 0.01);
  EXPECT_TRUE(regular.at("rcond").is_null());
}

TEST(Solve, SeveralRightHandSidesAndStartVectors) {
  const Folder folder;
  write(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 1\n2 2 4\n");
  write(folder / "b.mtx", "%%MatrixMarket matrix array real general\n2 3\n2\n5\n4\n10\n0\n4\n");
  write(folder / "x.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n1\n2\n2\n0\n1\n");
  const Json json = solve_record({folder / "a.mtx", "-b", folder / "b.mtx", "-x", folder / "found.mtx"});
  ASSERT_EQ(json.at("columns").size(), 3u);
  for (const Json& column : json.at("columns")) EXPECT_EQ(column.at("end"), "converged");
  std::ifstream file(folder / "found.mtx");
  std::string line;
  do std::getline(file, line);
  while (line.starts_with('%'));
  EXPECT_EQ(line, "2 3");
  for (const double expected : {1.0, 1.0, 2.0, 2.0, 0.0, 1.0}) {
    double value = -1;
    file >> value;
    EXPECT_NEAR(value, expected, 1e-7);
  }
  const Json started =
      solve_record({folder / "a.mtx", "-b", folder / "b.mtx", "--x0", folder / "x.mtx", "--method", "gmres"});
  EXPECT_EQ(started.at("iterations"), 0);  // they are the solutions
  EXPECT_NE(run_command({"solve", folder / "a.mtx", "-b", folder / "b.mtx"}).out.find("3 of 3 solved"),
            std::string::npos);
  write(folder / "one.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  expect_error(run_command({"solve", folder / "a.mtx", "-b", folder / "b.mtx", "--x0", folder / "one.mtx"}), 1,
               "is 2 x 1; start vectors need the size of the right-hand side, 2 x 3");
}

TEST(Solve, TriesThatCannotBeMadeAreSkippedWithOneLine) {
  const Folder folder;
  write(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n");
  write(folder / "b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n-1\n");
  const Outcome outcome = run_command({"solve", folder / "a.mtx", "-b", folder / "b.mtx", "--without", "direct,amd"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.out.find("skipped    direct: left out, as asked\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("ilu20: "), std::string::npos) << outcome.out;
  expect_error(run_command({"solve", folder / "a.mtx", "--without", "lu"}), 2, "there are: direct amg amd");
}

TEST(Solve, VersionNamesDirectSolversAndTheirLicences) {
  const std::string text = run_command({"--version"}).out;
  const std::size_t at = text.find("direct      ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_TRUE(text.find("GPL", at) != std::string::npos || text.find("none", at) != std::string::npos) << text;
}

}  // namespace millrace::test
