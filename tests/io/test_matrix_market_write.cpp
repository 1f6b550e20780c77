// The Matrix Market writer: what it writes is read back to the last bit, or nothing is left behind.
#include <bit>
#include <cmath>
#include <limits>

#include "io/io_tools.hpp"
#include "millrace/io/compression.hpp"
#include "millrace/io/matrix_market.hpp"

namespace millrace {
namespace {

using test::error_of;
using test::same_bits;

template <class R>
std::vector<R> hard_values() {
  using Limits = std::numeric_limits<R>;
  std::vector<R> values = {R{0},
                           -R{0},
                           R{1},
                           R(0.1),
                           R(1) / 3,
                           -R(2) / 3,
                           Limits::max(),
                           Limits::lowest(),
                           Limits::min(),
                           Limits::denorm_min(),
                           -Limits::denorm_min(),
                           Limits::min() / 3,
                           Limits::epsilon(),
                           R(1e22),
                           R(123456789),
                           R(9007199254740993.0),
                           Limits::infinity(),
                           -Limits::infinity()};
  test::Numbers numbers;
  while (values.size() < 2000) {
    R value;
    if constexpr (sizeof(R) == 8)
      value = std::bit_cast<double>(numbers.next());
    else
      value = std::bit_cast<float>(static_cast<std::uint32_t>(numbers.next()));
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

template <class T>
Csr<T> matrix_of(const std::vector<RealOf<T>>& values) {  // 10 columns, one row empty
  const auto n = std::ssize(values);
  Array<std::int64_t> row_ptr(n / 10 + 2);
  Array<Index> cols(n);
  Array<T> vals(n);
  for (std::int64_t r = 0; r <= n / 10; ++r) row_ptr.data()[r] = 10 * r;
  row_ptr.data()[n / 10 + 1] = n;
  for (std::int64_t k = 0; k < n; ++k) {
    cols.data()[k] = static_cast<Index>(k % 10);
    const RealOf<T> value = values[static_cast<std::size_t>(k)];
    if constexpr (is_complex<T>)
      vals.data()[k] = {value, values[static_cast<std::size_t>(n - 1 - k)]};
    else
      vals.data()[k] = value;
  }
  return {static_cast<Index>(n / 10 + 1), 10, std::move(row_ptr), std::move(cols), std::move(vals)};
}

template <class T>
class MatrixMarketWrite : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatrixMarketWrite, Scalars);

TYPED_TEST(MatrixMarketWrite, RoundTripToTheLastBit) {
  const test::TempFolder folder;
  const auto a = matrix_of<TypeParam>(hard_values<RealOf<TypeParam>>());
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.xz"}) {
    if (!test::supported(name)) continue;
    write_matrix_market(folder / name, a);
    EXPECT_TRUE(same_bits(a, read_matrix_market<TypeParam>(folder / name))) << name;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().string().find(".part-"), std::string::npos) << entry.path();
}

TYPED_TEST(MatrixMarketWrite, NotANumber) {
  const test::TempFolder folder;
  Csr<TypeParam> a(1, 1, Array<std::int32_t>{0, 1}, Array<Index>{0}, Array<TypeParam>{TypeParam(NAN)});
  write_matrix_market(folder / "a.mtx", a);
  EXPECT_NE(test::load(folder / "a.mtx").find("\n1 1 nan"), std::string::npos);
  EXPECT_TRUE(std::isnan(std::real(read_matrix_market<TypeParam>(folder / "a.mtx").vals.data()[0])));
}

TEST(MatrixMarketWriteText, IsAsExpected) {
  const test::TempFolder folder;
  const Csr<double> a(2, 3, Array<std::int32_t>{0, 2, 3}, Array<Index>{0, 2, 1}, Array<double>{1, -0.5, 1e100});
  write_matrix_market(folder / "a.mtx", a, {.comment = "two\nlines"});
  EXPECT_EQ(test::load(folder / "a.mtx"),
            "%%MatrixMarket matrix coordinate real general\n% two\n% lines\n2 3 3\n1 1 1\n1 3 -0.5\n2 2 1e+100\n");
  EXPECT_EQ(read_matrix_market_header(folder / "a.mtx").comments, "two\nlines\n");
}

TEST(MatrixMarketWriteText, EmptyMatrix) {
  const test::TempFolder folder;
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.xz"}) {
    if (!test::supported(name)) continue;
    write_matrix_market(folder / name, Csr<double>());
    EXPECT_EQ(read_matrix_market<double>(folder / name).shape(), (Shape{0, 0}));
  }
}

// Several blocks, so that formatting in parallel and several compressed members are met; one row is long.
TEST(MatrixMarketWriteText, ManyBlocks) {
  const test::TempFolder folder;
  constexpr Index n = 600'000;
  Array<std::int64_t> row_ptr{0, 5, n};
  Array<Index> cols(n);
  Array<float> vals(n);
  for (Index k = 0; k < n; ++k) {
    cols.data()[k] = k;
    vals.data()[k] = static_cast<float>(k % 10);
  }
  const Csr<float> a(2, n, std::move(row_ptr), std::move(cols), std::move(vals));
  std::vector<double> seen;
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    if (!test::supported(name)) continue;
    write_matrix_market(folder / name, a, {.progress = [&](double f) { seen.push_back(f); }});
    EXPECT_TRUE(same_bits(a, read_matrix_market<float>(folder / name)));
    EXPECT_EQ(seen.back(), 1);
  }
}

