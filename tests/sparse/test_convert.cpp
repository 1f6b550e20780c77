// The steps by which a GPU converts, run on the host: the same arrays as the host's own conversions.
#include "convert_checks.hpp"
#include "host_stage.hpp"
#include "millrace/sparse/convert_hyb.hpp"
#include "millrace/sparse/convert_list.hpp"

namespace millrace::testing {
namespace {

template <class T>
Coo<T> shuffled(Index rows, Index cols, Offset entries, std::uint64_t seed) {  // with repeated positions
  Random random(seed);
  Coo<T> a{rows, cols, Array<Index>(entries), Array<Index>(entries),
           Array<T>(std::span<const T>(random_vector<T>(entries, seed + 1)))};
  for (Offset i = 0; i < entries; ++i) {
    a.rows.data()[i] = random.below(rows);
    a.cols.data()[i] = random.below(cols);
  }
  return a;
}

template <class T>
class Convert : public ::testing::Test {};
TYPED_TEST_SUITE(Convert, Scalars);

TYPED_TEST(Convert, EntriesIntoRows) {
  using T = TypeParam;
  HostStage stage;
  for (const auto& [rows, cols, entries] :
       {std::tuple{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 5}, {10, 7, 200}, {500, 300, 900}, {3, 90000, 100}}) {
    const Coo<T> a = shuffled<T>(rows, cols, entries, 3);
    const std::string what = join(rows, " x ", cols, ", ", entries, " entries");
    expect_same_format(convert::to_csr(stage, a, true), to_csr(a), what);
    expect_same_format(convert::to_csr(stage, a, false), to_csr_keeping_duplicates(a), what);
    EXPECT_EQ(convert::is_sorted_by_row(stage, a), std::is_sorted(a.rows.span().begin(), a.rows.span().end()));
    EXPECT_TRUE(convert::is_sorted_by_row(stage, Coo<T>::from_csr(to_csr(a), {"coo"})));
  }
  for (const auto& [name, a] : convert_cases<T>()) expect_same_format(convert::sort_rows(stage, a), sort_rows(a), name);
}

TEST(ConvertErrors, EntriesOutside) {
  HostStage stage;
  const Coo<double> a{3, 3, Array<Index>({2, 0, 3}), Array<Index>({0, 1, 0}), Array<double>({1, 2, 3})};
  EXPECT_EQ(error_of([&] { convert::to_csr(stage, a, true); }), error_of([&] { to_csr(a); }));
}

// What the host says to a matrix that it refuses.
template <class Format>
void expect_same_conversion(const Csr<typename Format::value_type>& a, const FormatSpec& spec,
                            const std::string& what) {
  HostStage stage;
  Format made;
  std::optional<Format> expected;
  std::string refused;
  try {
    expected = Format::from_csr(a, stored_full<Format>(spec));
  } catch (const Error& error) {
    refused = error.what();
  }
  if (!expected) {
    EXPECT_EQ(error_of([&] { convert::make(stage, a, spec, made); }), refused) << what;
    return;
  }
  convert::make(stage, a, spec, made);
  expect_same_format(made, *expected, what);
}

TYPED_TEST(Convert, EveryFormat) {
  using T = TypeParam;
  const auto cases = convert_cases<T>();
  for (const std::string& text : format_specs())
    for (const auto& [name, a] : cases) {
      const FormatSpec spec = parse_format_spec(text);
      for_each_format<T>([&]<class Format>() {
        if constexpr (requires(HostStage s, Format b) { convert::make(s, a, spec, b); })
          if (spec.name == Format::name) expect_same_conversion<Format>(a, spec, join(text, ", ", name));
      });
    }
}

}  // namespace
}  // namespace millrace::testing
