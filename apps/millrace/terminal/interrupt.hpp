// Ctrl-C and its relatives: unfinished output files are removed and the shell gets 128 + the signal.
#pragma once

namespace millrace::command {

/// For SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, and SIGPIPE (a closed standard output ends the command quietly). A
/// file that grows beyond its limit (SIGXFSZ) is an error of the write.
void install_signal_handlers();

/// Remembers whether a progress bar stands on the terminal, for an interruption to wipe; returns what held before.
bool progress_shown(bool shown);

}  // namespace millrace::command
