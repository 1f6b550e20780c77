// millrace eig: eigenvalues that are known, densities, vectors in a file, and what it refuses.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "millrace/precond/direct.hpp"
#include "run_command.hpp"

namespace millrace::test {

using Json = nlohmann::json;

// -1 2 -1 on n points: eigenvalues 2 - 2 cos(k pi / (n + 1)).
void write_second_difference(const std::string& path, int n) {
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate real symmetric\n" << n << ' ' << n << ' ' << 2 * n - 1 << '\n';
  for (int i = 1; i <= n; ++i) {
    file << i << ' ' << i << " 2\n";
    if (i < n) file << i + 1 << ' ' << i << " -1\n";
  }
}

TEST(Eig, FindsTheLowestAndWritesTheirVectors) {
  const Folder folder;
  const int n = 60;
  write_second_difference(folder / "a.mtx", n);
  const Outcome text = run_command({"eig", folder / "a.mtx", "--lowest", "3", "--vectors", folder / "v.mtx"});
  expect_plain(text);
  for (const char* word : {"60 x 60", "lowest", "residual", "converged", "products"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word << text.out;
  std::ifstream file(folder / "v.mtx");
  std::string line;
  do std::getline(file, line);
  while (line.starts_with('%'));
  EXPECT_EQ(line, "60 3");
  double square = 0, value = 0;
  for (int i = 0; i < n && file >> value; ++i) square += value * value;
  EXPECT_NEAR(square, 1, 1e-10);

  for (const char* format : {"auto", "csr", "pjds", "sell-8-64"}) {
    const Outcome outcome = run_command({"eig", folder / "a.mtx", "--lowest", "3", "--json", "--format", format});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json.at("schema"), "millrace.eig");
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(json.at("lowest").at("values").at(k), 2 - 2 * std::cos(static_cast<double>(k + 1) * M_PI / (n + 1)),
                  1e-9)
          << format;
  }
}

TEST(Eig, DensityIntegratesToOne) {
  const Folder folder;
  const Outcome text = run_command({"eig", "poisson2d5:n=20", "--density", folder / "d.json", "--moments", "64"});
  expect_plain(text);
  EXPECT_EQ(text.out.find("lanczos"), std::string::npos);
  const Json json = Json::parse(read_file(folder / "d.json")).at("density");
  const auto energies = json.at("energies").get<std::vector<double>>(),
             density = json.at("density").get<std::vector<double>>();
  double sum = 0;
  for (std::size_t k = 1; k < energies.size(); ++k)
    sum += (energies[k] - energies[k - 1]) * (density[k] + density[k - 1]) / 2;
  EXPECT_NEAR(sum, 1, 0.01);
  expect_plain(run_command({"eig", "poisson2d5:n=20", "--density", folder / "d.svg", "--lowest", "1"}));
  EXPECT_NE(read_file(folder / "d.svg").find("<polyline"), std::string::npos);
}

void write_diagonal(const std::string& path, const std::vector<double>& values) {
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate real symmetric\n"
       << values.size() << ' ' << values.size() << ' ' << values.size() << '\n';
  for (std::size_t i = 1; i <= values.size(); ++i) file << i << ' ' << i << ' ' << values[i - 1] << '\n';
}

TEST(Eig, RepeatedValuesAndBothEnds) {
  const Folder folder;
  write_diagonal(folder / "a.mtx", {1, 1, 2, 2, 3, 3});
  const std::pair<const char*, std::vector<double>> cases[] = {{"--lowest", {1, 1, 2}}, {"--highest", {3, 3, 2}}};
  for (const auto& [option, exact] : cases) {
    const Outcome text = run_command({"eig", folder / "a.mtx", option, "3"});
    expect_plain(text);
    EXPECT_NE(text.out.find("verified: nothing was missed"), std::string::npos) << text.out;
    const Json json = Json::parse(run_command({"eig", folder / "a.mtx", option, "3", "--json"}).out).at(option + 2);
    EXPECT_EQ(json.at("verified"), true);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(json.at("values").at(k), exact[k], 1e-12) << option;
  }
  const Outcome unchecked = run_command({"eig", "poisson2d5:n=30", "--no-check", "--lowest", "3"});
  expect_plain(unchecked);
  EXPECT_NE(unchecked.out.find("NOT VERIFIED"), std::string::npos) << unchecked.out;
}

TEST(Eig, LinesFitANarrowTerminal) {
  const Folder folder;
  write_diagonal(folder / "a.mtx", {1, 1, 2, 2, 3, 3});
  setenv("COLUMNS", "60", 1);
  std::istringstream lines(run_command({"eig", folder / "a.mtx", "--lowest", "3"}).out);
  unsetenv("COLUMNS");
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60u) << line;
}

// Rounding errors of an assembly: a matrix that `solve` takes as symmetric is one for `eig` too.
TEST(Eig, TakesWhatSolveTakesAsSymmetric) {
  const Folder folder;
  const auto write = [&](double error) {
    std::ofstream file(folder / "a.mtx");
    file.precision(17);
    file << "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 2\n2 2 2\n1 2 -1\n2 1 " << -1 + error << '\n';
  };
  write(1e-15);
  const Outcome outcome = run_command({"eig", folder / "a.mtx", "--lowest", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NEAR(Json::parse(outcome.out).at("lowest").at("values").at(0), 1, 1e-14);
  EXPECT_EQ(run_command({"eig", folder / "a.mtx", "--lowest", "2", "--precision", "float"}).code, 0);
  write(1e-6);
  expect_error(run_command({"eig", folder / "a.mtx"}), 1, "is not symmetric");
}

TEST(Eig, InteriorAndGeneralised) {
  const Folder folder;
  const int n = 60;
  write_second_difference(folder / "a.mtx", n);
  write_diagonal(folder / "m.mtx", std::vector<double>(60, 0.5));
  const auto exact = [&](int k) { return 2 - 2 * std::cos(k * M_PI / (n + 1)); };
  const Outcome near =
      run_command({"eig", folder / "a.mtx", "--near", std::to_string(exact(31) + 1e-4), "--num", "3", "--json"});
  const bool built =
      std::any_of(direct_packages().begin(), direct_packages().end(), [](const DirectPackage& p) { return p.built(); });
  if (!built) {
    expect_error(near, 1, "SuiteSparse");
    GTEST_SKIP() << "no direct solver in this build";
  }
  ASSERT_EQ(near.code, 0) << near.err;
  const Json found = Json::parse(near.out).at("near");
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found.at("values").at(static_cast<std::size_t>(k)), exact(30 + k), 1e-9);
  EXPECT_EQ(found.at("verified"), true) << found.at("check");
  for (const char* end : {"--lowest", "--highest"}) {
    const Outcome modes = run_command(
        {"eig", folder / "a.mtx", "--mass", folder / "m.mtx", end, "2", "--vectors", folder / "v.mtx", "--json"});
    ASSERT_EQ(modes.code, 0) << modes.err;
    const Json pairs = Json::parse(modes.out).at(end + 2);
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(pairs.at("values").at(static_cast<std::size_t>(k)), 2 * exact(end[2] == 'l' ? k + 1 : n - k), 1e-8);
    EXPECT_EQ(pairs.at("method"), "invert");
    EXPECT_EQ(pairs.at("verified"), true) << pairs.at("check");
  }
  // Slow for plain Lanczos, so `auto` factorises after a while.
  write_second_difference(folder / "long.mtx", 2000);
  const Outcome hard = run_command({"eig", folder / "long.mtx", "--lowest", "2", "--json"});
  ASSERT_EQ(hard.code, 0) << hard.err;
  const Json lowest = Json::parse(hard.out).at("lowest");
  EXPECT_EQ(lowest.at("method"), "invert");
  EXPECT_FALSE(lowest.at("before").get<std::string>().empty());
  EXPECT_NEAR(lowest.at("values").at(0).get<double>() / (2 - 2 * std::cos(M_PI / 2001)), 1, 1e-6);
  write_diagonal(folder / "m.mtx", std::vector<double>(60, -1.0));
  expect_error(run_command({"eig", folder / "a.mtx", "--mass", folder / "m.mtx", "--json"}), 1, "positive definite");
}

TEST(Eig, StartVectorBasisAndBlock) {
  const Folder folder;
  write_second_difference(folder / "a.mtx", 300);
  const Outcome cold =
      run_command({"eig", folder / "a.mtx", "--lowest", "1", "--vectors", folder / "v.mtx", "--json", "--no-check"});
  ASSERT_EQ(cold.code, 0) << cold.err;
  const Outcome warm = run_command({"eig", folder / "a.mtx", "--lowest", "1", "--start", folder / "v.mtx", "--basis",
                                    "20", "--block", "1", "--json", "--no-check", "--tol", "1e-9"});
  ASSERT_EQ(warm.code, 0) << warm.err;
  EXPECT_LT(Json::parse(warm.out).at("lowest").at("products"), Json::parse(cold.out).at("lowest").at("products"));
  expect_error(run_command({"eig", "poisson2d5:n=4", "--start", folder / "v.mtx"}), 1, "300 entries");
}

TEST(Eig, RefusesWhatItCannotDo) {
  const Folder folder;
  std::ofstream(folder / "a.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 2 3\n";
  expect_error(run_command({"eig", folder / "a.mtx"}), 1, "is not symmetric");
  expect_error(run_command({"eig", "poisson2d5:n=2", "--lowest", "5", "--json"}), 1, "has 4 eigenvalues");
  expect_error(run_command({"eig", "poisson2d5:n=4", "--density", folder / "d.png"}), 1, ".svg");
  expect_error(run_command({"eig", "poisson2d5:n=4", "--lowest", "2", "--near", "3"}), 1, "at a time");
  expect_error(run_command({"eig", "poisson2d5:n=4", "--method", "lanczos", "--near", "3"}), 1, "need a factorisation");
  const Outcome early = run_command({"eig", "poisson2d5:n=60", "--max-products", "31", "--method", "lanczos"});
  EXPECT_EQ(early.code, 4);
  EXPECT_TRUE(early.err.starts_with("millrace: not solved: ")) << early.err;
}

}  // namespace millrace::test
