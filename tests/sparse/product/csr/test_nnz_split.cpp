// The nonzero split: where rows end, entry by entry on the host, and products by it on a GPU.
#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/product/csr/make_nnz_split.hpp"
#include "on_gpu.hpp"
#include "sparse/convert/backward_steps.hpp"
#include "sparse/product/gpu_products.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

/// The same rows with some without entries in front, between, and at the end.
Csr<double> with_empty_rows(const Csr<double>& all) {
  std::vector<std::int64_t> row_ptr(41, 0);
  for (Index r = 1; r <= all.num_rows; ++r)
    for (int repeat = r % 100 == 0 ? 40 : 1; repeat > 0; --repeat) row_ptr.push_back(all.row_begin(r));
  const auto num_rows = static_cast<Index>(row_ptr.size()) - 1;
  return Csr<double>(num_rows, all.num_cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
                     all.cols.clone(), all.vals.clone());
}

void expect_split_of(const Csr<double>& a, Index chunk) {
  BackwardSteps steps;
  const NnzSplit split = convert::make_nnz_split(steps, convert::rows_of(a), chunk);
  const NnzSplitView view = split.view();
  EXPECT_EQ(view.num_chunks, (a.num_entries() + chunk - 1) / chunk);
  EXPECT_EQ(split.ends.size(), Offset{view.num_chunks} * chunk / 32);
  std::vector<int> seen(static_cast<std::size_t>(a.num_rows));
  Index ended = 0;
  for (Offset s = 0; s < split.ends.size() * 32; ++s) {
    const RowEnds& ends = view.ends[s / 32];
    ASSERT_TRUE(s % 32 != 0 || ends.before == ended) << "entry " << s;
    if (!(ends.bits >> s % 32 & 1)) continue;
    const Index r = view.row(ended++);
    ASSERT_EQ(a.row_begin(r + 1), s + 1);
    ASSERT_GT(a.row_length(r), 0);
    ++seen[static_cast<std::size_t>(r)];
  }
  for (Index i = 0; i < view.num_empty; ++i) {
    ASSERT_EQ(a.row_length(view.empty[i]), 0);
    ++seen[static_cast<std::size_t>(view.empty[i])];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), a.num_rows);
  EXPECT_EQ(view.filled == nullptr, view.num_empty == 0);
  for (Index k = 0; k <= view.num_chunks; ++k) {
    const Offset at = Offset{k} * chunk;
    SpanningRow expected{k, k};
    for (Index r = 0; r < a.num_rows; ++r)
      if (a.row_begin(r) < at && a.row_begin(r + 1) > at)
        expected = {static_cast<Index>(a.row_begin(r) / chunk), static_cast<Index>((a.row_begin(r + 1) - 1) / chunk)};
    EXPECT_EQ(view.spanning[k].first, expected.first) << "chunk " << k;
    EXPECT_EQ(view.spanning[k].last, expected.last) << "chunk " << k;
  }
}

TEST(NnzSplit, EveryRowEndsOnce) {
  const Csr<double> powerlaw = gallery::make("powerlaw:n=1000"), huge = gallery::make("hugerow:n=1000");
  for (const Index chunk : {32, 128, 1024, 65536}) {
    expect_split_of(powerlaw, chunk);
    expect_split_of(with_empty_rows(powerlaw), chunk);
    expect_split_of(huge, chunk);
    expect_split_of(with_empty_rows(huge), chunk);
  }
}

TEST(NnzSplit, OfNoEntries) {
  BackwardSteps steps;
  const Csr<double> a(3, 3, Array<std::int64_t>{0, 0, 0, 0}, Array<Index>(), Array<double>());
  const NnzSplit split = convert::make_nnz_split(steps, convert::rows_of(a), 128);
  EXPECT_EQ(split.num_chunks(), 0);
  EXPECT_EQ(split.empty.to_vector(), (std::vector<Index>{0, 1, 2}));
}

template <class T>
bool is_split(const SparseMatrix<T>& m) {
  return m.csr_plan() && std::holds_alternative<NnzSplit>(m.csr_plan()->data);
}

template <class T>
struct GpuNnzSplit : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  /// Rows over two chunks, over many, and without entries.
  static std::vector<Csr<T>> matrices() {
    std::vector<Csr<T>> list;
    for (const char* spec : {"powerlaw:n=20000", "hugerow:n=20000", "powerlaw:n=1000,mean=4"})
      for (const bool gaps : {false, true}) {
        const Csr<double> a = gallery::make(spec);
        list.push_back(convert_values<T>(gaps ? with_empty_rows(a) : a.clone()));
      }
    return list;
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuNnzSplit, Reals);

TYPED_TEST(GpuNnzSplit, ProductsAreRightAndRepeatable) {
  using T = TypeParam;
  int num_split = 0;
  for (const Csr<T>& a : this->matrices()) {
    const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
    num_split += is_split(m);
    expect_right_and_repeatable(m, a);
  }
  EXPECT_GE(num_split, 4);
}

// Partial sums that are not numbers, or zero, leave nothing behind for the next product.
TYPED_TEST(GpuNnzSplit, NoNumbersAndZeros) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(gallery::make("powerlaw:n=20000"));
  const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
  ASSERT_TRUE(is_split(m));
  Queue queue(Device::gpu());
  Array<T> y(Device::gpu(), a.num_rows);
  const auto size = static_cast<std::size_t>(a.num_cols);
  const auto product = [&](const std::vector<T>& x) {
    const Array<T> x_there = on_gpu(x);
    m.apply(queue, {.x = x_there, .y = y});
    queue.wait();
    return y.to_vector();
  };
  const std::vector<T> x = random_vector<T>(a.num_cols, 3), before = product(x);
  for (const T value : product(std::vector<T>(size, std::numeric_limits<T>::quiet_NaN())))
    ASSERT_TRUE(std::isnan(value));
  for (const T value : product(std::vector<T>(size, T{0}))) ASSERT_EQ(value, T{0});
  for (const T value : product(std::vector<T>(size, T{-0.0}))) ASSERT_EQ(value, T{0});
  EXPECT_TRUE(same_bits<T>(product(x), before));
}

TYPED_TEST(GpuNnzSplit, Capturable) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(with_empty_rows(gallery::make("powerlaw:n=20000")));
  const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
  ASSERT_TRUE(is_split(m));
  expect_capturable(m);
}

TYPED_TEST(GpuNnzSplit, TheirMemoryIsCounted) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(gallery::make("powerlaw:n=20000"));
  const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
  ASSERT_TRUE(is_split(m));
  const std::int64_t split = std::get<NnzSplit>(m.csr_plan()->data).bytes();
  EXPECT_GT(split, a.num_entries() / 4);
  EXPECT_EQ(m.footprint().bytes, a.footprint().bytes + m.csr_plan()->bytes());
  EXPECT_EQ(m.footprint().moved_bytes, a.cols.bytes() + a.vals.bytes() + split);
}

TEST(GpuNnzSplitFor, LongRowsOnly) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const auto made = [](const char* spec) {
    return is_split(SparseMatrix<double>(AnyFormat<double>(gallery::make(spec).to(Device::gpu()))));
  };
  EXPECT_TRUE(made("hugerow:n=10000"));
  EXPECT_FALSE(made("poisson2d5:300"));
  EXPECT_FALSE(made("powerlaw:n=1000000"));  // cached columns
}

}  // namespace
}  // namespace millrace::testing
