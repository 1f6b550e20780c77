// Every format, scalar and promise of the product, on the host and, where there is one, on a GPU.
#include "sparse/product/product_checks.hpp"

namespace millrace::testing {

template <class T>
struct Product : ::testing::Test {
  static Device device() { return Device::host(); }
};
template <class T>
struct GpuProduct : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  static Device device() { return Device::gpu(); }
};
TYPED_TEST_SUITE(Product, Scalars);
TYPED_TEST_SUITE(GpuProduct, Scalars);

TYPED_TEST(Product, ConcurrentQueues) { check_concurrent_queues<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, ConcurrentQueues) { check_concurrent_queues<TypeParam>(this->device()); }

TYPED_TEST(Product, Sizes) { check_sizes<TypeParam>(this->device()); }
TYPED_TEST(Product, AlphaAndBeta) { check_scalars<TypeParam>(this->device()); }
TYPED_TEST(Product, SeveralVectors) { check_several_vectors<TypeParam>(this->device()); }
TYPED_TEST(Product, SeveralVectorsOfBlocks) { check_several_vectors_of_blocks<TypeParam>(this->device()); }
TYPED_TEST(Product, TransposeScattered) { check_transposes<TypeParam>(this->device(), false); }
TYPED_TEST(Product, TransposePlanned) { check_transposes<TypeParam>(this->device(), true); }
TYPED_TEST(Product, UpdateValues) { check_update_values<TypeParam>(this->device()); }
TYPED_TEST(Product, ReorderedVectors) { check_reordered_vectors<TypeParam>(this->device()); }
TYPED_TEST(Product, WrappedArrays) {
  check_wrapping<TypeParam, std::int32_t>(this->device());
  check_wrapping<TypeParam, std::int64_t>(this->device());
}
TYPED_TEST(Product, Dot) { check_dot<TypeParam>(this->device()); }

TYPED_TEST(GpuProduct, Sizes) { check_sizes<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, AlphaAndBeta) { check_scalars<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, SeveralVectors) { check_several_vectors<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, SeveralVectorsOfBlocks) { check_several_vectors_of_blocks<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, Transpose) { check_transposes<TypeParam>(this->device(), true); }
TYPED_TEST(GpuProduct, UpdateValues) { check_update_values<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, ReorderedVectors) { check_reordered_vectors<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, WrappedArrays) {
  check_wrapping<TypeParam, std::int32_t>(this->device());
  check_wrapping<TypeParam, std::int64_t>(this->device());
}
TYPED_TEST(GpuProduct, Dot) { check_dot<TypeParam>(this->device()); }

// The first of them builds what it needs, whichever thread brings it; a plan made before gives the same bits.
TYPED_TEST(GpuProduct, TransposeBuildsItsPlanOnce) {
  using T = TypeParam;
  const Device gpu = Device::gpu();
  const Csr<T> a = random_csr<T>(500, 400, 7, 1);
  const Array<T> x = Array<T>(std::span<const T>(random_vector<T>(500, 2))).to(gpu);
  const std::vector<T> nothing(400);
  for (const char* spec : {"csr", "sell-32-64", "hyb", "bsr-2"}) {
    const SparseMatrix<T> lazy = SparseMatrix<T>(a, spec).to(gpu), prepared = lazy.to(gpu);
    Queue own(gpu);
    prepared.prepare_transpose(own);
    EXPECT_TRUE(prepared.transpose_prepared());
    EXPECT_TRUE(prepared.to(gpu).transpose_prepared()) << "a copy keeps the plan";
    EXPECT_FALSE(lazy.transpose_prepared());
    std::vector<std::vector<T>> found(5);
    const auto product = [&](const SparseMatrix<T>& m, std::vector<T>& y) {
      Queue queue(gpu);
      Array<T> y_there(gpu, 400);
      m.apply(queue, {.x = x, .y = y_there, .op = Op::transpose});
      queue.wait();
      y = y_there.to_vector();
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i) threads.emplace_back([&, i] { product(lazy, found[i]); });
    for (std::thread& thread : threads) thread.join();
    product(prepared, found[4]);
    EXPECT_TRUE(lazy.transpose_prepared());
    for (const std::vector<T>& y : found) EXPECT_TRUE(same_bits<T>(y, found[0])) << spec;
    expect_within<T>(reference<T>(a, Op::transpose, T{1}, x.to_vector(), T{0}, nothing), found[0], spec);
  }
}

// On the host a transposed product does without, and a plan may be built beside products.
TYPED_TEST(Product, TransposePlanIsBuiltBesideProducts) {
  using T = TypeParam;
  const Csr<T> a = random_csr<T>(500, 400, 7, 1);
  const std::vector<T> x = random_vector<T>(500, 2), nothing(400);
  const SparseMatrix<T> m(a, "csr");
  std::vector<std::vector<T>> found(4, std::vector<T>(400));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Queue queue(Device::host(), 1);
      if (i % 2 == 0) m.prepare_transpose(queue);
      m.apply(queue, {.x = x, .y = found[i], .op = Op::transpose});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(m.transpose_prepared());
  for (const std::vector<T>& y : found)
    expect_within<T>(reference<T>(a, Op::transpose, T{1}, x, T{0}, nothing), y, "transposed");
}

TYPED_TEST(Product, TheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const Csr<T> a = random_csr<T>(20000, 3000, 9, 91, 77);
  const std::vector<T> x = random_vector<T>(3000, 92);
  for (const std::string& spec : format_specs()) {
    const std::optional<SparseMatrix<T>> m = in_format(a, spec);
    if (!m) continue;
    std::vector<T> one(20000), three(20000);
    Queue alone(Device::host(), 1), several(Device::host(), 3);
    m->apply(alone, {.x = x, .y = one});
    m->apply(several, {.x = x, .y = three});
    EXPECT_TRUE(same_bits<T>(one, three)) << spec;
  }
}

// A row so long that the threads share it.
TYPED_TEST(Product, TheSameBitsOfAHugeRow) {
  using T = TypeParam;
  const Csr<T> a = random_csr<T>(300, 120000, 2, 95, 150);
  const std::vector<T> x = random_vector<T>(120000, 96), nothing(300);
  for (const char* spec : {"csr", "coo", "hyb", "jds"}) {
    const SparseMatrix<T> m(a, spec);
    std::vector<T> one(300), four(300);
    Queue alone(Device::host(), 1), several(Device::host(), 4);
    m.apply(alone, {.x = x, .y = one});
    m.apply(several, {.x = x, .y = four});
    EXPECT_TRUE(same_bits<T>(one, four)) << spec;
    expect_within<T>(reference<T>(a, Op::none, T{1}, x, T{0}, nothing), four, spec);
  }
}

TYPED_TEST(Product, Linearity) {
  using T = TypeParam;
  const Csr<T> a = banded_csr<T>(200, 150, 7, 93);
  const std::vector<T> u = random_vector<T>(150, 94);
  std::vector<T> twice(u), yu(200), y2(200);
  for (T& value : twice) value *= RealOf<T>(2);
  Queue queue;
  for (const std::string& spec : format_specs()) {
    const SparseMatrix<T> m(a, spec);
    m.apply(queue, {.x = u, .y = yu});
    m.apply(queue, {.x = twice, .y = y2});
    for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(y2[i], RealOf<T>(2) * yu[i]) << spec;  // exact: a power of two
  }
}

}  // namespace millrace::testing
