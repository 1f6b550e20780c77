// Ctrl-C and its relatives: unfinished output files are removed and the shell gets 128 + the signal.
#pragma once

namespace millrace::command {

/// Standard input, output and error that are closed become /dev/null: a file that is opened later must not get their
/// numbers, and what is printed then.
void open_standard_descriptors();

/// For SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, and SIGPIPE (a closed standard output ends the
/// command quietly). A file that grows beyond its limit (SIGXFSZ) is an error of the write.
void install_signal_handlers();

/// While one lives, the first of them but SIGQUIT and SIGPIPE ends nothing: work that asks for it stops at the next
/// good moment. The second one ends the command as always.
class SoftInterruption {
 public:
  explicit SoftInterruption(bool on);
  SoftInterruption(const SoftInterruption&) = delete;
  SoftInterruption& operator=(const SoftInterruption&) = delete;
  ~SoftInterruption();

  /// The signal that came; 0: none.
  static int signal();
};

/// Remembers whether a progress bar stands on the terminal, for an interruption to wipe; returns what held before.
bool progress_shown(bool shown);

}  // namespace millrace::command
