// The Matrix Market reader on small texts: every kind of file, chunk boundaries, threads, truncation.
#include <cmath>

#include "io/io_tools.hpp"
#include "millrace/io/matrix_market.hpp"
#include "millrace/io/matrix_market_text.hpp"

namespace millrace {
namespace {

using Complex64 = std::complex<double>;
using test::dense;
using test::error_of;
using test::parse;

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

std::filesystem::path good(const std::string& name) {
  return std::filesystem::path(MILLRACE_TEST_DATA) / "good" / (name + ".mtx");
}

TEST(MatrixMarketRead, EveryKindOfFile) {
  using V = std::vector<double>;
  EXPECT_EQ(dense(read_matrix_market<double>(good("general"))), (V{1.75, 0, 0, 0, 0, -2}));
  EXPECT_EQ(dense(read_matrix_market<double>(good("symmetric"))), (V{4, -1, 0, -1, 0, -1, 0, -1, 4}));
  EXPECT_EQ(dense(read_matrix_market<double>(good("skew"))), (V{0, -5, 0, 5, 0, 7, 0, -7, 0}));
  EXPECT_EQ(dense(read_matrix_market<double>(good("pattern"))), (V{1, 1, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(dense(read_matrix_market<double>(good("array"))), (V{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(dense(read_matrix_market<double>(good("array_symmetric"))), (V{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  EXPECT_EQ(dense(read_matrix_market<double>(good("array_skew"))), (V{0, -1, -2, 1, 0, -3, 2, 3, 0}));
  EXPECT_EQ(dense(read_matrix_market<Complex64>(good("hermitian"))),
            (std::vector<Complex64>{{3, 0}, {1, 2}, {1, -2}, {0, 0}}));
}

TEST(MatrixMarketRead, EveryScalar) {
  EXPECT_EQ(dense(read_matrix_market<float>(good("general"))), (std::vector<float>{1.75f, 0, 0, 0, 0, -2}));
  EXPECT_EQ(dense(read_matrix_market<std::complex<float>>(good("general")))[5], std::complex<float>(-2));
  EXPECT_EQ(dense(read_matrix_market<Complex64>(good("general")))[5], Complex64(-2));
  EXPECT_EQ(error_of([] { read_matrix_market<double>(good("hermitian")); }),
            good("hermitian").string() + ":1: the file is complex; it cannot be read as double");
}

TEST(MatrixMarketRead, DiagonalOnceAndDuplicatesAdded) {
  const auto a = read_matrix_market<double>(good("symmetric"));
  EXPECT_EQ(a.num_entries(), 6);
  EXPECT_EQ(read_matrix_market<double>(good("general")).num_entries(), 2);
}

TEST(MatrixMarketRead, ColumnsAscend) {
  const auto a = parse<double>(banner + "2 3 4\n2 3 1\n2 1 2\n1 2 3\n2 2 4\n");
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r) + 1; k < a.row_begin(r + 1); ++k) EXPECT_LT(a.cols.data()[k - 1], a.cols.data()[k]);
}

TEST(MatrixMarketRead, Header) {
  const MatrixMarketHeader h = read_matrix_market_header(good("general"));
  EXPECT_FALSE(h.array);
  EXPECT_EQ(h.field, MmField::real);
  EXPECT_EQ(h.symmetry, MmSymmetry::general);
  EXPECT_EQ(h.rows, 2);
  EXPECT_EQ(h.cols, 3);
  EXPECT_EQ(h.entries, 3);
  EXPECT_EQ(h.comments, "three entries, two of them at one place\n");
  EXPECT_EQ(read_matrix_market_header(good("array_symmetric")).entries, 6);
  EXPECT_EQ(read_matrix_market_header(good("array_skew")).entries, 3);
}

TEST(MatrixMarketRead, EmptyMatrices) {
  EXPECT_EQ(parse<double>(banner + "0 0 0").shape(), (Shape{0, 0}));
  EXPECT_EQ(parse<double>(banner + "0 5 0\n").shape(), (Shape{0, 5}));
  EXPECT_EQ(parse<double>(banner + "5 0 0\n").shape(), (Shape{5, 0}));
  EXPECT_EQ(parse<double>("%%MatrixMarket matrix array real general\n3 0\n").num_entries(), 0);
  EXPECT_EQ(parse<double>("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").num_entries(), 0);
  EXPECT_EQ(parse<double>("%%MatrixMarket matrix array real symmetric\n0 0\n").num_entries(), 0);
}

TEST(MatrixMarketRead, ManyRowsInATinyFile) {
  const auto a =
      parse<double>(banner + "3000000 2147483647 1\n3000000 2147483647 1\n", {.max_memory = std::int64_t{1} << 40});
  EXPECT_EQ(a.num_rows, 3000000);
  EXPECT_EQ(a.cols.data()[0], 2147483646);
}

TEST(MatrixMarketRead, ExplicitZeros) {
  const std::string text = banner + "2 2 4\n1 1 0\n1 2 1\n2 1 3\n2 1 -3\n";
  EXPECT_EQ(parse<double>(text).num_entries(), 3);
  const auto a = parse<double>(text, {.keep_explicit_zeros = false});
  EXPECT_EQ(a.num_entries(), 1);
  EXPECT_EQ(dense(a), dense(parse<double>(text)));
}

TEST(MatrixMarketRead, ValuesAreRoundedCorrectly) {
  const auto value = []<class T>(const std::string& text, T) {
    return parse<T>(banner + "1 1 1\n1 1 " + text + "\n").vals.data()[0];
  };
  EXPECT_EQ(value("9007199254740993", 1.0), 9007199254740992.0);
  EXPECT_EQ(value("0.1000000000000000055511151231257827", 1.0), 0.1);
  EXPECT_EQ(value("2.2250738585072011e-308", 1.0), 2.2250738585072011e-308);
  EXPECT_EQ(value("4.9e-324", 1.0), 4.9e-324);
  EXPECT_EQ(value("1" + std::string(400, '0') + "e-400", 1.0), 1.0);
  EXPECT_EQ(value("0." + std::string(400, '0') + "1e401", 1.0), 1.0);
  EXPECT_EQ(value("1e-400", 1.0), 0.0);
  EXPECT_TRUE(std::signbit(value("-1e-400", 1.0)));
  EXPECT_EQ(value("0.1", 1.0f), 0.1f);
  EXPECT_EQ(value("1e-60", 1.0f), 0.0f);
  // Between two floats, a hair above the middle: rounding twice, by way of double, would go down.
  EXPECT_EQ(value("1.00000005960464477540", 1.0f), 1.0000001f);
  EXPECT_EQ(error_of([&] { value("1e39", 1.0f); }), "text:3: overflow: the value '1e39' is too large for a float");
}

TEST(MatrixMarketRead, Integers) {
  const auto sum = [](const std::string& text) {
    return parse<double>("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 " + text + "\n").vals.data()[0];
  };
  EXPECT_EQ(sum("-9223372036854775808"), -9223372036854775808.0);
  EXPECT_EQ(sum("9223372036854775807"), 9223372036854775807.0);
  EXPECT_EQ(sum("19223372036854775808"), 19223372036854775808.0);
  EXPECT_EQ(sum("+7"), 7.0);
  EXPECT_EQ(sum("000000000000000000000000000012"), 12.0);
}

// Everything that default reading takes and strict reading refuses, and the line that is named.
TEST(MatrixMarketRead, Strict) {
  const std::string array = "%%MatrixMarket matrix array ";
  const std::string herm = "%%MatrixMarket matrix coordinate complex hermitian\n";
  const std::pair<std::string, int> texts[] = {
      {"%matrixmarket matrix coordinate real general\n1 1 0\n", 1},
      {"%%MatrixMarket vector array real general\n1\n5\n", 1},
      {"%%MatrixMarket matrix coordinate double general\n1 1 0\n", 1},
      {"\xef\xbb\xbf" + banner + "1 1 0\n", 1},
      {banner + "1 +1 0\n", 2},
      {banner + "1 1 2\n1 1 1\n1 1 1\n", 2},
      {banner + "2 2 1\n%c\n1 1 1\n", 3},
      {banner + "2 2 1\n+1 1 1\n", 3},
      {banner + "2 2 2\n1 1 1\n2 2 nan\n", 4},
      {banner + "2 2 2\n1 1 1\n2 2 -inf\n", 4},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", 3},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 99999999999999999999\n", 3},
      {herm + "2 2 2\n2 1 1 1\n2 2 1 1\n", 4},
      {array + "real general\n2 1\n1 2\n", 3},
      {array + "complex hermitian\n2 2\n1 0\n1 1\n\n1 1\n", 6},
  };
  for (const auto& [text, line] : texts) {
    EXPECT_NO_THROW(parse<Complex64>(text)) << text;
    const std::string what = error_of([&, &t = text] { parse<Complex64>(t, {.strict = true}); });
    EXPECT_TRUE(what.starts_with("text:" + std::to_string(line) + ": strict: ")) << text << what;
  }
}

TEST(MatrixMarketRead, EveryChunkBoundary) {
  const std::string head = banner + "% c\n4 5 6\n";
  const std::string body = "1 1 1.5\r\n\n  2 5  -2e-3 \n% between\n3 1 7\n\t4 4 1\n4 4 1\n1 2 12345678901234567";
  const auto expected = parse<double>(head + body);
  for (std::int64_t bytes = 1; bytes <= static_cast<std::int64_t>(body.size()) + 1; ++bytes)
    EXPECT_TRUE(test::same_bits(expected, parse<double>(head + body, {}, bytes))) << bytes;
  const std::string array = "%%MatrixMarket matrix array real symmetric\n3 3\n1 2\n\n%\n3 4 5\n6";
  const auto dense_expected = parse<double>(array);
  for (std::int64_t bytes = 1; bytes < 30; ++bytes)
    EXPECT_TRUE(test::same_bits(dense_expected, parse<double>(array, {}, bytes))) << bytes;
}

TEST(MatrixMarketRead, FirstBadLineForEveryChunkSizeAndThreads) {
  std::string text = banner + "9 9 40\n";
  for (int line = 3; line < 43; ++line) text += line == 20 ? "1 10 1\n" : line == 31 ? "x\n" : "1 1 1\n";
  const std::string too_many = banner + "9 9 2\n1 1 1\n\n%\n1 1 1\n1 1 1\nx\n";
  for (const int threads : {1, 2, 3})
    for (std::int64_t bytes = 1; bytes < 300; bytes += 1 + bytes / 10) {
      const ReadOptions options{.num_threads = threads};
      EXPECT_EQ(error_of([&] { parse<double>(text, options, bytes); }), "text:20: column 10 is outside 1..9");
      EXPECT_EQ(error_of([&] { parse<double>(too_many, options, bytes); }),
                "text:7: too many entries: line 2 declares 2");
    }
}

TEST(MatrixMarketRead, SameBitsForEveryNumberOfThreads) {
  test::Numbers numbers;
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n300 300 5000\n";
  for (int k = 0; k < 5000; ++k) {
    const Index i = numbers.below(300), j = numbers.below(300);
    text += join(i + 1, ' ', j + 1, ' ', 0.001 * numbers.below(1000000), '\n');
  }
  const auto expected = parse<double>(text, {.num_threads = 1});
  for (const int threads : {1, 2, 3})
    for (const std::int64_t bytes : {64, 1000, 100000})
      EXPECT_TRUE(test::same_bits(expected, parse<double>(text, {.num_threads = threads}, bytes)));
}

TEST(MatrixMarketRead, ProgressRisesToOne) {
  std::vector<double> seen;
  parse<double>(banner + "2 2 2\n1 1 1\n2 2 1\n", {.progress = [&](double f) { seen.push_back(f); }}, 4);
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1);
}

// A prefix is refused, or holds the same matrix: nothing is lost in silence. The last value could be cut
// within its digits, so the text ends in a value of one digit.
TEST(MatrixMarketRead, EveryPrefix) {
  for (const std::string& text :
       {banner + "%x\n3 3 3\n1 1 1.25\n2 3 -1e5\n3 3 7\n",
        std::string("%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 4\n"),
        std::string("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n")}) {
    const auto whole = parse<Complex64>(text);
    for (std::size_t length = 0; length < text.size(); ++length) {
      const std::string prefix = text.substr(0, length);
      const std::string what = error_of([&] { EXPECT_TRUE(test::same_bits(whole, parse<Complex64>(prefix))); });
      EXPECT_TRUE(length + 1 == text.size() || what.starts_with("text:")) << prefix;
    }
  }
}

// One byte of a file replaced by any other: a matrix or an IoError, never anything else.
TEST(MatrixMarketRead, EveryByteReplaced) {
  const std::string text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.25\n3 3 -7\n";
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(byte);
      error_of([&] { check_csr(parse<double>(damaged, {.num_threads = 1}, 8)); });
    }
}

}  // namespace
}  // namespace millrace
