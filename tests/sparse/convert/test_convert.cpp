// Conversions in steps: as a GPU takes them, and on any number of host threads, the same arrays. What they must hold is
// tested with the formats and their products.
#include "millrace/sparse/convert/coo.hpp"
#include "millrace/sparse/convert/dbf.hpp"
#include "millrace/sparse/convert/dia.hpp"
#include "millrace/sparse/convert/host_steps.hpp"
#include "millrace/sparse/convert/hyb.hpp"
#include "sparse/convert/backward_steps.hpp"
#include "sparse/convert/convert_checks.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Convert : public ::testing::Test {};
TYPED_TEST_SUITE(Convert, Scalars);

TYPED_TEST(Convert, EntriesIntoRows) {
  using T = TypeParam;
  BackwardSteps steps;
  for (const Coo<T>& a : coo_cases<T>()) {
    const std::string what = join(a.num_rows, " x ", a.num_cols, ", ", a.num_entries(), " entries");
    expect_same_format(convert::to_csr(steps, a, true), to_csr(a), what);
    expect_same_format(convert::to_csr(steps, a, false), to_csr_keeping_duplicates(a), what);
    EXPECT_EQ(convert::is_sorted_by_row(steps, a), std::is_sorted(a.rows.span().begin(), a.rows.span().end()));
    EXPECT_TRUE(convert::is_sorted_by_row(steps, Coo<T>::from_csr(to_csr(a), {"coo"})));
  }
  for (const auto& [name, a] : convert_cases<T>()) expect_same_format(convert::sort_rows(steps, a), sort_rows(a), name);
}

TEST(ConvertErrors, EntriesOutside) {
  BackwardSteps steps;
  const Coo<double> a{3, 3, Array<Index>({2, 0, 3}), Array<Index>({0, 1, 0}), Array<double>({1, 2, 3})};
  EXPECT_EQ(error_of([&] { convert::to_csr(steps, a, true); }), error_of([&] { to_csr(a); }));
}

// Also what is said of a matrix that is refused.
template <class Format>
void expect_same_conversion(const Csr<typename Format::value_type>& a, const FormatSpec& spec,
                            const std::string& what) {
  const HostConversion<Format> expected(a, spec, 1);
  const auto check = [&](const std::string& by, auto&& make) {
    if (expected.made)
      expect_same_format(make(), *expected.made, what + by);
    else
      EXPECT_EQ(error_of([&] { make(); }), expected.refused) << what << by;
  };
  check(" on 3 threads", [&] {
    Queue queue(Device::host(), 3);
    return Format::from_csr(queue, a, spec);
  });
  check(" backwards", [&] {
    BackwardSteps steps;
    return convert::Conversion<Format>::run(steps, a, spec);
  });
}

TYPED_TEST(Convert, EveryFormat) {
  using T = TypeParam;
  const auto cases = convert_cases<T>();
  for (const std::string& text : convert_specs())
    for (const auto& [name, a] : cases) {
      const FormatSpec spec = parse_format_spec(text);
      for_each_format<T>([&]<class Format>() {
        if constexpr (converts_on_gpu<Format> && !std::is_same_v<Format, Csr<T>>)
          if (spec.name == Format::name) expect_same_conversion<Format>(a, spec, join(text, ", ", name));
      });
    }
}

// Enough rows that every thread has some, with entries in every order.
TYPED_TEST(Convert, ManyRowsOnAnyNumberOfThreads) {
  using T = TypeParam;
  const Csr<T> mixed = random_csr<T>(30'000, 20'000, 9, 41, 3000), blocks = blocks_csr<T>(6'000, 3, true, 42);
  for (const char* text : {"coo", "sell-32-1024", "ellr", "pjds", "hyb", "bsr", "bsr-3", "dbf-3-apart", "dia"})
    for (const Csr<T>* a : {&mixed, &blocks}) {
      const FormatSpec spec = parse_format_spec(text);
      for_each_format<T>([&]<class Format>() {
        if constexpr (converts_on_gpu<Format> && !std::is_same_v<Format, Csr<T>>)
          if (spec.name == Format::name) expect_same_conversion<Format>(*a, spec, text);
      });
    }
}

TEST(HostSteps, FoldsAndSearches) {
  for (const int threads : {1, 2, 3, 7})
    for (const Offset n : {0, 1, 4095, 4096, 4097, 30'000}) {
      const convert::HostSteps steps(threads);
      EXPECT_EQ(steps.sum(n, [](Offset i) { return i; }), n * (n - 1) / 2);
      EXPECT_EQ(steps.max(n, [](Offset i) { return i % 977; }), std::min<Offset>(std::max<Offset>(n - 1, 0), 976));
      EXPECT_EQ(steps.first(n, [&](Offset i) { return 3 * i >= 2 * n; }), (2 * n + 2) / 3);
      EXPECT_EQ(steps.first(n, [](Offset) { return false; }), n);
      Array<Offset> sums(n, 2);
      steps.scan(sums.data(), n);
      for (Offset i = 0; i < n; ++i) ASSERT_EQ(sums.data()[i], 2 * (i + 1));
    }
}

// Groups of 0, 1 and many items: every item once, with its group.
TEST(HostSteps, Groups) {
  std::vector<Offset> starts{0, 0};
  for (Offset g = 0; g < 3000; ++g) starts.push_back(starts.back() + g % 7 + (g % 500 == 0 ? 9000 : 0));
  const convert::Ranges groups{starts.data(), std::ssize(starts) - 1, starts.back()};
  for (const int threads : {1, 2, 5}) {
    const convert::HostSteps steps(threads);
    std::vector<Offset> found(static_cast<std::size_t>(groups.items), -1);
    steps.for_each_in(groups, [&](Offset g, Offset i) { found[static_cast<std::size_t>(i)] = g; });
    for (Offset i = 0; i < groups.items; ++i)
      ASSERT_EQ(found[static_cast<std::size_t>(i)], convert::group_of(groups, i)) << i;
    EXPECT_EQ(steps.first_in(groups, [](Offset g, Offset i) { return g > 400 && i % 2 == 1; }),
              starts[401] + (starts[401] % 2 == 0 ? 1 : 0));
    EXPECT_EQ(steps.first_in(groups, [](Offset, Offset) { return false; }), groups.items);
  }
}

TEST(HostSteps, SortsAreStable) {
  for (const int threads : {1, 3})
    for (const Offset n : {0, 1, 2, 1000, 300'000}) {
      const convert::HostSteps steps(threads);
      Random random(7);
      Array<convert::Key> keys(n);
      Array<convert::Place> places(n);
      for (Offset i = 0; i < n; ++i) {
        keys.data()[i] = static_cast<convert::Key>(random.below(5000)) << 20;  // several digits, the lowest all equal
        places.data()[i] = static_cast<convert::Place>(i);
      }
      const std::vector<convert::Key> before = keys.to_vector();
      Array<convert::Key> alone = keys.clone();
      steps.sort(keys, places, convert::Key{5000} << 20);
      steps.sort(alone, convert::Key{5000} << 20);
      EXPECT_EQ(keys.to_vector(), alone.to_vector());
      for (Offset i = 0; i < n; ++i) {
        ASSERT_EQ(keys.data()[i], before[places.data()[i]]);
        if (i == 0) continue;
        ASSERT_LE(keys.data()[i - 1], keys.data()[i]);
        ASSERT_TRUE(keys.data()[i - 1] < keys.data()[i] || places.data()[i - 1] < places.data()[i]);
      }
    }
}

}  // namespace
}  // namespace millrace::testing
