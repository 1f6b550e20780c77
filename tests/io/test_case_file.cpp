// Tables of case files: values, and an error with file, line and column for everything that is wrong.
#include "millrace/io/case_file.hpp"

#include <gtest/gtest.h>

#include "expect.hpp"
#include "millrace/base/error.hpp"

namespace millrace::testing {

TEST(CaseFile, GivesValues) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const CaseTable file = parse_case(
      "title = 'a'\n[mesh]\ncells = [2, 3.5]\nfine = true\norder = 3\nsize = 2\n[mesh.part]\nf = ['x', 2, 0.5]\n", "c");
  EXPECT_EQ(file.text("title").text, "a");
  const CaseTable& mesh = file.table("mesh");
  EXPECT_EQ(mesh.numbers("cells", 2), (std::vector<double>{2, 3.5}));
  EXPECT_TRUE(mesh.flag("fine", false));
  EXPECT_EQ(mesh.integer("order", 1, 6), 3);
  EXPECT_EQ(mesh.integer("none", 1, 6, 5), 5);
  EXPECT_DOUBLE_EQ(mesh.positive("size"), 2);
  const std::vector<PlacedText> formulas = mesh.table("part").formulas("f", 3);
  EXPECT_EQ(formulas[0].text, "x");
  EXPECT_EQ(formulas[0].place, "c:8:6");
  EXPECT_EQ(formulas[1].text, "2");
  EXPECT_EQ(formulas[2].text, "0.5");
  EXPECT_EQ(mesh.table("part").name(), "mesh.part");
  mesh.refuse_others();
  file.refuse_others();
}

TEST(CaseFile, SaysWhereAndWhat) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const CaseTable file = parse_case(
      "[a]\nword = 'yes'\nnumber = 2.5\nlist = [1, 'x']\nbig = inf\nfar = -3\n[a.b]\nday = 1\n", "case.toml");
  const CaseTable& a = file.table("a");
  const auto refused = [](auto&& ask, const std::string& wanted) { EXPECT_EQ(error_of(ask), wanted); };
  refused([&] { a.number("word"); }, "case.toml:2:8: 'a.word' is a text; a number is accepted");
  refused([&] { a.text("number"); }, "case.toml:3:10: 'a.number' is a number; a text is accepted");
  refused([&] { a.integer("number", 1, 6); },
          "case.toml:3:10: 'a.number' is a number; a whole number from 1 to 6 is accepted");
  refused([&] { a.integer("far", 1, 6); }, "case.toml:6:7: 'a.far' is -3; 1 to 6 are accepted");
  refused([&] { a.positive("far"); }, "case.toml:6:7: 'a.far' is -3; a positive number is accepted");
  refused([&] { a.numbers("list", 2); }, "case.toml:4:12: 'a.list' is a text; a number is accepted");
  refused([&] { a.numbers("list", 3); }, "case.toml:4:8: 'a.list' has 2 entries; an array of 3 numbers is accepted");
  refused([&] { a.number("big"); }, "case.toml:5:7: 'a.big' is inf; a finite number is accepted");
  refused([&] { a.number("none"); }, "case.toml:1:1: [a] needs 'none', a number");
  refused([&] { a.flag("word", true); }, "case.toml:2:8: 'a.word' is a text; true or false is accepted");
  refused([&] { a.choice("word", {"roe", "other"}); }, "case.toml:2:8: 'a.word' is 'yes'; accepted are: roe, other");
  refused([&] { a.table("word"); }, "case.toml:2:8: 'a.word' is a text; a table, [a.word], is accepted");
  refused([&] { a.table("b").refuse_others(); }, "case.toml:8:7: 'a.b.day' is no key here; accepted are: ");
  a.table("b").has("night");
  refused([&] { a.table("b").refuse_others(); }, "case.toml:8:7: 'a.b.day' is no key here; accepted are: night");
}

TEST(CaseFile, RefusesWhatIsNoToml) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string text = error_of([] { parse_case("a = 1\nb = = 2\n", "c.toml"); });
  EXPECT_TRUE(text.starts_with("c.toml:2:")) << text;
  EXPECT_NE(error_of([] { parse_case("a = 1\na = 2\n", "c.toml"); }), "");
  EXPECT_NE(error_of([] { parse_case("d = 2020-01-01\n", "c.toml"); }).find("a date or a time"), std::string::npos);
  EXPECT_NE(error_of([] { read_case_file("/nowhere/case.toml"); }).find("/nowhere/case.toml"), std::string::npos);
}

}  // namespace millrace::testing
