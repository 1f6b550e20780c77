// The small picture in a terminal: half blocks, colours, and where it is drawn.
#include "verbs/flow/small_view.hpp"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::command {

using Rgb = SmallPicture::Rgb;

inline SmallPicture three_by_three() {
  SmallPicture picture{.width = 3, .height = 3, .low = -1, .high = 2.5};
  const Rgb red{255, 0, 0}, grey{128, 128, 128}, blue{0, 0, 255};
  picture.pixels = {red, std::nullopt, std::nullopt, grey, blue, std::nullopt, red, red, std::nullopt};
  picture.bar = {red, grey, blue};
  return picture;
}

TEST(SmallView, TwoPixelsInACharacter) {
  EXPECT_EQ(half_blocks(three_by_three(), ColourDepth::full),
            "\033[38;2;255;0;0m\033[48;2;128;128;128m▀\033[0m\033[38;2;0;0;255m▄\033[0m\n"
            "\033[38;2;255;0;0m▀▀\033[0m\n");
  EXPECT_EQ(half_blocks(three_by_three(), ColourDepth::palette),
            "\033[38;5;196m\033[48;5;244m▀\033[0m\033[38;5;21m▄\033[0m\n\033[38;5;196m▀▀\033[0m\n");
  const std::string line = colour_line(three_by_three(), "mach", 80, ColourDepth::full);
  EXPECT_TRUE(line.starts_with("mach -1 \033[38;2;255;0;0m█")) << line;
  EXPECT_TRUE(line.ends_with("█\033[0m 2.5\n")) << line;
  EXPECT_EQ(colour_line(three_by_three(), "mach", 5, ColourDepth::full), "mach -1  2.5\n");
}

/// Variables of the environment while one lives.
class Surroundings {
 public:
  explicit Surroundings(const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
      const char* before = std::getenv(name.c_str());
      before_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
      set(name, value);
    }
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() {
    for (const auto& [name, value] : before_) set(name, value.value_or(""));
  }

 private:
  static void set(const std::string& name, const std::string& value) {
    if (value.empty())
      unsetenv(name.c_str());
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST(SmallView, ColoursByTheEnvironment) {
  const auto depth = [](const std::string& term, const std::string& many) {
    const Surroundings surroundings({{"TERM", term}, {"COLORTERM", many}});
    return colour_depth();
  };
  EXPECT_EQ(depth("xterm", ""), ColourDepth::none);
  EXPECT_EQ(depth("xterm-256color", ""), ColourDepth::palette);
  EXPECT_EQ(depth("xterm-256color", "truecolor"), ColourDepth::full);
  EXPECT_EQ(depth("xterm", "24bit"), ColourDepth::full);
  EXPECT_EQ(depth("xterm-direct", ""), ColourDepth::full);
  EXPECT_EQ(depth("dumb", "truecolor"), ColourDepth::none);
  EXPECT_EQ(preview_room(Preview::never, {.color = true, .unicode = true}).depth, ColourDepth::none);
  EXPECT_EQ(preview_room(Preview::automatic, {.color = false, .unicode = true}).depth, ColourDepth::none);
  EXPECT_EQ(preview_room(Preview::automatic, {.color = true, .unicode = false}).depth, ColourDepth::none);
}

/// What the command writes on a terminal of so many columns; "" where the machine has no terminals.
inline std::string on_terminal(const std::vector<std::string>& words, int columns, int& code) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return "";
  const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (slave < 0) return "";
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = 40;
  ioctl(slave, TIOCSWINSZ, &size);
  const pid_t child = test::start_command(words, slave, slave);
  close(slave);
  std::string text;
  char bytes[4096];
  for (ssize_t count = 0; (count = read(master, bytes, sizeof bytes)) > 0;)  // an error once the command has ended
    text.append(bytes, static_cast<std::size_t>(count));
  close(master);
  code = test::wait_for(child);
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

/// Columns of a line without its escape codes.
inline int visible_width(const std::string& line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at)
    if (line[at] == '\033')
      at = line.find('m', at);
    else
      plain += line[at];
  return display_width(plain);
}

TEST(SmallView, AFlowOnATerminal) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const test::Folder folder;
  const std::string file = folder / "small.toml";
  std::ofstream(file) << "[mesh]\ngenerator = 'o-mesh'\naround = 8\nacross = 4\nfar = 10\n[equation]\n"
                         "name = 'navier-stokes'\nmach = 0.3\nreynolds = 20\n[space]\norder = 1\n"
                         "[boundary.wall]\nkind = 'adiabatic-wall'\n[boundary.far]\nkind = 'far-field'\n";
  const std::vector<std::pair<std::string, std::string>> usual{
      {"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}, {"LC_ALL", "C.UTF-8"}, {"NO_COLOR", ""}};
  int code = -1;
  for (const int columns : {40, 80, 200}) {
    const Surroundings surroundings(usual);
    const std::string text = on_terminal({"flow", file}, columns, code);
    if (text.empty()) GTEST_SKIP() << "this machine has no pseudo-terminals";
    EXPECT_EQ(code, 0) << text;
    std::istringstream lines(text);
    int drawn = 0, widest = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.find("▀") != std::string::npos) {
        ++drawn;
        widest = std::max(widest, visible_width(line));
        EXPECT_TRUE(line.ends_with("\033[0m")) << line;
      }
    EXPECT_GT(drawn, 5) << text;
    EXPECT_LE(drawn, 24);
    EXPECT_GT(widest, 20);
    EXPECT_LT(widest, std::min(columns, 80));
    EXPECT_NE(text.find("\nmach "), std::string::npos) << text;
  }
  const auto draws = [&](std::vector<std::pair<std::string, std::string>> changes, std::vector<std::string> words,
                         int columns) {
    const Surroundings surroundings(usual), others(changes);
    words.insert(words.begin(), {"flow", file});
    return on_terminal(words, columns, code).find("▀") != std::string::npos;
  };
  EXPECT_TRUE(draws({{"COLORTERM", ""}}, {}, 80));
  EXPECT_FALSE(draws({{"NO_COLOR", "1"}}, {}, 80));
  EXPECT_FALSE(draws({{"TERM", "dumb"}}, {}, 80));
  EXPECT_FALSE(draws({{"TERM", "xterm"}, {"COLORTERM", ""}}, {}, 80));
  EXPECT_FALSE(draws({{"LC_ALL", "C"}}, {}, 80));
  EXPECT_FALSE(draws({}, {"--ascii"}, 80));
  EXPECT_FALSE(draws({}, {"--preview", "never"}, 80));
  EXPECT_FALSE(draws({}, {}, 20));
  EXPECT_TRUE(draws({{"NO_COLOR", "1"}}, {"--preview", "always"}, 80));
  EXPECT_EQ(test::run_command({"flow", file}).out.find('\033'), std::string::npos);
  EXPECT_NE(test::run_command({"flow", file, "--preview", "always"}).out.find("▀"), std::string::npos);
  EXPECT_EQ(test::run_command({"flow", file, "--preview", "always", "--json", "-"}).out.find("▀"), std::string::npos);
}

}  // namespace millrace::command
