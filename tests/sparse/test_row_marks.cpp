// Marks of where rows end: entry by entry on the host, and products by them on a GPU.
#include "gpu_products.hpp"
#include "host_stage.hpp"
#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/product/csr/make_row_ends.hpp"
#include "on_gpu.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

/// The same rows with some without entries in front, between, and at the end.
Csr<double> with_vacant_rows(const Csr<double>& all) {
  std::vector<std::int64_t> row_ptr(41, 0);
  for (Index r = 1; r <= all.num_rows; ++r)
    for (int repeat = r % 100 == 0 ? 40 : 1; repeat > 0; --repeat) row_ptr.push_back(all.row_begin(r));
  const auto num_rows = static_cast<Index>(row_ptr.size()) - 1;
  return Csr<double>(num_rows, all.num_cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
                     all.cols.clone(), all.vals.clone());
}

void expect_marks_of(const Csr<double>& a, Index chunk) {
  HostStage stage;
  const RowMarks marks = convert::make_marks(stage, convert::rows_of(a), chunk);
  const RowMarksView view = marks.view();
  EXPECT_EQ(view.num_chunks, (a.num_entries() + chunk - 1) / chunk);
  EXPECT_EQ(marks.ends.size(), Offset{view.num_chunks} * chunk / 32);
  std::vector<int> seen(static_cast<std::size_t>(a.num_rows));
  Index ended = 0;
  for (Offset s = 0; s < marks.ends.size() * 32; ++s) {
    const RowEnds& ends = view.ends[s / 32];
    ASSERT_TRUE(s % 32 != 0 || ends.before == ended) << "entry " << s;
    if (!(ends.bits >> s % 32 & 1)) continue;
    const Index r = view.row(ended++);
    ASSERT_EQ(a.row_begin(r + 1), s + 1);
    ASSERT_GT(a.row_length(r), 0);
    ++seen[static_cast<std::size_t>(r)];
  }
  for (Index i = 0; i < view.num_vacant; ++i) {
    ASSERT_EQ(a.row_length(view.vacant[i]), 0);
    ++seen[static_cast<std::size_t>(view.vacant[i])];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), a.num_rows);
  EXPECT_EQ(view.filled == nullptr, view.num_vacant == 0);
  for (Index k = 0; k <= view.num_chunks; ++k) {
    const Offset at = Offset{k} * chunk;
    CutRow expected{k, k};
    for (Index r = 0; r < a.num_rows; ++r)
      if (a.row_begin(r) < at && a.row_begin(r + 1) > at)
        expected = {static_cast<Index>(a.row_begin(r) / chunk), static_cast<Index>((a.row_begin(r + 1) - 1) / chunk)};
    EXPECT_EQ(view.cuts[k].first, expected.first) << "chunk " << k;
    EXPECT_EQ(view.cuts[k].last, expected.last) << "chunk " << k;
  }
}

TEST(RowMarks, EveryRowEndsOnce) {
  const Csr<double> powerlaw = gallery::make("powerlaw:n=1000"), huge = gallery::make("hugerow:n=1000");
  for (const Index chunk : {32, 128, 1024, 65536}) {
    expect_marks_of(powerlaw, chunk);
    expect_marks_of(with_vacant_rows(powerlaw), chunk);
    expect_marks_of(huge, chunk);
    expect_marks_of(with_vacant_rows(huge), chunk);
  }
}

TEST(RowMarks, OfNoEntries) {
  HostStage stage;
  const Csr<double> a(3, 3, Array<std::int64_t>{0, 0, 0, 0}, Array<Index>(), Array<double>());
  const RowMarks marks = convert::make_marks(stage, convert::rows_of(a), 128);
  EXPECT_EQ(marks.num_chunks(), 0);
  EXPECT_EQ(marks.vacant.to_vector(), (std::vector<Index>{0, 1, 2}));
}

template <class T>
bool has_marks(const SparseMatrix<T>& m) {
  return !std::get<Csr<T>>(m.format()).tiling.marks.empty();
}

