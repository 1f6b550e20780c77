// Draws the bar in place and wipes it at the end.
#include "terminal/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "millrace/base/printable.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

int stderr_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Progress::Progress(std::string task)
    : task_(printable(task)), terminal_(talks() && isatty(STDERR_FILENO) != 0), begin_(Clock::now()), drawn_(begin_) {}

Progress::~Progress() {
  if (progress_shown(false)) fmt::print(stderr, "\r\033[K");
}

void Progress::update(double fraction) {
  using namespace std::chrono_literals;
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - begin_ < 1s || now - drawn_ < 100ms) return;
  drawn_ = now;
  fraction = std::clamp(fraction, 0.0, 1.0);
  constexpr int bar_width = 24;
  const int done = static_cast<int>(fraction * bar_width);
  std::string task = task_;
  const int room = std::max(10, stderr_width() - bar_width - 12);
  if (static_cast<int>(task.size()) > room) task = task.substr(0, static_cast<std::size_t>(room - 3)) + "...";
  progress_shown(true);
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {:3.0f} % {}", "", done, "", bar_width - done, fraction * 100, task);
  std::fflush(stderr);
}

void Progress::update(double fraction, std::string task) {
  task_ = std::move(task);
  update(fraction);
}

std::function<void(double)> Progress::callback() {
  return [this](double fraction) { update(fraction); };
}

}  // namespace millrace::command
