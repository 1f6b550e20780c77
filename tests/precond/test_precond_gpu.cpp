// Preconditioners on a GPU against the same on the host: made there or moved there, in all precisions and sizes, again
// and again on one queue, inside a CUDA graph, with new values.
#include "millrace/base/timer.hpp"
#include "millrace/precond/block_jacobi.hpp"
#include "millrace/precond/jacobi.hpp"
#include "on_gpu.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

template <class T>
struct GpuPrecond : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
};
TYPED_TEST_SUITE(GpuPrecond, Scalars);

constexpr Precision precisions[] = {Precision::full, Precision::single, Precision::bfloat16};

/// Rows of `length` entries at random places, in falling order, and a dominant diagonal.
template <class T>
Csr<T> dominant(Index n, Index length, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(n));
  for (Index r = 0; r < n; ++r) {
    std::vector<Index> cols{r};
    for (Index k = 0; k < length; ++k) cols.push_back(random.below(n));
    std::sort(cols.rbegin(), cols.rend());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    for (const Index c : cols)
      rows[static_cast<std::size_t>(r)].push_back(
          {c, c == r ? T(static_cast<RealOf<T>>(2 * length + 2)) : random.value<T>()});
  }
  return csr_of<T>(n, rows);
}

/// Both give the same within `bound` of the largest entry; twice, with the same bits, and scaled into a vector.
template <class T>
void expect_equal(const Operator<T>& host, const Operator<T>& gpu, double bound, const std::string& what) {
  const auto n = host.shape().rows;
  ASSERT_EQ(gpu.shape(), host.shape()) << what;
  ASSERT_EQ(gpu.device(), Device::gpu()) << what;
  EXPECT_EQ(gpu.traffic().minimum, host.traffic().minimum) << what;
  const std::vector<T> x = random_vector<T>(2 * n, 41), before = random_vector<T>(2 * n, 42);
  std::vector<T> expected = before;
  Queue host_queue(Device::host(), 1), queue(Device::gpu());
  const Array<T> x_gpu = on_gpu(x);
  const Vectors<const T> x_host(Device::host(), x.data(), n, 2);
  std::vector<T> last;
  for (int run = 0; run < 3; ++run) {
    Array<T> y =
        on_gpu(std::vector<T>(static_cast<std::size_t>(2 * n), T(std::numeric_limits<RealOf<T>>::quiet_NaN())));
    gpu.apply(queue, {.x = {x_gpu, 2}, .y = {y, 2}});
    queue.wait();
    const std::vector<T> found = y.to_vector();
    EXPECT_TRUE(run == 0 || same_bits<T>(found, last)) << what;
    last = found;
  }
  std::vector<T> plain(x.size());
  host.apply(host_queue, {.x = x_host, .y = {Device::host(), plain.data(), n, 2}});
  double largest = 0;
  for (const T& v : plain) largest = std::max(largest, static_cast<double>(std::abs(v)));
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_LE(std::abs(plain[i] - last[i]), bound * largest) << what << i;
  Array<T> y = on_gpu(before);
  gpu.apply(queue, {.alpha = T(2), .x = {x_gpu, 2}, .beta = T(-1), .y = {y, 2}});
  host.apply(host_queue, {.alpha = T(2), .x = x_host, .beta = T(-1), .y = {Device::host(), expected.data(), n, 2}});
  queue.wait();
  const std::vector<T> scaled = y.to_vector();
  for (std::size_t i = 0; i < scaled.size(); ++i)
    ASSERT_LE(std::abs(expected[i] - scaled[i]), bound * (2 * largest + 1)) << what << i;
}

/// As often as a graph is replayed, with the bits of the plain application.
template <class T>
void expect_capturable(const Operator<T>& gpu) {
  const std::vector<T> x = random_vector<T>(gpu.shape().rows, 43);
  const Array<T> x_gpu = on_gpu(x);
  Queue queue(Device::gpu());
  Array<T> y(Device::gpu(), std::ssize(x));
  const auto work = [&] { gpu.apply(queue, {.x = x_gpu, .y = y}); };
  work();
  queue.wait();
  const std::vector<T> expected = y.to_vector();
  const Graph graph(queue, work, 3);
  for (int i = 0; i < 3; ++i) {
    y.assign(std::span<const T>(std::vector<T>(x.size(), T(-1))));
    graph.replay();
    queue.wait();
    EXPECT_TRUE(same_bits<T>(y.to_vector(), expected));
  }
}

