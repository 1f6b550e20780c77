// Every verb that runs on a GPU, in every precision it has, with all peers of the build.
#include "millrace/base/device.hpp"
#include "millrace/bench/features.hpp"
#include "millrace/bench/precision.hpp"
#include "run_command.hpp"

namespace millrace::test {

void expect_runs(const std::vector<std::string>& words) {
  const Outcome outcome = run_command(words);
  std::string line;
  for (const std::string& word : words) line += ' ' + word;
  EXPECT_EQ(outcome.code, 0) << "millrace" << line << '\n' << outcome.err;
  EXPECT_NE(outcome.out, "") << line;
}

TEST(GpuVerbs, RunInAllPrecisionsWithAllPeers) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Folder folder;
  bench::for_each_scalar([&]<class T>() {
    const std::string precision = scalar_name<T>();
    const std::vector<std::string> on_gpu{"--device", "gpu", "--precision", precision};
    const auto run = [&](std::vector<std::string> words) {
      words.insert(words.end(), on_gpu.begin(), on_gpu.end());
      expect_runs(words);
    };
    const auto bench = [&](const std::string& matrix, const std::string& rhs) {
      const Outcome outcome = run_command({"bench", matrix, "--rhs", rhs, "--hot", "--min-time", "0", "--formats",
                                           "csr,coo,sell-32-1,bsr", "--device", "gpu", "--precision", precision});
      EXPECT_EQ(outcome.code, 0) << matrix << ' ' << precision << '\n' << outcome.err;
      EXPECT_EQ(outcome.out.find("signal"), std::string::npos) << outcome.out;
      const char* peer = rhs == "1" ? "peer cusparse csr alg2" : "peer cusparse csr spmm alg3";
      EXPECT_EQ(outcome.out.find(peer) != std::string::npos, bench::features::cusparse) << precision << outcome.out;
    };
    bench("powerlaw:n=2000", "1");
    bench("hdg:m=4,faces=60", "4");
    run({"inspect", "poisson2d5:n=30", "--read-gb-s", "1000"});
    run({"solve", "poisson2d5:n=30"});
    run({"eig", "poisson2d5:n=30", "--lowest", "2"});
    const std::string file = folder / (precision + ".mrx");
    const Outcome converted = run_command({"convert", "poisson2d5:n=30", "-o", file, "--precision", precision});
    EXPECT_EQ(converted.code, 0) << converted.err;
    run({"inspect", file, "--read-gb-s", "1000"});
    if constexpr (!is_complex<T>) {
      for (const char* element : {"hex", "tet"})
        run({"bp", "3", "--order", "2", "--dofs", "3000", "--element", element});
      expect_runs({"tune-gemm", "--device", "gpu", "--orders", "1", "--n", "500", "--min-time", "0", "--precision",
                   precision, "-o", folder / (precision + ".txt")});
    }
  });
  expect_runs({"devices"});
}

}  // namespace millrace::test
