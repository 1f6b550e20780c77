// CSR with hot columns: which matrices have them, the plan step by step on the host, and products on a GPU.
#include <numeric>

#include "gpu_products.hpp"
#include "host_stage.hpp"
#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/product/csr/make_cached_columns.hpp"
#include "on_gpu.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

constexpr convert::HotRule small_rule{.places = {.cluster = 4, .everywhere = 4, .apart = 3}, .min_entries = 1000};

template <class T>
HotColumns plan(const Csr<T>& a, Index num_warps = 7, const convert::HotRule& rule = small_rule) {
  HostStage stage;
  return convert::make_hot(stage, convert::rows_of(a), rule, num_warps);
}

/// Which hot column lies at a place.
Index hot_of(const HotPlaces& places, Index place) {
  const Index block = place >> 16;
  return places.hot_at(block == places.cluster ? 0 : block, place & 0xffff);
}

TEST(HotColumns, TheMostUsedInOrder) {
  const Csr<double> a = gallery::make("powerlaw:n=1000,mean=16");
  const HotColumns hot = plan(a);
  ASSERT_EQ(hot.columns.size(), 16);
  std::vector<Index> uses(1000), order(1000);
  for (const Index c : a.cols.span()) ++uses[static_cast<std::size_t>(c)];
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index p, Index q) {
    return uses[static_cast<std::size_t>(p)] > uses[static_cast<std::size_t>(q)];
  });
  order.resize(16);
  EXPECT_EQ(hot.columns.to_vector(), order);
  for (Offset s = 0; s < a.num_entries(); ++s) {
    const Index code = hot.coded.data()[s];
    ASSERT_EQ(code < 0 ? hot.columns.data()[hot_of(hot.places, ~code)] : code, a.cols.data()[s]);
    ASSERT_EQ(code < 0, std::find(order.begin(), order.end(), a.cols.data()[s]) != order.end());
  }
}

TEST(HotColumns, EveryOneHasItsPlace) {
  for (const HotPlaces& places : {HotPlaces{}, small_rule.places, HotPlaces{2, 5, 1}}) {
    ASSERT_LE(places.num_slots(), 1 << 16);
    for (Index hot = 0; hot < places.num_hot(); ++hot) {
      const Index place = places.place_of(hot), block = place >> 16, slot = place & 0xffff;
      ASSERT_LT(slot, places.num_slots());
      ASSERT_EQ(block == places.cluster, hot < places.everywhere);
      for (Index b = 0; b < places.cluster; ++b)
        ASSERT_EQ(places.hot_at(b, slot) == hot, block == places.cluster || block == b);
    }
  }
}

TEST(HotColumns, WholeTilesAWarp) {
  const Csr<double> a = gallery::make("powerlaw:n=1000,mean=16");
  const HotColumns hot = plan(a);
  EXPECT_EQ(hot.coded.size(), (a.num_entries() + 127) / 128 * 128);
  EXPECT_EQ(hot.marks.chunk % HotColumns::tile, 0);
  EXPECT_LE(hot.marks.num_chunks(), 7);
  EXPECT_GE(Offset{hot.marks.num_chunks()} * hot.marks.chunk, a.num_entries());
}

TEST(HotColumns, OnlyWhereColumnsStandOut) {
  EXPECT_TRUE(plan(gallery::make("poisson2d5:60")).columns.empty());
  EXPECT_TRUE(plan(gallery::make("random:n=2000,k=8")).columns.empty());
  EXPECT_TRUE(plan(gallery::make("powerlaw:n=1000"), 7, {.places = small_rule.places}).columns.empty());
  const convert::HotRule many{.places = {.cluster = 4, .everywhere = 101, .apart = 100}, .min_entries = 1000};
  EXPECT_TRUE(plan(gallery::make("powerlaw:n=1000"), 7, many).columns.empty());  // half of all columns
}

/// A power law of 4.6 million entries, with rows without entries in front, in the middle and at the end, and a row of
/// 20,000 entries over many chunks.
template <class T>
const Csr<T>& power_law() {
  static const Csr<T> matrix = [] {
    const Csr<double> all = gallery::make("powerlaw:n=300000");
    std::vector<std::int64_t> row_ptr(101, 0);
    for (Index r = 1; r <= all.num_rows; ++r) {
      if (all.row_begin(r) - row_ptr.back() < 20000 && r / 1000 == 200) continue;  // one row of many
      for (int repeat = r % 10000 == 0 ? 70 : 1; repeat > 0; --repeat) row_ptr.push_back(all.row_begin(r));
    }
    const auto num_rows = static_cast<Index>(row_ptr.size()) - 1;
    return convert_values<T>(Csr<double>(num_rows, all.num_cols,
                                         Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)), all.cols.clone(),
                                         all.vals.clone()));
  }();
  return matrix;
}