TYPED_TEST(GpuPrecond, Jacobi) {
  using T = TypeParam;
  Queue host(Device::host(), 1), queue(Device::gpu());
  for (const Index n : {0, 1, 31, 33, 1000})
    for (const Precision precision : precisions) {
      const Csr<T> a = tridiagonal<T>(n, 1, false), b = a.to(Device::gpu());
      const Jacobi<T> m(host, a, {precision});
      expect_equal<T>(m, m.to(Device::gpu()), 8 * eps<T>, "moved");
      expect_equal<T>(m, Jacobi<T>(queue, b, {precision}), 8 * eps<T> + 2 * m.inverse_diagonal().rounding(), "made");
    }
  const Csr<T> zero = csr_of<T>(3, {{{0, T(1)}}, {{1, T(2)}}, {{0, T(1)}}}).to(Device::gpu());
  EXPECT_NE(error_of([&] { Jacobi<T>(queue, zero); }).find("row 2 is zero or missing"), std::string::npos);
  expect_capturable<T>(Jacobi<T>(queue, tridiagonal<T>(1000, 1, false).to(Device::gpu())));
}

TYPED_TEST(GpuPrecond, BlockJacobi) {
  using T = TypeParam;
  Queue host(Device::host(), 1), queue(Device::gpu());
  for (const Index size : {1, 2, 3, 5, 8, 31, 32, 33, 130})
    for (const Precision precision : precisions) {
      const Csr<T> a = dominant<T>(300, 40, 2), b = a.to(Device::gpu());
      BlockJacobiOptions options;
      options.size = size;
      options.precision = precision;
      const BlockJacobi<T> m(host, a, options);
      const double bound = 200 * eps<T> + 4 * m.inverses().rounding();
      expect_equal<T>(m, m.to(Device::gpu()), 200 * eps<T>, join("moved, blocks of ", size));
      expect_equal<T>(m.to(Device::gpu()).to(Device::host()), BlockJacobi<T>(queue, b, options), bound,
                      join("made, blocks of ", size));
    }
  BlockJacobiOptions options;
  options.starts = {0, 7, 8, 40, 72, 73, 100, 131, 160};
  const Csr<T> a = dominant<T>(160, 10, 3);
  const BlockJacobi<T> m(host, a, options);
  BlockJacobi<T> made(queue, a.to(Device::gpu()), options);
  expect_equal<T>(m, made, 200 * eps<T>, "blocks of many sizes");
  expect_capturable<T>(made);
  const Csr<T> other = dominant<T>(160, 10, 4);
  made.update_values(queue, other.to(Device::gpu()));
  expect_equal<T>(BlockJacobi<T>(host, other, options), made, 200 * eps<T>, "new values");
}

TYPED_TEST(GpuPrecond, BlockJacobiNeedsPivots) {
  using T = TypeParam;
  Queue host(Device::host(), 1), queue(Device::gpu());
  Random random(9);
  std::vector<std::vector<std::pair<Index, T>>> rows(64);
  for (Index r = 0; r < 64; ++r)  // large entries off the diagonal, none on it
    for (Index j = 0; j < 32; ++j)
      if (j != r % 32)
        rows[static_cast<std::size_t>(r)].push_back(
            {r / 32 * 32 + j, random.value<T>() + (j == (r * 5 + 3) % 32 ? T(9) : T(0))});
  const Csr<T> a = csr_of<T>(64, rows);
  BlockJacobiOptions options;
  options.size = 32;
  expect_equal<T>(BlockJacobi<T>(host, a, options), BlockJacobi<T>(queue, a.to(Device::gpu()), options), 1e5 * eps<T>,
                  "pivots");
  const Csr<T> singular =
      csr_of<T>(4, {{{0, T(1)}}, {{1, T(1)}}, {{2, T(1)}, {3, T(2)}}, {{2, T(2)}, {3, T(4)}}}).to(Device::gpu());
  options.size = 2;
  EXPECT_NE(error_of([&] { BlockJacobi<T>(queue, singular, options); }).find("rows 2 to 3 is singular"),
            std::string::npos);
}

TYPED_TEST(GpuPrecond, IncompleteFactors) {
  using T = TypeParam;
  Queue host(Device::host(), 1), queue(Device::gpu());
  std::vector<Csr<T>> matrices;
  for (const Index n : {0, 1, 2, 33}) matrices.push_back(tridiagonal<T>(n, 5, true));
  matrices.push_back(grid_matrix<T>(70, 50, 6, true));
  matrices.push_back(grid_matrix<T>(70, 50, 6, true, false));
  for (const Csr<T>& a : matrices)
    for (const bool hermitian : {false, true})
      for (const int sweeps : {0, 3})
        for (const Precision precision : precisions) {
          IncompleteOptions options;
          options.precision = precision;
          options.sweeps = sweeps;
          const Csr<T> b = a.to(Device::gpu());
          const Incomplete<T> m = hermitian ? ic0(host, a, options) : ilu0(host, a, options);
          const Incomplete<T> made = hermitian ? ic0(queue, b, options) : ilu0(queue, b, options);
          expect_equal<T>(m, m.to(Device::gpu()), 200 * eps<T>, "moved");
          expect_equal<T>(m, made, 200 * eps<T> + 8 * m.factors().rounding(), "made");
          EXPECT_EQ(made.report().num_levels, m.report().num_levels);
        }
}

