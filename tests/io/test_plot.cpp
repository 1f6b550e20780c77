// Plots are whole SVG files with every curve, and refuse what does not fit.
#include "millrace/io/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "expect.hpp"
#include "temporary_folder.hpp"

namespace millrace::test {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Plot, HasCurvesAxesAndNames) {
  const TemporaryFolder folder("millrace-plot");
  const std::filesystem::path file = folder.path() / "a.svg";
  const Plot plot{.title = "a & b",
                  .x_label = "s",
                  .y_label = "p",
                  .curves = {{"first", {0, 1, 2, 3}, {1, 2, NAN, 4}}, {"second", {0, 3}, {-1, -1}}}};
  write_plots(file, {plot, plot});
  const std::string text = text_of(file);
  EXPECT_TRUE(text.starts_with("<svg") && text.ends_with("</svg>\n"));
  EXPECT_NE(text.find("a &amp; b"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  for (const char* word : {">first<", ">second<", ">s<", ">p<", ">0<", ">3.0<"})
    EXPECT_NE(text.find(word), std::string::npos) << word << text;
  write_plots(folder.path() / "b.svg", {plot, plot});
  EXPECT_EQ(text, text_of(folder.path() / "b.svg"));
}

TEST(Plot, OfNothingAndOfOneValue) {
  const TemporaryFolder folder("millrace-plot");
  write_plots(folder.path() / "a.svg", {Plot{}, Plot{.curves = {{"one", {2}, {0}}}}});
  const std::string text = text_of(folder.path() / "a.svg");
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(PlotErrors, SayWhatIsWrong) {
  using testing::error_of;
  const TemporaryFolder folder("millrace-plot");
  EXPECT_NE(error_of<IoError>([&] { write_plots(folder.path() / "a.png", {Plot{}}); }).find("must end in .svg"),
            std::string::npos);
  EXPECT_NE(error_of([&] { write_plots(folder.path() / "a.svg", {}); }).find("at least 1"), std::string::npos);
  const Plot odd{.curves = {{"odd", {1, 2}, {1}}}};
  EXPECT_NE(error_of([&] { write_plots(folder.path() / "a.svg", {odd}); }).find("2 x and 1 y"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.svg"));
}

}  // namespace
}  // namespace millrace::test
