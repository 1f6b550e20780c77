// Conversions on a GPU: the same arrays as the host's conversion copied there, and the same refusals.
#include "millrace/sparse/gallery.hpp"
#include "sparse/convert/convert_checks.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GpuConvert : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
};
TYPED_TEST_SUITE(GpuConvert, Scalars);

template <class T>
void check_product(const SparseMatrix<T>& m, const Csr<T>& a, const std::string& what) {
  Queue queue(m.device());
  const std::vector<T> x = random_vector<T>(a.num_cols, 21), y(static_cast<std::size_t>(a.num_rows));
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(m.device());
  Array<T> y_there(m.device(), a.num_rows);
  m.apply(queue, {.x = x_there, .y = y_there});
  queue.wait();
  expect_within<T>(reference<T>(a, Op::none, T{1}, x, T{0}, y), y_there.to_vector(), what);
}

template <class Format>
void check_conversion(const Csr<typename Format::value_type>& a, const FormatSpec& spec, const std::string& what) {
  using T = typename Format::value_type;
  const Csr<T> there = a.to(Device::gpu());
  const HostConversion<Format> expected(a, spec);
  if (!expected.made) {
    EXPECT_EQ(error_of([&] { make_format(there, spec.text()); }), expected.refused) << what;
    return;
  }
  const SparseMatrix<T> made(there, spec.text());
  EXPECT_EQ(made.device(), Device::gpu()) << what;
  const auto& format = std::get<Format>(made.format());
  expect_same_format(format.to(Device::host()), *expected.made, what);
  const std::int64_t beside = made.csr_plan() ? made.csr_plan()->bytes() : 0;  // what products on a GPU need
  EXPECT_EQ(made.footprint().bytes, expected.made->footprint().bytes + beside) << what;
  if (made.value_rounding() == 0) check_product(made, a, what);
}

template <class T>
void check_conversions(const std::vector<std::string>& texts, const Csr<T>& a, const std::string& name) {
  for (const std::string& text : texts) {
    const FormatSpec spec = parse_format_spec(text);
    for_each_format<T>([&]<class Format>() {
      if constexpr (converts_on_gpu<Format>)
        if (spec.name == Format::name) check_conversion<Format>(a, spec, join(text, ", ", name));
    });
  }
}

TYPED_TEST(GpuConvert, EveryFormat) {
  for (const auto& [name, a] : convert_cases<TypeParam>()) check_conversions<TypeParam>(convert_specs(), a, name);
}

// What the host has to find goes through it, and comes back.
TYPED_TEST(GpuConvert, OrdersAndDictionaries) {
  const Csr<TypeParam> a = convert_values<TypeParam>(gallery::make("poisson2d5:n=20"));
  check_conversions<TypeParam>({"sell-32-1-rcm", "sell-32-1-dict", "ell-dict"}, a, "5-point");
}

TYPED_TEST(GpuConvert, EntriesIntoRows) {
  using T = TypeParam;
  const Device gpu = Device::gpu(), host = Device::host();
  for (const Coo<T>& a : coo_cases<T>()) {
    const std::string what = join(a.num_rows, " x ", a.num_cols, ", ", a.num_entries(), " entries");
    const Coo<T> there = a.to(gpu);
    const Csr<T> added = to_csr(there), kept = to_csr_keeping_duplicates(there);
    EXPECT_EQ(added.device(), gpu);
    expect_same_format(added.to(host), to_csr(a), what);
    expect_same_format(kept.to(host), to_csr_keeping_duplicates(a), what);
    expect_same_format(sort_rows(kept).to(host), to_csr(a), what);
    const SparseMatrix<T> m((AnyFormat<T>(a.to(gpu))));  // unsorted: sorted there
    EXPECT_EQ(m.device(), gpu);
    check_product(m, to_csr_keeping_duplicates(a), what);
  }
}

// Many blocks of threads, several passes of the sorts, and rows that are much longer than others.
TEST(GpuConvertLarge, EveryFormat) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  check_conversions<double>({"coo", "csr", "sell", "sell-32-1024", "rgcsr", "jds", "pjds", "hyb", "bsr", "dbf-1-apart"},
                            random_csr<double>(100'003, 120'000, 12, 31, 5000), "random");
  check_conversions<double>({"ell", "ellr", "dia", "bsr", "dbf", "dbf-6-32", "dbf-6-apart", "sell-32-1024"},
                            blocks_csr<double>(20'000, 6, true, 32), "blocks of 6");
  const Coo<double> a = shuffled_coo<double>(50'000, 60'000, 2'000'000, 33);
  expect_same_format(to_csr(a.to(Device::gpu())).to(Device::host()), to_csr(a), "2000000 entries");
}

TEST(GpuConvertErrors, TheHostsWords) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Device gpu = Device::gpu();
  const Csr<double> there = random_csr<double>(30, 30, 3, 1).to(gpu);
  EXPECT_NE(error_of<Unsupported>([&] { make_format(there, "tcoo"); }).find("this format is for a CPU"),
            std::string::npos);
  EXPECT_NE(error_of([&] { make_format(there, "sel"); }).find("unknown sparse format 'sel'"), std::string::npos);
  const Coo<double> outside{3, 3, Array<Index>({2, 0, 3}), Array<Index>({0, 1, 0}), Array<double>({1, 2, 3})};
  EXPECT_EQ(error_of([&] { to_csr(outside.to(gpu)); }), error_of([&] { to_csr(outside); }));
}

}  // namespace
}  // namespace millrace::testing
