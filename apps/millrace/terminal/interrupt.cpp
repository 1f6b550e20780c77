// Handlers of the signals; what they call is safe inside a handler.
#include "terminal/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "millrace/io/output_file.hpp"

namespace millrace::command {

namespace {

std::atomic<bool> bar_on_screen{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // so a signal handler may read it

// Only what POSIX allows in a signal handler.
extern "C" void end_by_signal(int signal) {
  remove_unfinished_output_files();
  constexpr std::string_view wipe = "\r\033[K";
  if (bar_on_screen && write(STDERR_FILENO, wipe.data(), wipe.size()) < 0) _exit(128 + signal);
  _exit(128 + signal);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = end_by_signal;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU}) {
    struct sigaction before {};
    const bool ignored = sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored || signal == SIGPIPE) sigaction(signal, &action, nullptr);  // nohup keeps its promise
  }
  std::signal(SIGXFSZ, SIG_IGN);  // the write that went too far fails, and its text says why
}

bool progress_shown(bool shown) { return bar_on_screen.exchange(shown); }

}  // namespace millrace::command
