// NVIDIA's libraries as peers on a GPU: right on small block matrices, and refusing the others with a reason.
#include <gtest/gtest.h>

#include <map>

#include "command.hpp"
#include "millrace/bench/contender.hpp"
#include "millrace/bench/features.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/reference.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::command {

// What every peer says of itself after a right product, or why it does not serve.
struct GpuPeers {
  std::map<std::string, ContenderFacts> ran;
  std::map<std::string, std::string> skipped;
};

template <class T>
GpuPeers run_gpu_peers(const std::string& spec) {
  const Csr<T> a = convert_values<T>(gallery::make(spec));
  Queue queue(Device::gpu());
  std::vector<T> x;
  for (Index i = 0; i < a.num_cols; ++i) x.push_back(random_value<T>(3, static_cast<std::uint64_t>(i)));
  const Reference<T> reference(a, x, 1, 2);
  const Array<T> poison(a.num_rows, T{std::numeric_limits<RealOf<T>>::quiet_NaN()});
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(queue.device());
  Array<T> y(queue.device(), a.num_rows);
  const Problem<T> problem{
      a, queue, {queue.device(), x_there.data(), a.num_cols, 1}, {queue.device(), y.data(), a.num_rows, 1}};
  GpuPeers results;
  for (const Maker<T>& maker : peers(problem)) {
    try {
      Contender<T> contender = maker.make();
      for (int run = 0; run < 2; ++run) {
        y.assign(poison.device_span());
        contender.run();
        queue.wait();
        EXPECT_TRUE(reference.check(y.to_vector()).ok()) << maker.name << " on " << spec;
      }
      EXPECT_FALSE(contender.facts.own);
      EXPECT_GE(contender.facts.moved_bytes, a.vals.bytes()) << maker.name;
      results.ran[maker.name] = contender.facts;
    } catch (const Unsupported& error) {
      results.skipped[maker.name] = error.what();
    }
  }
  return results;
}

template <class T>
class GpuPeersOf : public testing::Test {};
using RealScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(GpuPeersOf, RealScalars);

TYPED_TEST(GpuPeersOf, MultiplyBlockMatrices) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here";
  for (const char* spec : {"hdg:m=8,faces=60", "cfd:n=4,block=5"}) {  // with the same number of blocks per row and not
    const GpuPeers results = run_gpu_peers<TypeParam>(spec);
    for (const char* name : {"cusparse csr alg1", "cusparse csr alg2", "cusparse coo alg1", "cusparse coo alg2",
                             "cusparse sell alg1", "cusparse bsr alg1"})
      EXPECT_EQ(results.ran.contains(name), features::cusparse) << name << " on " << spec;
    EXPECT_EQ(results.ran.contains("cublas gather + gemv"), features::cublas) << spec;
  }
}

TEST(GpuPeers, SayWhyTheyDoNotRun) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here";
  GpuPeers results = run_gpu_peers<double>("poisson3d7:n=6");
  EXPECT_EQ(results.skipped["cusparse bsr alg1"].find("no dense blocks") != std::string::npos, features::cusparse);
  EXPECT_EQ(results.skipped["cublas gather + gemv"].find("dense blocks of 1;") != std::string::npos, features::cublas);
  const GpuPeers complex = run_gpu_peers<std::complex<float>>("hdg:m=8,faces=60");
  EXPECT_EQ(complex.ran.contains("cusparse bsr alg1"), features::cusparse);
  EXPECT_EQ(complex.skipped.contains("cublas gather + gemv"), features::cublas);
  const GpuPeers wide = run_gpu_peers<std::complex<double>>("hdg:m=8,faces=60");
  for (const char* name : {"cusparse csr alg1", "cusparse csr alg2", "cusparse coo alg1", "cusparse bsr alg1"})
    EXPECT_EQ(wide.ran.contains(name), features::cusparse) << name;
}

}  // namespace millrace::command