template <class T>
bool has_hot_columns(const SparseMatrix<T>& m) {
  return !std::get<Csr<T>>(m.format()).tiling.hot.empty();
}

template <class T>
struct GpuHotColumns : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  static SparseMatrix<T> matrix() { return SparseMatrix<T>(AnyFormat<T>(power_law<T>().to(Device::gpu()))); }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuHotColumns, Reals);

TYPED_TEST(GpuHotColumns, ProductsAreRightAndRepeatable) {
  using T = TypeParam;
  const Csr<T> full = convert_values<T>(gallery::make("powerlaw:n=300000"));  // no row is empty
  for (const Csr<T>* a : {&power_law<T>(), &full}) {
    const SparseMatrix<T> m(AnyFormat<T>(a->to(Device::gpu())));
    ASSERT_TRUE(has_hot_columns(m));
    expect_right_and_repeatable(m, *a);
  }
}

TYPED_TEST(GpuHotColumns, NewValuesAndWideOffsets) {
  using T = TypeParam;
  const Csr<T>& a = power_law<T>();
  Csr<T> b = a.clone();
  b.vals.assign(std::span<const T>(random_vector<T>(b.num_entries(), 3)));
  SparseMatrix<T> m = this->matrix();
  Queue queue(Device::gpu());
  m.update_values(queue, b.to(Device::gpu()));
  const std::vector<T> x = random_vector<T>(a.num_cols, 4), nothing(static_cast<std::size_t>(a.num_rows));
  const Array<T> x_there = on_gpu(x);
  Array<T> y(Device::gpu(), a.num_rows), z(Device::gpu(), a.num_rows);
  m.apply(queue, {.x = x_there, .y = y});
  queue.wait();
  expect_within<T>(reference<T>(b, Op::none, T{1}, x, T{0}, nothing), y.to_vector(), "new values");
  std::vector<std::int64_t> wide;
  for (Index r = 0; r <= b.num_rows; ++r) wide.push_back(b.row_begin(r));
  const SparseMatrix<T> same(
      AnyFormat<T>(Csr<T>(b.num_rows, b.num_cols, on_gpu(wide), b.cols.to(Device::gpu()), b.vals.to(Device::gpu()))));
  ASSERT_TRUE(has_hot_columns(same));
  same.apply(queue, {.x = x_there, .y = z});
  queue.wait();
  EXPECT_TRUE(same_bits<T>(y.to_vector(), z.to_vector())) << "8-byte row offsets";
}

TYPED_TEST(GpuHotColumns, Capturable) { expect_capturable(this->matrix()); }

TYPED_TEST(GpuHotColumns, TheirMemoryIsCounted) {
  using T = TypeParam;
  const SparseMatrix<T> m = this->matrix();
  const Footprint plain = power_law<T>().footprint(), hot = m.footprint();
  const std::int64_t more = std::get<Csr<T>>(m.format()).tiling.hot.bytes();
  EXPECT_GT(more, 4 * m.num_entries());
  EXPECT_EQ(hot.bytes, plain.bytes + more);
  EXPECT_EQ(hot.moved_bytes, m.num_entries() * std::int64_t{sizeof(T)} + more);
}

TEST(GpuHotColumnsFor, MatricesThatStandOut) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const auto made = [](const Csr<double>& a) {
    return has_hot_columns(SparseMatrix<double>(AnyFormat<double>(a.to(Device::gpu()))));
  };
  EXPECT_FALSE(made(gallery::make("poisson2d5:1000")));
  EXPECT_FALSE(made(gallery::make("powerlaw:n=200000")));  // 3 million entries
  // A caller's own arrays are not copied.
  const Csr<double> there = power_law<double>().to(Device::gpu());
  const auto& row_ptr = std::get<Array<std::int32_t>>(there.row_ptr);
  EXPECT_FALSE(has_hot_columns(SparseMatrix<double>(AnyFormat<double>(Csr<double>::wrap<std::int32_t>(
      there.num_rows, there.num_cols, row_ptr.device_span(), there.cols.device_span(), there.vals.device_span())))));
}

}  // namespace
}  // namespace millrace::testing
