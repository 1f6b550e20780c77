// Every file of the table of odd Matrix Market files gets its verdict, with and without strict.
#include <cmath>
#include <set>

#include "io/io_tools.hpp"
#include "millrace/io/matrix_file.hpp"

namespace millrace {
namespace {

struct Outcome {
  std::string error;  // empty when the file was read
  std::complex<double> sum;
  double bound = 0;
};

Outcome read(const std::filesystem::path& file, bool strict) {
  Outcome outcome;
  outcome.error = test::error_of([&] {
    std::visit(
        [&](const auto& a) {
          const auto sums = test::sums_of(a);
          outcome.sum = sums.sum;
          outcome.bound = sums.bound(a.num_entries());
        },
        read_matrix(file, {.strict = strict}));
  });
  return outcome;
}

bool names_per_line(const std::string& error, const std::filesystem::path& file) {
  const std::string path = file.string() + ":";
  if (!error.starts_with(path)) return false;
  const auto end = error.find_first_not_of("0123456789", path.size());
  return end > path.size() && error.compare(end, 2, ": ") == 0;
}

TEST(DataOddFiles, EveryVerdict) {
  const auto folder = test::data_folder() / "mtx_odd";
  if (test::data_folder().empty()) GTEST_SKIP() << "MILLRACE_DATA does not name the folder of test matrices";
  const auto table = test::read_table(folder / "mtx_odd.tsv");
  ASSERT_EQ(table.size(), 271u);
  // Values that no double holds, though the table calls this file an extension.
  const std::set<std::string> overflow_too = {"fmm_longcomplex_coordinate.mtx"};
  for (std::size_t line = 1; line < table.size(); ++line) {
    const std::string &name = table[line][0], &verdict = table[line][1], &why = table[line][2], &sum = table[line][8];
    const auto file = folder / name;
    SCOPED_TRACE(name + " is " + verdict + ": " + why);
    for (const bool strict : {false, true}) {
      const Outcome outcome = read(file, strict);
      EXPECT_TRUE(outcome.error.empty() || names_per_line(outcome.error, file)) << outcome.error;
      const bool too_large = why.find("dimension over int32") != why.npos;
      const bool overflow = (verdict == "valid-overflow" && sum.empty()) || overflow_too.contains(name);
      if (too_large || overflow) {
        EXPECT_NE(outcome.error.find(too_large ? "32 bits" : "overflow"), outcome.error.npos) << outcome.error;
        continue;
      }
      const bool underflow = why.find("underflow") != why.npos;
      const bool accepted = verdict == "valid" || underflow ||
                            (!strict && verdict != "invalid" && !(verdict == "lenient" && sum.empty()));
      ASSERT_EQ(outcome.error.empty(), accepted) << "strict " << strict << ' ' << outcome.error;
      if (!accepted) continue;
      if (sum.empty())
        EXPECT_FALSE(std::isfinite(std::abs(outcome.sum)));
      else
        EXPECT_LE(std::abs(outcome.sum - test::parse_complex(sum)), outcome.bound);
    }
  }
}

}  // namespace
}  // namespace millrace
