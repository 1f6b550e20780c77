// The steps by which a GPU converts, run on the host: the same arrays as the host's own conversions.
#include "convert_checks.hpp"
#include "host_stage.hpp"
#include "millrace/sparse/convert/coo.hpp"
#include "millrace/sparse/convert/dbf.hpp"
#include "millrace/sparse/convert/dia.hpp"
#include "millrace/sparse/convert/hyb.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Convert : public ::testing::Test {};
TYPED_TEST_SUITE(Convert, Scalars);

TYPED_TEST(Convert, EntriesIntoRows) {
  using T = TypeParam;
  HostStage stage;
  for (const Coo<T>& a : coo_cases<T>()) {
    const std::string what = join(a.num_rows, " x ", a.num_cols, ", ", a.num_entries(), " entries");
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

// Also what the host says to a matrix that it refuses.
template <class Format>
void expect_same_conversion(const Csr<typename Format::value_type>& a, const FormatSpec& spec,
                            const std::string& what) {
  HostStage stage;
  Format made;
  const HostConversion<Format> expected(a, spec);
  if (!expected.made) {
    EXPECT_EQ(error_of([&] { convert::make(stage, a, spec, made); }), expected.refused) << what;
    return;
  }
  convert::make(stage, a, spec, made);
  expect_same_format(made, *expected.made, what);
}

TYPED_TEST(Convert, EveryFormat) {
  using T = TypeParam;
  const auto cases = convert_cases<T>();
  for (const std::string& text : convert_specs())
    for (const auto& [name, a] : cases) {
      const FormatSpec spec = parse_format_spec(text);
      for_each_format<T>([&]<class Format>() {
        if constexpr (converts_on_gpu<Format>)
          if (spec.name == Format::name) expect_same_conversion<Format>(a, spec, join(text, ", ", name));
      });
    }
}

}  // namespace
}  // namespace millrace::testing
