// The command `millrace`: runs a verb, and says what the shell is told in the end.
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>

#include "command.hpp"
#include "millrace/base/comm.hpp"
#include "millrace/base/printable.hpp"
#include "millrace/bench/command_line.hpp"
#include "terminal/interrupt.hpp"
#include "verb.hpp"
#include "verbs/bench/peer_trial.hpp"

namespace {

// A text may quote a file or a name, and neither reaches the terminal as it is.
int fail(const char* text) {
  std::fprintf(stderr, "millrace: %s\n", millrace::printable(text).c_str());
  return millrace::command::exit_error;
}

// Every verb would do its work as many times as there are ranks, and write the same files.
int refuse_ranks(const millrace::Comm& world) {
  if (world.rank() == 0)
    std::fprintf(stderr,
                 "millrace: the command works on one rank, and was started on %d; programs with the library "
                 "(DistributedMatrix) work on many\n",
                 world.size());
  return millrace::command::exit_error;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace millrace::command;
  install_signal_handlers();
  keep_command_line(argc, argv);
  allow_peer_trials();
  std::optional<millrace::MpiSession> session;
  try {
    if (millrace::MpiSession::launched()) session.emplace(argc, argv);
    if (millrace::Comm::world().size() > 1) return refuse_ranks(millrace::Comm::world());
    const int code = run_verb(argc, argv);
    if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return fail("standard output cannot be written");
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
