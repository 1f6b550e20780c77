// The .mrx format: round trips, widening, and the refusal of everything that is not exactly right.
#include "millrace/io/binary.hpp"

#include <algorithm>

#include "io/io_tools.hpp"
#include "millrace/io/binary_layout.hpp"
#include "millrace/io/checksum.hpp"

namespace millrace {
namespace {

using test::error_of;
using test::same_bits;

template <class T>
Csr<T> sample(Index rows = 7, Index cols = 5) {
  test::Numbers numbers;
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> columns;
  std::vector<T> values;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c)
      if (numbers.below(3) > 0) {
        columns.push_back(c);
        values.push_back(T(static_cast<RealOf<T>>(numbers.below(1000)) / RealOf<T>(7)));
      }
    row_ptr.push_back(std::ssize(columns));
  }
  return {rows, cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(columns)), Array<T>(std::span<const T>(values))};
}

template <class T>
class Binary : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Binary, Scalars);

TYPED_TEST(Binary, RoundTrip) {
  const test::TempFolder folder;
  const auto file = folder / "a.mrx";
  for (const Index rows : {0, 1, 7, 40'000}) {
    const auto a = sample<TypeParam>(rows, 20);
    write_binary(file, a);
    EXPECT_TRUE(same_bits(a, read_binary<TypeParam>(file)));
    EXPECT_TRUE(same_bits(a, read_binary<TypeParam>(file, {.num_threads = 3})));
    const BinaryHeader header = read_binary_header(file);
    EXPECT_EQ(header.rows, rows);
    EXPECT_EQ(header.cols, 20);
    EXPECT_EQ(header.entries, a.num_entries());
    EXPECT_EQ(header.is_complex(), is_complex<TypeParam>);
  }
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(BinaryRefusals, EveryByteCounts) {
  const test::TempFolder folder;
  const auto file = folder / "a.mrx";
  write_binary(file, sample<double>(3, 3));
  const std::string whole = test::load(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    test::save(file, damaged);
    EXPECT_TRUE(error_of([&] { read_binary<double>(file); }).starts_with(file.string() + ": ")) << at;
  }
}

TEST(BinaryRefusals, EveryLength) {
  const test::TempFolder folder;
  const auto file = folder / "a.mrx";
  write_binary(file, sample<double>(3, 3));
  const std::string whole = test::load(file);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    test::save(file, whole.substr(0, length));
    EXPECT_TRUE(error_of([&] { read_binary<double>(file); }).starts_with(file.string() + ": ")) << length;
  }
  test::save(file, whole + '\0');
  EXPECT_EQ(error_of([&] { read_binary<double>(file); }), file.string() + ": 1 bytes too many follow the matrix");
}

// Heads that are consistent with their own checksum but not with this library or with themselves.
TEST(BinaryRefusals, Heads) {
  const test::TempFolder folder;
  const auto file = folder / "a.mrx";
  write_binary(file, sample<double>());
  const std::string whole = test::load(file);
  const auto what = [&](const std::function<void(MrxHead&)>& change) {
    MrxHead head;
    std::memcpy(&head, whole.data(), sizeof head);
    change(head);
    head.checksum = checksum_of_chunk(&head, offsetof(MrxHead, checksum));
    std::string bytes = whole;
    std::memcpy(bytes.data(), &head, sizeof head);
    test::save(file, bytes);
    const std::string text = error_of([&] { read_binary<double>(file); });
    return text.substr(std::min(text.size(), file.string().size()));
  };
  EXPECT_EQ(what([](MrxHead&) {}), "");
  EXPECT_EQ(what([](MrxHead& h) { h.magic[0] = 'X'; }), ": this is not an .mrx file: its first 8 bytes are others");
  EXPECT_EQ(what([](MrxHead& h) { h.byte_order = 0x04030201; }),
            ": the file is big-endian; .mrx files are little-endian");
  EXPECT_EQ(what([](MrxHead& h) { h.version = 2; }),
            ": the file has version 2 of the .mrx format, this library reads version 1");
  EXPECT_EQ(what([](MrxHead& h) { h.scalar = 9; }), ": unknown scalar type 9; known are 1 to 4");
  EXPECT_EQ(what([](MrxHead& h) { h.offset_bytes = 2; }), ": row offsets of 2 bytes; known are 4 and 8");
  EXPECT_NE(what([](MrxHead& h) { h.rows = std::int64_t{1} << 31; }).find("32 bits"), std::string::npos);
  EXPECT_NE(what([](MrxHead& h) { h.entries = -1; }), "");
  EXPECT_NE(what([](MrxHead& h) { h.entries = INT64_MAX; }), "");
  EXPECT_NE(what([](MrxHead& h) { h.entries += 1; }), "");
  EXPECT_NE(what([](MrxHead& h) { h.sections[1].offset += 64; }), "");
  EXPECT_NE(what([](MrxHead& h) { h.reserved[3] = 1; }), "");
}

// Right checksums around a matrix that is none.
TEST(BinaryRefusals, InconsistentContents) {
  const test::TempFolder folder;
  const auto file = folder / "a.mrx";
  const auto refused = [&](std::vector<std::int32_t> row_ptr, Index column) {
    Csr<double> a(2, 2, Array<std::int32_t>{0, 1, 2}, Array<Index>{0, 1}, Array<double>{1, 2});
    a.row_ptr = Array<std::int32_t>(std::span<const std::int32_t>(row_ptr));
    a.cols.data()[1] = column;
    write_binary(file, a);
    return !error_of([&] { read_binary<double>(file); }).empty();
  };
  EXPECT_FALSE(refused({0, 1, 2}, 1));
  EXPECT_TRUE(refused({0, 1, 2}, 2));
  EXPECT_TRUE(refused({0, 1, 2}, -1));
  EXPECT_TRUE(refused({0, 3, 2}, 1));
  EXPECT_TRUE(refused({1, 1, 2}, 1));
  EXPECT_TRUE(refused({0, 1, 1}, 1));
}

TEST(BinaryConversion, OnlyWhereNothingIsLost) {
  const test::TempFolder folder;
  using Cf = std::complex<float>;
  using Cd = std::complex<double>;
  const auto f = folder / "f.mrx", d = folder / "d.mrx", cf = folder / "cf.mrx", cd = folder / "cd.mrx";
  const auto a = sample<float>();
  write_binary(f, a);
  write_binary(d, sample<double>());
  write_binary(cf, sample<Cf>());
  write_binary(cd, sample<Cd>());
  EXPECT_TRUE(same_bits(read_binary<double>(f), convert_values<double>(a)));
  EXPECT_TRUE(same_bits(read_binary<Cf>(f), convert_values<Cf>(a)));
  EXPECT_TRUE(same_bits(read_binary<Cd>(f), convert_values<Cd>(a)));
  EXPECT_TRUE(same_bits(read_binary<Cd>(d), convert_values<Cd>(sample<double>())));
  EXPECT_TRUE(same_bits(read_binary<Cd>(cf), convert_values<Cd>(sample<Cf>())));
  EXPECT_EQ(error_of([&] { read_binary<float>(d); }),
            d.string() + ": the values are double; reading them as float would lose something");
  EXPECT_NE(error_of([&] { read_binary<Cf>(d); }), "");
  EXPECT_NE(error_of([&] { read_binary<double>(cd); }), "");
  EXPECT_NE(error_of([&] { read_binary<float>(cf); }), "");
  EXPECT_NE(error_of([&] { read_binary<Cf>(cd); }), "");
}

TEST(BinaryConversion, WideOffsetsAreRead) {
  const test::TempFolder folder;
  auto a = sample<double>();
  Csr<double> wide = a.clone();
  Array<std::int64_t> row_ptr(a.num_rows + 1);
  for (Index r = 0; r <= a.num_rows; ++r) row_ptr.data()[r] = a.row_begin(r);
  wide.row_ptr = std::move(row_ptr);
  write_binary(folder / "a.mrx", wide);
  EXPECT_EQ(read_binary_header(folder / "a.mrx").offset_bytes, 8);
  EXPECT_TRUE(same_bits(a, read_binary<double>(folder / "a.mrx")));
}

TEST(Checksum, SameForEveryNumberOfThreadsAndDifferentForEveryLength) {
  std::string bytes(3 * checksum_chunk_bytes + 13, 'x');
  const auto sum = checksum(bytes.data(), bytes.size(), 1);
  EXPECT_EQ(sum, checksum(bytes.data(), bytes.size(), 3));
  bytes[checksum_chunk_bytes] = 'y';
  EXPECT_NE(sum, checksum(bytes.data(), bytes.size(), 2));
  const std::string zeros(100, '\0');
  std::vector<std::uint64_t> sums;
  for (std::size_t length = 0; length <= zeros.size(); ++length) sums.push_back(checksum(zeros.data(), length, 1));
  std::sort(sums.begin(), sums.end());
  EXPECT_EQ(std::unique(sums.begin(), sums.end()), sums.end());
}

TEST(Checksum, IsThatOfTheFormat) {  // stored in files, so it must never change
  const std::string text = "The quick brown fox jumps over the lazy dog, twice.";
  EXPECT_EQ(checksum(text.data(), text.size(), 1), 3394318523261561824u);
}

}  // namespace
}  // namespace millrace
