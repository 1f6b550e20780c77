// Handlers of the signals; what they call is safe inside a handler.
#include "terminal/interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "millrace/io/output_file.hpp"

namespace millrace::command {

namespace {

std::atomic<bool> bar_on_screen{false};
std::atomic<bool> soft{false};
std::atomic<int> asked_to_stop{0};
// So a signal handler may read them.
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void say(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // there is nobody to tell
}

// Only what POSIX allows in a signal handler.
extern "C" void end_by_signal(int signal) {
  if (soft && signal != SIGPIPE && signal != SIGQUIT && asked_to_stop.exchange(signal) == 0) {
    const int code = errno;  // of what was interrupted
    say("\nmillrace: stops after this step; once more: at once\n");
    errno = code;
    return;
  }
  remove_unfinished_output_files();
  constexpr std::string_view wipe = "\r\033[K";
  if (bar_on_screen && write(STDERR_FILENO, wipe.data(), wipe.size()) < 0) _exit(128 + signal);
  _exit(128 + signal);
}

}  // namespace

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0) _exit(1);
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = end_by_signal;
  action.sa_flags = SA_RESTART;  // what was interrupted goes on, where the command does
  sigfillset(&action.sa_mask);
  // Batch systems warn by SIGUSR1, SIGUSR2 or SIGXCPU before they kill.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2}) {
    struct sigaction before {};
    const bool ignored = sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored || signal == SIGPIPE) sigaction(signal, &action, nullptr);  // nohup keeps its promise
  }
  std::signal(SIGXFSZ, SIG_IGN);  // the write that went too far fails, and its text says why
}

SoftInterruption::SoftInterruption(bool on) { soft = on; }
SoftInterruption::~SoftInterruption() { soft = false; }
int SoftInterruption::signal() { return asked_to_stop; }

bool progress_shown(bool shown) { return bar_on_screen.exchange(shown); }

}  // namespace millrace::command
