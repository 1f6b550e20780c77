// Rows in bfloat16 in slices on a GPU against rows in bfloat16 on the host, and prolongators against a plain loop.
#include "millrace/precond/multigrid/narrow_rows.hpp"
#include "millrace/precond/multigrid/narrow_slices.hpp"
#include "millrace/sparse/assemble.hpp"
#include "on_gpu.hpp"
#include "precond/precond_tools.hpp"

namespace millrace::testing {
namespace {

using multigrid::FusedResidual;
using multigrid::NarrowRows;
using multigrid::RowPattern;
using multigrid::SlicedMatrix;
using multigrid::SlicedTransfer;

template <class T>
struct GpuSlices : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuSlices, Reals);

template <class T>
constexpr double slices_bound = sizeof(T) == 8 ? 1e-13 : 1e-5;

/// Rows of up to `most` entries beside the diagonal, one far longer, some empty but for it.
Csr<double> ragged_matrix(Index n, Index most) {
  Random random(5);
  std::vector<Triplet<double>> entries;
  for (Index r = 0; r < n; ++r) {
    entries.push_back({r, r, 20 + random.uniform()});
    const Index length = r == n / 2 ? 5 * most : r % 7 == 0 ? 0 : random.below(most + 1);
    for (Index k = 0; k < length; ++k)
      if (const Index column = random.below(n); column != r) entries.push_back({r, column, random.uniform()});
  }
  return make_csr(n, n, entries);
}

template <class T>
void expect_near_all(const std::vector<T>& found, const std::vector<T>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 1;
  for (const T value : expected) largest = std::max(largest, double{std::abs(value)});
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], slices_bound<T> * largest) << what << ", row " << i;
}

TYPED_TEST(GpuSlices, MultiplyAsRowsOfTheHost) {
  using T = TypeParam;
  Queue host(Device::host(), 2), queue(Device::gpu());
  for (const auto& [n, most] : {std::pair<Index, Index>{1, 0}, {255, 3}, {257, 40}, {3000, 33}}) {
    const std::string what = join(n, " rows, up to ", most, " entries");
    Csr<T> a = convert_values<T>(ragged_matrix(n, most));
    NarrowRows<T> expected(host, a);
    SlicedMatrix<T> found(queue, a.to(Device::gpu()));
    EXPECT_EQ(found.shape(), expected.shape());
    const std::vector<T> x = random_vector<T>(n, 3), b = random_vector<T>(n, 4);
    const Array<T> x_there = on_gpu(x), b_there = on_gpu(b);
    for (const T scale : {T(1), T(3)}) {  // new values, too
      for (T& value : a.vals.span()) value *= scale;
      if (scale != T(1)) expected.update(host, a), found.update(queue, a.to(Device::gpu()));
      std::vector<T> y = b, left = b;
      expected.apply(host, {.alpha = T(2), .x = x, .beta = T(-1), .y = y});
      Array<T> y_there = on_gpu(b), left_there = on_gpu(std::vector<T>(b.size(), std::numeric_limits<T>::quiet_NaN()));
      found.apply(queue, {.alpha = T(2), .x = x_there, .beta = T(-1), .y = y_there});
      queue.wait();
      expect_near_all(y_there.to_vector(), y, what);
      expected.apply(host, {.alpha = T(-1), .x = x, .beta = T(1), .y = left});
      found.residual(queue, x_there.data(), FusedResidual<T>{b_there.data(), left_there.data()});
      queue.wait();
      expect_near_all(left_there.to_vector(), left, what + ", the residual");
    }
  }
  Csr<T> bad = convert_values<T>(ragged_matrix(300, 5));
  bad.vals.data()[77] = std::numeric_limits<T>::infinity();
  EXPECT_THROW(SlicedMatrix<T>(queue, bad.to(Device::gpu())), Error);
}

/// Near columns as those of a prolongator, far ones as those of its transpose.
TYPED_TEST(GpuSlices, TransfersAreThoseOfAPlainLoop) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  Random random(9);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{5000, 600}, {300, 200000}, {1, 1}}) {
    std::vector<Offset> row_ptr{0};
    std::vector<Index> columns;
    std::vector<T> values;
    for (Index r = 0; r < rows; ++r) {
      Index column = random.below(std::max(1, cols / 2));
      for (Index k = random.below(5); k > 0 && column < cols; --k, column += 1 + random.below(std::max(1, cols / 9)))
        columns.push_back(column), values.push_back(static_cast<T>(random.uniform()));
      row_ptr.push_back(std::ssize(columns));
    }
    const RowPattern pattern{rows, cols, on_gpu(row_ptr), on_gpu(columns)};
    const Array<T> values_there = on_gpu(values);
    const SlicedTransfer<T> found(queue, pattern, nullptr, values_there.data());
    const std::vector<T> x = random_vector<T>(cols, 3);
    std::vector<T> expected = random_vector<T>(rows, 4);
    const Array<T> x_there = on_gpu(x);
    Array<T> y = on_gpu(expected);
    found.apply(queue, {.alpha = T(1.5), .x = x_there, .beta = T(1), .y = y});
    queue.wait();
    for (std::size_t r = 0; r < expected.size(); ++r)
      for (std::size_t s = to_size(row_ptr[r]); s < to_size(row_ptr[r + 1]); ++s)
        expected[r] += T(1.5) * static_cast<T>(static_cast<float>(Bfloat16(static_cast<float>(values[s])))) *
                       x[to_size(columns[s])];
    expect_near_all(y.to_vector(), expected, join(rows, " by ", cols));
  }
}

}  // namespace
}  // namespace millrace::testing
