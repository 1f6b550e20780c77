// Every format, scalar and promise of the product, on the host and, where there is one, on a GPU.
#include "product_checks.hpp"

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
TYPED_TEST(Product, PermutedBasis) { check_permuted_basis<TypeParam>(this->device()); }
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
TYPED_TEST(GpuProduct, PermutedBasis) { check_permuted_basis<TypeParam>(this->device()); }
TYPED_TEST(GpuProduct, WrappedArrays) {
  check_wrapping<TypeParam, std::int32_t>(this->device());
  check_wrapping<TypeParam, std::int64_t>(this->device());
}
TYPED_TEST(GpuProduct, Dot) { check_dot<TypeParam>(this->device()); }

TYPED_TEST(GpuProduct, TransposeWithoutPlanIsRefused) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  const SparseMatrix<T> m = SparseMatrix<T>(random_csr<T>(5, 4, 2, 1), "csr").to(Device::gpu());
  const Array<T> x(Device::gpu(), 5);
  Array<T> y(Device::gpu(), 4);
  const std::string text = error_of<Unsupported>([&] { m.apply(queue, {.x = x, .y = y, .op = Op::transpose}); });
  EXPECT_NE(text.find("prepare_transpose()"), std::string::npos) << text;
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