TYPED_TEST(GpuPrecond, LongRowsAndNewValues) {
  using T = TypeParam;
  Queue host(Device::host(), 1), queue(Device::gpu());
  for (const Index length : {6, 40, 150}) {  // 1, 4 and 32 lanes per row
    const Csr<T> a = dominant<T>(1500, length, 7);
    const Incomplete<T> m = ilu0(host, a);
    Incomplete<T> made = ilu0(queue, a.to(Device::gpu()));
    expect_equal<T>(m, m.to(Device::gpu()), 500 * eps<T>, "moved");
    expect_equal<T>(m, made, 500 * eps<T>, "made");
    expect_capturable<T>(made);
    Csr<T> other = a.clone();
    const std::vector<T> factors = random_vector<T>(other.num_entries(), 8);
    for (Offset s = 0; s < other.num_entries(); ++s)
      other.vals.data()[s] *= T(1) + factors[static_cast<std::size_t>(s)] / T(4);
    const Index* structure = made.pattern().lower_columns().data();
    made.update_values(queue, other.to(Device::gpu()));
    EXPECT_EQ(made.pattern().lower_columns().data(), structure);
    expect_equal<T>(ilu0(host, other), made, 500 * eps<T>, "new values");
  }
}

TYPED_TEST(GpuPrecond, BlockIncompleteFactors) {
  using T = TypeParam;
  Queue host(Device::host(), 1), queue(Device::gpu());
  for (const Index block : {2, 3, 8, 9, 32, 33, 100, 270, 330})
    for (const Precision precision : {Precision::full, Precision::bfloat16}) {
      const Csr<T> a = dominant<T>(block * (block < 100 ? 7 : 3) + 1, 30, 8);
      IncompleteOptions options;
      options.block = block;
      options.precision = precision;
      const Incomplete<T> m = ilu0(host, a, options);
      expect_equal<T>(m, m.to(Device::gpu()), 500 * eps<T>, join("moved, blocks of ", block));
      expect_equal<T>(m, ilu0(queue, a.to(Device::gpu()), options), 500 * eps<T>, join("made, blocks of ", block));
    }
  const Csr<T> a = dominant<T>(4000, 6, 9);
  const SparseMatrix<T> bsr = SparseMatrix<T>(a, "bsr-4").to(Device::gpu());
  const Incomplete<T> m = block_ilu0(queue, bsr);
  EXPECT_EQ(m.pattern().block(), 4);
  expect_capturable<T>(m);
  expect_equal<T>(block_ilu0(host, SparseMatrix<T>(a, "bsr-4")), m, 500 * eps<T>, "bsr");
}

TYPED_TEST(GpuPrecond, PivotsAndShifts) {
  using T = TypeParam;
  Queue host(Device::host(), 1), queue(Device::gpu());
  const Csr<T> a = csr_of<T>(3, {{{1, T(2)}}, {{0, T(4)}, {1, T(0)}}, {}});
  const Incomplete<T> m = ilu0(host, a), made = ilu0(queue, a.to(Device::gpu()));
  EXPECT_EQ(made.report().text(), m.report().text());
  expect_equal<T>(m, made, 8 * eps<T>, "zero pivots");
  Csr<T> weak = grid_matrix<T>(20, 20, 3, true);
  for (Offset s = 0; s < weak.num_entries(); ++s)
    if (weak.vals.data()[s] == T(6)) weak.vals.data()[s] = T(0.875);
  const Incomplete<T> shifted = ic0(host, weak), made_shifted = ic0(queue, weak.to(Device::gpu()));
  EXPECT_GT(made_shifted.report().shift, 0);
  EXPECT_EQ(made_shifted.report().attempts, shifted.report().attempts);
  const Csr<T> nan = csr_of<T>(2, {{{0, T(std::numeric_limits<RealOf<T>>::quiet_NaN())}}, {{1, T(1)}}});
  EXPECT_NE(error_of([&] { ilu0(queue, nan.to(Device::gpu())); }).find("row 0 is not a number"), std::string::npos);
}

TYPED_TEST(GpuPrecond, NumbersThatAreNoneDoNotHang) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  const Incomplete<T> m = ilu0(queue, grid_matrix<T>(40, 40, 6, false).to(Device::gpu()));
  std::vector<T> x = random_vector<T>(1600, 3);
  std::memset(static_cast<void*>(x.data()), 0xff, sizeof(T));  // the NaN whose bits are all ones
  const Array<T> x_gpu = on_gpu(x);
  Array<T> y(Device::gpu(), 1600);
  m.apply(queue, {.x = x_gpu, .y = y});
  queue.wait();
  EXPECT_TRUE(std::isnan(std::abs(y.to_vector()[0])));
  const std::vector<T> good = random_vector<T>(1600, 4);
  const Array<T> good_gpu = on_gpu(good);
  m.apply(queue, {.x = good_gpu, .y = y});
  queue.wait();
  for (const T& v : y.to_vector()) EXPECT_TRUE(std::isfinite(std::abs(v)));
}

}  // namespace
}  // namespace millrace::testing