template <class T>
Csr<T> two_by_two(T a, T b, T c, T d) {  // entries deliberately not sorted
  return {2, 2, Array<std::int32_t>{0, 2, 4}, Array<Index>{1, 0, 1, 0}, Array<T>{b, a, d, c}};
}

TEST(MatrixMarketWriteSymmetry, LowerTriangleOnly) {
  const test::TempFolder folder;
  const auto file = folder / "a.mtx";
  using C = std::complex<double>;
  const auto head = [](const char* kind) { return std::string("%%MatrixMarket matrix coordinate ") + kind + "\n"; };

  write_matrix_market(file, two_by_two<double>(1, 2, 2, 4), {.symmetry = MmSymmetry::symmetric});
  EXPECT_EQ(test::load(file), head("real symmetric") + "2 2 3\n1 1 1\n2 1 2\n2 2 4\n");
  EXPECT_EQ(test::dense(read_matrix_market<double>(file)), (std::vector<double>{1, 2, 2, 4}));

  write_matrix_market(file, two_by_two<double>(0, -3, 3, 0), {.symmetry = MmSymmetry::skew_symmetric});
  EXPECT_EQ(test::load(file), head("real skew-symmetric") + "2 2 3\n1 1 0\n2 1 3\n2 2 0\n");
  EXPECT_EQ(test::dense(read_matrix_market<double>(file)), (std::vector<double>{0, -3, 3, 0}));

  const auto h = two_by_two<C>(1, {2, -1}, {2, 1}, 4);
  write_matrix_market(file, h, {.symmetry = MmSymmetry::hermitian});
  EXPECT_EQ(test::load(file), head("complex hermitian") + "2 2 3\n1 1 1 0\n2 1 2 1\n2 2 4 0\n");
  EXPECT_EQ(test::dense(read_matrix_market<C>(file)), (std::vector<C>{1, {2, -1}, {2, 1}, 4}));
}

TEST(MatrixMarketWriteSymmetry, RefusedWhereThereIsNone) {
  const test::TempFolder folder;
  const auto file = folder / "a.mtx";
  const auto what = [&](const auto& a, MmSymmetry symmetry) {
    return error_of([&] { write_matrix_market(file, a, {.symmetry = symmetry}); });
  };
  const auto a = two_by_two<double>(1, 2, 3, 4);
  EXPECT_EQ(what(a, MmSymmetry::symmetric),
            file.string() + ": the matrix is not symmetric in row 1, column 2; write it as general");
  EXPECT_NE(what(a, MmSymmetry::skew_symmetric), "");
  EXPECT_NE(what(a, MmSymmetry::hermitian), "");
  EXPECT_NE(what(two_by_two<std::complex<double>>({1, 1}, 2, 2, 4), MmSymmetry::hermitian), "");
  const Csr<double> wide(1, 2, Array<std::int32_t>{0, 1}, Array<Index>{1}, Array<double>{1});
  EXPECT_NE(what(wide, MmSymmetry::symmetric), "");
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(CompressedFiles, DamageIsFound) {
  const test::TempFolder folder;
  const auto a = matrix_of<double>(hard_values<double>());
  for (const std::string end : {".gz", ".xz"}) {
    if (!test::supported(end == ".gz" ? "a.gz" : "a.xz")) continue;
    const auto whole_file = folder / ("whole.mtx" + end), file = folder / ("damaged.mtx" + end);
    write_matrix_market(whole_file, a);
    const std::string whole = test::load(whole_file);
    const std::string place = file.string() + ":";
    for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 40) {
      test::save(file, whole.substr(0, length));
      EXPECT_TRUE(error_of([&] { read_matrix_market<double>(file); }).starts_with(place)) << length;
    }
    for (std::size_t at = 20; at < whole.size(); at += 1 + whole.size() / 60) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      test::save(file, damaged);
      EXPECT_TRUE(error_of([&] { read_matrix_market<double>(file); }).starts_with(place)) << at;
    }
    test::save(file, whole + "garbage");
    EXPECT_TRUE(error_of([&] { read_matrix_market<double>(file); }).starts_with(place));
    test::save(file, "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    EXPECT_TRUE(error_of([&] { read_matrix_market<double>(file); }).starts_with(place + "1: the name promises"));
  }
}

TEST(CompressedFiles, HeaderOfALongFileAndMembers) {
  const test::TempFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate real general\n%" + std::string(200'000, '-') + "\n2 2 100\n";
  const std::size_t head_size = text.size();
  for (int k = 0; k < 100; ++k) text += "1 1 1\n";
  for (const auto kind : {Compression::gzip, Compression::xz}) {
    const auto file = folder / (kind == Compression::gzip ? "a.mtx.gz" : "a.mtx.xz");
    if (!test::supported(file)) continue;
    test::save(file, pack(kind, text.substr(0, head_size - 3)) + pack(kind, text.substr(head_size - 3)));
    EXPECT_EQ(read_matrix_market_header(file).entries, 100);
    EXPECT_EQ(read_matrix_market<double>(file).vals.data()[0], 100);
  }
}

}  // namespace
}  // namespace millrace
