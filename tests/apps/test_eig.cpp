// millrace eig: eigenvalues that are known, densities, vectors in a file, and what it refuses.
#include <cmath>
#include <nlohmann/json.hpp>

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

TEST(Eig, RefusesWhatItCannotDo) {
  const Folder folder;
  std::ofstream(folder / "a.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 2 3\n";
  expect_error(run_command({"eig", folder / "a.mtx"}), 1, "is not symmetric");
  expect_error(run_command({"eig", "poisson2d5:n=2", "--lowest", "5", "--json"}), 1, "has 4 eigenvalues");
  expect_error(run_command({"eig", "poisson2d5:n=4", "--density", folder / "d.png"}), 1, ".svg");
  const Outcome early = run_command({"eig", "poisson2d5:n=60", "--max-products", "31"});
  EXPECT_EQ(early.code, 4);
  EXPECT_TRUE(early.err.starts_with("millrace: not solved: ")) << early.err;
}

}  // namespace millrace::test
