// Options of multigrid as words: every key, and refusals that name what is accepted.
#include "millrace/precond/amg_words.hpp"

#include <algorithm>

#include "precond_tools.hpp"

namespace millrace::testing {

TEST(AmgWords, EveryKeyIsRead) {
  const AmgOptions none = read_amg_words("");
  EXPECT_EQ(none.theta, AmgOptions{}.theta);
  const AmgOptions all =
      read_amg_words("theta=0.25,block=3,damping=0,cycle=k,smoother=fourth-kind-optimal,degree=4,precision=bfloat16");
  EXPECT_EQ(all.theta, 0.25);
  EXPECT_EQ(all.block, 3);
  EXPECT_EQ(all.damping, 0);
  EXPECT_EQ(all.cycle, AmgCycle::k);
  EXPECT_EQ(all.smoother, AmgSmoother::fourth_kind_optimal);
  EXPECT_EQ(all.degree, 4);
  EXPECT_EQ(all.precision, Precision::bfloat16);
  EXPECT_EQ(read_amg_words("smoother=block-jacobi").smoother, AmgSmoother::block_jacobi);
  AmgOptions given;
  given.block = 6;
  EXPECT_EQ(read_amg_words("cycle=v", given).block, 6);
  for (const char* word : {"theta", "block", "damping", "cycle", "smoother", "degree", "precision"})
    EXPECT_TRUE(std::ranges::any_of(amg_keys(), [&](const auto& key) { return key.first == word; })) << word;
}

TEST(AmgWords, RefusalsNameWhatIsAccepted) {
  const auto text = [](const char* words) { return error_of([&] { read_amg_words(words); }); };
  EXPECT_EQ(text("speed=2"),
            "amg: unknown key 'speed'; there are: theta block damping cycle smoother degree precision");
  EXPECT_EQ(text("cycle=f"), "amg: cycle=f is not possible; accepted is v|w|k");
  EXPECT_EQ(text("smoother=jacobi"),
            "amg: smoother=jacobi is not possible; accepted is chebyshev|fourth-kind|"
            "fourth-kind-optimal|l1-jacobi|block-jacobi");
  EXPECT_EQ(text("theta=0.1,theta=0.2"), "amg: theta is given twice");
  EXPECT_EQ(text("theta=0.1,"), "amg: KEY=VALUE is missing after the last comma");
  EXPECT_NE(text("v").find("'v' is not KEY=VALUE; keys are: theta"), std::string::npos);
  EXPECT_EQ(text("smoother=fourth-kind-optimal,degree=7"), "amg: fourth-kind-optimal with degree=7; it takes 1 to 6");
  for (const char* wrong : {"theta=-1", "theta=nan", "theta=inf", "theta=", "theta=1x", "block=0", "block=2.5",
                            "block=999", "degree=0", "damping=2", "precision=half", "=1", ",", "cycle=V"})
    EXPECT_FALSE(text(wrong).empty()) << wrong;
}

TEST(AmgWords, TheShortTextNamesLevelsAndWhatIsOdd) {
  AmgReport report;
  report.levels = {{.rows = 100}, {.rows = 9}};
  report.operator_complexity = 1.25;
  report.dense_coarsest = true;
  EXPECT_TRUE(short_text(report).starts_with("2 levels of 100, 9 rows, operator complexity 1.25; made in "));
  report.dense_coarsest = false;
  report.null_vectors = 1;
  report.replaced_diagonals = 4;
  for (const char* words : {"only smoothed", "4 diagonals were zero or missing", "singular: 1 null vectors"})
    EXPECT_NE(short_text(report).find(words), std::string::npos) << words;
}

}  // namespace millrace::testing
