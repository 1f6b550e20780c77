// The rule for formats, and matrices made in the format that it chooses.
#include "millrace/tune/choose_format.hpp"

#include "millrace/sparse/gallery.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

FormatChoice format_of(const char* spec, Device device = Device::host(), bool single_kernel = false) {
  return choose_format(compute_stats(gallery::make(spec)), device, single_kernel);
}

constexpr const char* specs[] = {"poisson3d7:n=12", "cfd:n=6,block=5",  "hdg:m=8,faces=500",       "random:n=200",
                                 "random:n=20000",  "powerlaw:n=20000", "poisson2d5:n=9,permute=1"};

// The chosen format multiplies as CSR does, and the choice is told with its reason.
template <class T>
void expect_right_product(Device device, const Csr<T>& csr, const std::string& what) {
  Queue queue(device);
  FormatChoice choice;
  const SparseMatrix<T> a = make_matrix(queue, csr, {}, &choice);
  EXPECT_EQ(a.device(), device) << what;
  EXPECT_TRUE(choice.format.starts_with(a.format_name())) << what << ": " << choice.format;
  EXPECT_FALSE(choice.reason.empty()) << what;
  const std::vector<T> x = random_vector<T>(csr.num_cols, 7), nothing(static_cast<std::size_t>(csr.num_rows));
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(device);
  Array<T> y(device, csr.num_rows);
  a.apply(queue, {.x = x_there, .y = y});
  queue.wait();
  const Csr<T> host = csr.to(Device::host());
  expect_within<T>(reference<T>(host, Op::none, T{1}, x, T{0}, nothing), y.to_vector(), what);
}

template <class T>
Csr<T> small_matrix(Index rows, Index cols, std::vector<std::int32_t> row_ptr, std::vector<Index> columns) {
  return Csr<T>(rows, cols, Array<std::int32_t>(std::span<const std::int32_t>(row_ptr)),
                Array<Index>(std::span<const Index>(columns)), Array<T>(std::ssize(columns), T{2}));
}

}  // namespace

TEST(ChooseFormat, FollowsTheStatistics) {
  EXPECT_EQ(format_of("poisson3d7:n=12").format, "dia");
  EXPECT_EQ(format_of("poisson3d7:n=12", Device::gpu()).format, "dia-32");
  EXPECT_EQ(format_of("poisson3d7:n=12", Device::gpu(), true).format, "csr");
  EXPECT_EQ(format_of("cfd:n=6,block=5").format, "bsr-5");
  EXPECT_EQ(format_of("hdg:m=8,faces=500").format, "dbf-8");
  EXPECT_EQ(format_of("random:n=200").format, "csr");
  EXPECT_EQ(format_of("random:n=20000").format.substr(0, 4), "sell");
  EXPECT_EQ(format_of("powerlaw:n=20000").format, "csr");
  const Csr<double> twice(2, 2, Array<std::int32_t>{0, 3, 4}, {1, 0, 1, 1}, {1, 2, 3, 4});
  EXPECT_EQ(choose_format(compute_stats(twice), Device::host()).format, "csr");
}

template <class T>
class MakeMatrix : public ::testing::Test {};
TYPED_TEST_SUITE(MakeMatrix, Scalars);

TYPED_TEST(MakeMatrix, MultipliesInTheFormatItChose) {
  for (const char* spec : specs)
    expect_right_product<TypeParam>(Device::host(), convert_values<TypeParam>(gallery::make(spec)), spec);
}

TYPED_TEST(MakeMatrix, TakesEverySizeAndShape) {
  using T = TypeParam;
  const auto check = [](const Csr<T>& a, const char* what) { expect_right_product<T>(Device::host(), a, what); };
  check(Csr<T>(), "0 x 0");
  check(small_matrix<T>(0, 3, {0}, {}), "0 x 3");
  check(small_matrix<T>(3, 0, {0, 0, 0, 0}, {}), "3 x 0");
  check(small_matrix<T>(4, 4, {0, 0, 0, 0, 0}, {}), "no entries");
  check(small_matrix<T>(1, 1, {0, 1}, {0}), "1 x 1");
  check(small_matrix<T>(2, 5, {0, 2, 3}, {4, 0, 1}), "wide, not sorted");
  check(small_matrix<T>(5, 2, {0, 0, 1, 1, 3, 3}, {1, 0, 1}), "tall");
  check(small_matrix<T>(2, 2, {0, 3, 4}, {1, 0, 1, 1}), "a position twice");
}

TEST(MakeMatrix, TakesTheFormatThatWasAskedFor) {
  Queue queue;
  const Csr<double> a = gallery::make("random:n=300");
  FormatChoice choice;
  EXPECT_EQ(make_matrix(queue, a, {.format = "sell-8-64"}, &choice).format_name(), "sell");
  EXPECT_EQ(choice.format, "sell-8-64");
  EXPECT_EQ(choice.reason, "");
  EXPECT_NE(error_of([&] { make_matrix(queue, a, {.format = "sel"}); }).find("unknown sparse format 'sel'"),
            std::string::npos);
}

TEST(MakeMatrix, FallsBackToCsrOnlyWhereThatIsAllowed) {
  Queue queue;
  const Csr<double> a = gallery::make("random:n=20000");  // each diagonal has an entry, so dia would take 40000 of them
  EXPECT_THROW(make_matrix(queue, a, {.format = "dia"}), Unsupported);
  FormatChoice choice;
  EXPECT_EQ(make_matrix(queue, a, {.format = "dia", .or_csr = true}, &choice).format_name(), "csr");
  EXPECT_EQ(choice.format, "csr");
  EXPECT_FALSE(choice.reason.empty());
}

TEST(GpuMakeMatrix, MultipliesInTheFormatItChoseFromEitherSide) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  for (const char* spec : specs) {
    const Csr<double> a = gallery::make(spec);
    expect_right_product<double>(Device::gpu(), a, spec);
    expect_right_product<double>(Device::gpu(), a.to(Device::gpu()), spec);
  }
}

}  // namespace millrace::testing