template <class T>
struct GpuRowMarks : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  /// Rows over two chunks, over many, and without entries.
  static std::vector<Csr<T>> matrices() {
    std::vector<Csr<T>> list;
    for (const char* spec : {"powerlaw:n=20000", "hugerow:n=20000", "powerlaw:n=1000,mean=4"})
      for (const bool gaps : {false, true}) {
        const Csr<double> a = gallery::make(spec);
        list.push_back(convert_values<T>(gaps ? with_vacant_rows(a) : a.clone()));
      }
    return list;
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuRowMarks, Reals);

TYPED_TEST(GpuRowMarks, ProductsAreRightAndRepeatable) {
  using T = TypeParam;
  int num_marked = 0;
  for (const Csr<T>& a : this->matrices()) {
    const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
    num_marked += has_marks(m);
    expect_right_and_repeatable(m, a);
  }
  EXPECT_GE(num_marked, 4);
}

// Pieces of cut rows that are not numbers, or zero, leave nothing behind for the next product.
TYPED_TEST(GpuRowMarks, NoNumbersAndZeros) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(gallery::make("powerlaw:n=20000"));
  const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
  ASSERT_TRUE(has_marks(m));
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

TYPED_TEST(GpuRowMarks, Capturable) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(with_vacant_rows(gallery::make("powerlaw:n=20000")));
  const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
  ASSERT_TRUE(has_marks(m));
  expect_capturable(m);
}

// Somebody's own arrays are used in place; four entries are one load only where they are aligned to it.
TYPED_TEST(GpuRowMarks, OwnArraysAlignedOrNot) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(gallery::make("powerlaw:n=20000"));
  const Csr<T> there = a.to(Device::gpu());
  const auto& row_ptr = std::get<Array<std::int32_t>>(there.row_ptr);
  std::vector<Index> shifted{0};
  shifted.insert(shifted.end(), a.cols.span().begin(), a.cols.span().end());
  const Array<Index> shifted_there = on_gpu(shifted);
  const std::vector<T> x = random_vector<T>(a.num_cols, 6);
  const Array<T> x_there = on_gpu(x);
  Queue queue(Device::gpu());
  for (const bool aligned : {true, false}) {
    const auto cols = aligned ? there.cols.device_span()
                              : DeviceSpan<const Index>(there.device(), shifted_there.data() + 1, a.num_entries());
    const SparseMatrix<T> m(AnyFormat<T>(Csr<T>::template wrap<std::int32_t>(
        a.num_rows, a.num_cols, row_ptr.device_span(), cols, there.vals.device_span())));
    EXPECT_EQ(has_marks(m), aligned);
    Array<T> y(Device::gpu(), a.num_rows);
    m.apply(queue, {.x = x_there, .y = y});
    queue.wait();
    expect_within<T>(reference<T>(a, Op::none, T{1}, x, T{0}, std::vector<T>(static_cast<std::size_t>(a.num_rows))),
                     y.to_vector(), aligned ? "aligned" : "not aligned");
  }
}

TYPED_TEST(GpuRowMarks, TheirMemoryIsCounted) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(gallery::make("powerlaw:n=20000"));
  const SparseMatrix<T> m(AnyFormat<T>(a.to(Device::gpu())));
  const std::int64_t marks = std::get<Csr<T>>(m.format()).tiling.marks.bytes();
  EXPECT_GT(marks, a.num_entries() / 4);
  EXPECT_EQ(m.footprint().bytes, a.footprint().bytes + marks);
  EXPECT_EQ(m.footprint().moved_bytes, a.cols.bytes() + a.vals.bytes() + marks);
}

TEST(GpuRowMarksFor, LongRowsOnly) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const auto made = [](const char* spec) {
    return has_marks(SparseMatrix<double>(AnyFormat<double>(gallery::make(spec).to(Device::gpu()))));
  };
  EXPECT_TRUE(made("hugerow:n=10000"));
  EXPECT_FALSE(made("poisson2d5:300"));
  EXPECT_FALSE(made("powerlaw:n=1000000"));  // hot columns
}

}  // namespace
}  // namespace millrace::testing
