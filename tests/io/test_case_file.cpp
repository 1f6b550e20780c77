// Tables of case files: values, and an error with file, line and column for everything that is wrong.
#include "millrace/io/case_file.hpp"

#include <gtest/gtest.h>

#include "expect.hpp"
#include "millrace/base/error.hpp"
#include "millrace/io/case_formulas.hpp"

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

// The very character, where the file has the text as it is; its number in the text elsewhere.
TEST(CaseFile, ErrorsOfFormulasHaveTheirColumn) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const CaseTable file = parse_case(R"([a]
plain = "1 + q"
  literal = 'x + sin(x'
list = [1, "x", "y < x < 1"]
escaped = "1 + \u0071"
long = """1 +
  q"""
three = """1 + q"""
wide = "ä + q"
inline = {k = "2 ** x"}
missing = ""
tab = "1 +\tq"
)",
                                    "c.toml");
  const CaseTable& a = file.table("a");
  const auto refused = [](const CaseTable& table, const char* key, int count, const std::string& wanted) {
    const std::string text = error_of([&] { parse_formulas(table, key, count, {}); });
    EXPECT_TRUE(text.starts_with(wanted)) << text << "\nwanted: " << wanted;
  };
  refused(a, "plain", 1, "c.toml:2:14: 'q' is unknown; there are: x y z pi sin");
  refused(a, "literal", 1, "c.toml:3:23: found the end; expected was ')'");
  refused(a, "list", 3, "c.toml:4:24: found '<' behind a comparison");
  refused(a, "escaped", 1, "c.toml:5:11: character 5 of the text: 'q' is unknown");
  refused(a, "long", 1, "c.toml:6:8: character 7 of the text: 'q' is unknown");
  refused(a, "three", 1, "c.toml:8:9: character 5 of the text: 'q' is unknown");
  refused(a, "wide", 1, "c.toml:9:9: found 'ä'");
  refused(a.table("inline"), "k", 1, "c.toml:10:19: found '*'; expected was a number, a name or '('");
  refused(a, "missing", 1, "c.toml:11:12: found the end");
  refused(a, "tab", 1, "c.toml:12:7: character 5 of the text: 'q' is unknown");
  EXPECT_EQ((PlacedText{"äb", "c:1:5", true}.place_of(2)), "c:1:7");  // two bytes, one column
}

TEST(CaseFile, ConstantsMayUseEachOther) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const CaseTable file = parse_case(R"([good]
a = "2 * b"
b = "c + x"
c = 3
[circle]
a = "b"
b = "a"
[word]
sin = 1
[letter]
x = 1
[dash]
"a-b" = 1
)",
                                    "c.toml");
  EXPECT_DOUBLE_EQ(parse_constants(file.table("good"), {}, true).at("a").at({1, 0, 0}), 8);
  const auto refused = [&](const char* table, const std::string& wanted) {
    const std::string text = error_of([&] { parse_constants(file.table(table), {}, true); });
    EXPECT_TRUE(text.starts_with(wanted)) << text;
  };
  refused("circle", "c.toml:6:6: 'b' is unknown; there are: x y z pi sin");
  refused("word", "c.toml:9:7: 'word.sin' has a meaning in formulas already");
  refused("letter", "c.toml:11:5: 'letter.x' has a meaning in formulas already");
  refused("dash", "c.toml:13:9: 'dash.a-b' is no name for formulas; letters, digits and _ are accepted, with a letter");
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
