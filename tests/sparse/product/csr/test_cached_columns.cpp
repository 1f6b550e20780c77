// CSR with cached columns: which ones these are, step by step on the host, and products on a GPU.
#include <numeric>

#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/product/csr/make_plan.hpp"
#include "on_gpu.hpp"
#include "sparse/convert/backward_steps.hpp"
#include "sparse/product/gpu_products.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

constexpr CacheRule few_places{.placement = {.cluster_size = 4, .replicated = 4, .distributed = 3},
                               .min_entries = 1000};

/// The columns that a matrix caches by itself, or nothing.
std::optional<CachedColumns> cached_columns_of(const Csr<double>& a, const CacheRule& rule = few_places) {
  BackwardSteps steps;
  CsrPlan plan = convert::make_csr_plan(
      steps, convert::rows_of(a), false, {}, [] { return 7; }, rule);
  if (auto* cached = std::get_if<CachedColumns>(&plan.data)) return std::move(*cached);
  return {};
}

/// Which cached column lies at a place.
Index cached_of(const CachePlacement& placement, Index place) {
  const Index block = place >> 16;
  return placement.cached_at(block == placement.cluster_size ? 0 : block, place & 0xffff);
}

TEST(CachedColumns, TheMostUsedInOrder) {
  const Csr<double> a = gallery::make("powerlaw:n=1000,mean=16");
  const std::optional<CachedColumns> cached = cached_columns_of(a);
  ASSERT_TRUE(cached);
  ASSERT_EQ(cached->columns.size(), 16);
  std::vector<Index> uses(1000), order(1000);
  for (const Index c : a.cols.span()) ++uses[static_cast<std::size_t>(c)];
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index p, Index q) {
    return uses[static_cast<std::size_t>(p)] > uses[static_cast<std::size_t>(q)];
  });
  order.resize(16);
  EXPECT_EQ(cached->columns.to_vector(), order);
  for (Offset s = 0; s < a.num_entries(); ++s) {
    const Index code = cached->encoded_columns.data()[s];
    ASSERT_EQ(code < 0 ? cached->columns.data()[cached_of(cached->placement, ~code)] : code, a.cols.data()[s]);
    ASSERT_EQ(code < 0, std::find(order.begin(), order.end(), a.cols.data()[s]) != order.end());
  }
}

TEST(CachedColumns, EveryOneHasItsPlace) {
  for (const CachePlacement& placement : {CachePlacement{}, few_places.placement, CachePlacement{2, 5, 1}}) {
    ASSERT_LE(placement.num_slots(), 1 << 16);
    for (Index cached = 0; cached < placement.num_cached(); ++cached) {
      const Index place = placement.place_of(cached), block = place >> 16, slot = place & 0xffff;
      ASSERT_LT(slot, placement.num_slots());
      ASSERT_EQ(block == placement.cluster_size, cached < placement.replicated);
      for (Index b = 0; b < placement.cluster_size; ++b)
        ASSERT_EQ(placement.cached_at(b, slot) == cached, block == placement.cluster_size || block == b);
    }
  }
}

TEST(CachedColumns, WholeTilesPerWarp) {
  const Csr<double> a = gallery::make("powerlaw:n=1000,mean=16");
  const std::optional<CachedColumns> cached = cached_columns_of(a);
  ASSERT_TRUE(cached);
  EXPECT_EQ(cached->encoded_columns.size(), (a.num_entries() + 127) / 128 * 128);
  EXPECT_EQ(cached->split.chunk % CachedColumns::tile, 0);
  EXPECT_LE(cached->split.num_chunks(), 7);
  EXPECT_GE(Offset{cached->split.num_chunks()} * cached->split.chunk, a.num_entries());
}

TEST(CachedColumns, OnlyWhereColumnsStandOut) {
  EXPECT_FALSE(cached_columns_of(gallery::make("poisson2d5:60")));
  EXPECT_FALSE(cached_columns_of(gallery::make("random:n=2000,k=8")));
  EXPECT_FALSE(cached_columns_of(gallery::make("powerlaw:n=1000"), {.placement = few_places.placement}));
  const CacheRule many{.placement = {.cluster_size = 4, .replicated = 101, .distributed = 100}, .min_entries = 1000};
  EXPECT_FALSE(cached_columns_of(gallery::make("powerlaw:n=1000"), many));  // half of all columns
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
bool has_cached_columns(const SparseMatrix<T>& m) {
  return m.csr_plan() && std::holds_alternative<CachedColumns>(m.csr_plan()->data);
}

template <class T>
struct GpuCachedColumns : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  static SparseMatrix<T> matrix() { return SparseMatrix<T>(AnyFormat<T>(power_law<T>().to(Device::gpu()))); }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuCachedColumns, Reals);

TYPED_TEST(GpuCachedColumns, ProductsAreRightAndRepeatable) {
  using T = TypeParam;
  const Csr<T> full = convert_values<T>(gallery::make("powerlaw:n=300000"));  // no row is empty
  for (const Csr<T>* a : {&power_law<T>(), &full}) {
    const SparseMatrix<T> m(AnyFormat<T>(a->to(Device::gpu())));
    ASSERT_TRUE(has_cached_columns(m));
    expect_right_and_repeatable(m, *a);
  }
}

TYPED_TEST(GpuCachedColumns, NewValuesAndWideOffsets) {
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
  ASSERT_TRUE(has_cached_columns(same));
  same.apply(queue, {.x = x_there, .y = z});
  queue.wait();
  EXPECT_TRUE(same_bits<T>(y.to_vector(), z.to_vector())) << "8-byte row offsets";
}

TYPED_TEST(GpuCachedColumns, Capturable) { expect_capturable(this->matrix()); }

TYPED_TEST(GpuCachedColumns, TheirMemoryIsCounted) {
  using T = TypeParam;
  const SparseMatrix<T> m = this->matrix();
  const Footprint plain = power_law<T>().footprint(), all = m.footprint();
  const std::int64_t cached = std::get<CachedColumns>(m.csr_plan()->data).bytes();
  EXPECT_GT(cached, 4 * m.num_entries());
  EXPECT_EQ(all.bytes, plain.bytes + m.csr_plan()->bytes());
  EXPECT_EQ(all.moved_bytes, m.num_entries() * std::int64_t{sizeof(T)} + cached);
}

TEST(GpuCachedColumnsFor, MatricesThatStandOut) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const auto made = [](const Csr<double>& a) {
    return has_cached_columns(SparseMatrix<double>(AnyFormat<double>(a.to(Device::gpu()))));
  };
  EXPECT_FALSE(made(gallery::make("poisson2d5:1000")));
  EXPECT_FALSE(made(gallery::make("powerlaw:n=200000")));  // 3 million entries
  EXPECT_TRUE(made(power_law<double>()));
}

}  // namespace
}  // namespace millrace::testing
