// Every schedule of CSR on a GPU by its name: against the generic one, the same bits for owned, wrapped and shifted
// arrays, and what the matrix says of it.
#include "millrace/sparse/gallery.hpp"
#include "sparse/product/gpu_products.hpp"
#include "sparse/product/product_checks.hpp"

namespace millrace::testing {
namespace {

template <class T>
std::vector<std::string> schedules() {
  if (is_complex<T>) return {"csr-rows", "csr-tiles"};
  return {"csr-rows", "csr-tiles", "csr-split", "csr-cached"};
}

/// Needs clusters of thread blocks, which older GPUs have not.
template <class T>
std::optional<SparseMatrix<T>> made_on_gpu(const Csr<T>& a, const std::string& format) {
  try {
    return SparseMatrix<T>(a, format).to(Device::gpu());
  } catch (const Unsupported& error) {
    EXPECT_TRUE(std::string_view(error.what()).find("csr-cached: this schedule needs clusters") == 0) << error.what();
    return {};
  }
}

template <class T>
struct GpuCsrSchedules : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  /// Those that this GPU has.
  static std::vector<std::string> names() {
    std::vector<std::string> list;
    for (const std::string& name : schedules<T>())
      if (made_on_gpu(random_csr<T>(3, 3, 1, 1), name)) list.push_back(name);
    return list;
  }
};
TYPED_TEST_SUITE(GpuCsrSchedules, Scalars);

TYPED_TEST(GpuCsrSchedules, ProductsOfAllSizes) {
  using T = TypeParam;
  const std::vector<std::string> names = this->names();
  for (const Index rows : {0, 1, 31, 33, 257})
    for (const Index cols : {0, 1, 40})
      check_product<T>({random_csr<T>(rows, cols, 5, 7u + static_cast<unsigned>(rows))}, Device::gpu(), false, names);
  check_product<T>({random_csr<T>(3000, 2000, 20, 3)}, Device::gpu(), false, names);
  check_product<T>({random_csr<T>(2000, 9000, 1, 5, 700)}, Device::gpu(), false, names);  // one full row
  for (const int num : {1, 2, 5})
    check_product<T>({random_csr<T>(1300, 900, 6, 21, 17), Op::none, T(RealOf<T>(-2.5)), T(RealOf<T>(0.75)), num},
                     Device::gpu(), false, names);
}

TYPED_TEST(GpuCsrSchedules, RightAndRepeatable) {
  using T = TypeParam;
  if constexpr (!is_complex<T>)
    for (const char* spec : {"powerlaw:n=20000", "hugerow:n=20000", "poisson2d5:100"})
      for (const std::string& name : this->names()) {
        const Csr<T> a = convert_values<T>(gallery::make(spec));
        const std::optional<SparseMatrix<T>> m = made_on_gpu(a, name);
        ASSERT_TRUE(m) << name;
        expect_right_and_repeatable(*m, a);
        expect_capturable(*m);
      }
}

/// Three arrays of a caller's own, which begin `shift` entries after an aligned address.
template <class T>
struct Shifted {
  Array<std::int32_t> row_ptr;
  Array<Index> cols;
  Array<T> vals;
  Index num_rows, num_cols, shift;

  Shifted(const Csr<T>& a, Index shift) : num_rows(a.num_rows), num_cols(a.num_cols), shift(shift) {
    row_ptr = moved(std::get<Array<std::int32_t>>(a.row_ptr).to_vector());
    cols = moved(a.cols.to_vector());
    vals = moved(a.vals.to_vector());
  }
  template <class U>
  Array<U> moved(std::vector<U> values) const {
    values.insert(values.begin(), static_cast<std::size_t>(shift), U{});
    return on_gpu(values);
  }
  template <class U>
  DeviceSpan<const U> part(const Array<U>& array) const {
    return {array.device(), array.data() + shift, array.size() - shift};
  }
  AnyFormat<T> wrap() const {
    return Csr<T>::template wrap<std::int32_t>(num_rows, num_cols, part(row_ptr), part(cols), part(vals));
  }
};

template <class T>
std::vector<T> product_on_gpu(const SparseMatrix<T>& m, const std::vector<T>& x) {
  Queue queue(m.device());
  const Array<T> x_there = on_gpu(x);
  Array<T> y(m.device(), m.shape().rows);
  m.apply(queue, {.x = x_there, .y = y});
  queue.wait();
  return y.to_vector();
}

// Whose the arrays are and where they begin changes neither the schedule nor the bits.
TYPED_TEST(GpuCsrSchedules, OwnedWrappedAndShiftedGiveTheSameBits) {
  using T = TypeParam;
  for (const char* spec : {"powerlaw:n=20000", "powerlaw:n=300000", "poisson2d5:100", "random:n=2000,k=60"}) {
    const Csr<T> a = convert_values<T>(gallery::make(spec));
    const std::vector<T> x = random_vector<T>(a.num_cols, 6);
    const SparseMatrix<T> owned(AnyFormat<T>(a.to(Device::gpu())));
    const std::vector<T> expected = product_on_gpu(owned, x);
    for (const Index shift : {0, 1, 2, 3}) {
      const Shifted<T> arrays(a, shift);
      const SparseMatrix<T> wrapped(arrays.wrap());
      EXPECT_EQ(wrapped.details(), owned.details()) << spec;
      EXPECT_TRUE(same_bits<T>(product_on_gpu(wrapped, x), expected))
          << spec << ", " << shift << ", " << owned.details();
    }
  }
}

// A caller's own values may change between products.
TYPED_TEST(GpuCsrSchedules, NewValuesAreSeen) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(gallery::make("powerlaw:n=20000"));
  Csr<T> b = a.clone();
  b.vals.assign(std::span<const T>(random_vector<T>(b.num_entries(), 3)));
  const std::vector<T> x = random_vector<T>(a.num_cols, 4);
  Queue queue(Device::gpu());
  for (const std::string& name : this->names()) {
    const std::vector<T> expected = product_on_gpu(*made_on_gpu(b, name), x);
    SparseMatrix<T> m = *made_on_gpu(a, name);
    m.update_values(queue, b.to(Device::gpu()));
    queue.wait();
    EXPECT_TRUE(same_bits<T>(product_on_gpu(m, x), expected)) << name;
    EXPECT_EQ(m.details(), join(name.substr(4), ": asked for"));
  }
  Shifted<T> arrays(a, 1);
  const SparseMatrix<T> wrapped(arrays.wrap());
  product_on_gpu(wrapped, x);
  arrays.vals = Shifted<T>(b, 1).vals.to(Device::gpu());
  const SparseMatrix<T> again(arrays.wrap());
  EXPECT_TRUE(
      same_bits<T>(product_on_gpu(again, x), product_on_gpu(SparseMatrix<T>(AnyFormat<T>(b.to(Device::gpu()))), x)));
}

TYPED_TEST(GpuCsrSchedules, WordsAreKeptAndReported) {
  using T = TypeParam;
  const Csr<T> a = convert_values<T>(gallery::make("powerlaw:n=1000"));
  for (const std::string& name : this->names()) {
    const SparseMatrix<T> there = *made_on_gpu(a, name);
    EXPECT_EQ(there.format_name(), "csr");
    EXPECT_EQ(there.details(), join(name.substr(4), ": asked for"));
    EXPECT_EQ(there.to(Device::host()).to(Device::gpu()).details(), there.details());
    EXPECT_EQ(there.footprint().bytes, a.footprint().bytes + there.csr_plan()->bytes());
    Queue queue(Device::gpu());  // made there, in the order of a queue
    EXPECT_EQ(SparseMatrix<T>(queue, a.to(Device::gpu()), name).details(), there.details());
  }
  const SparseMatrix<T> chosen = SparseMatrix<T>(a, "csr").to(Device::gpu());
  EXPECT_FALSE(chosen.details().empty());
  EXPECT_EQ(chosen.details(), chosen.csr_plan()->choice.text());
  if constexpr (is_complex<T>)
    for (const char* name : {"csr-split", "csr-cached"}) {
      const SparseMatrix<T> on_host(a, name);
      EXPECT_NE(error_of<Unsupported>([&] { on_host.to(Device::gpu()); }).find("the values are complex"),
                std::string::npos);
    }
}

}  // namespace
}  // namespace millrace::testing
