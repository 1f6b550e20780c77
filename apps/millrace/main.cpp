// The command `millrace`: runs a verb, on one rank or many, and says what the shell is told in the end.
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>

#include "command.hpp"
#include "millrace/base/printable.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/command_line.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verb.hpp"
#include "verbs/bench/peer_trial.hpp"

namespace {

using namespace millrace;
using namespace millrace::command;

// A text may quote a file or a name, and neither reaches the terminal as it is.
int fail(const std::string& text) {
  if (talks()) std::fprintf(stderr, "millrace: %s\n", printable(text).c_str());
  return exit_error;
}

// What all ranks know, one says; what one rank alone knows ends all of them.
int fail(const Comm& world, const std::exception& error, const std::string& text) {
  if (world.size() == 1 || dynamic_cast<const OnAllRanks*>(&error)) return fail(text);
  std::fprintf(stderr, "millrace: rank %d of %d: %s\n", world.rank(), world.size(), printable(text).c_str());
  std::fflush(stderr);
  MpiSession::end_job(exit_error);
}

// Ranks with other arguments would wait for each other.
void require_one_command(const Comm& world, int argc, char** argv) {
  std::string mine;
  for (int k = 1; k < argc; ++k) mine += std::string(argv[k]) + '\0';
  const std::string first = world.broadcast(mine);
  together(world, [&] {
    require(mine == first, "was started with other arguments than rank 0; all ranks take the same ones");
  });
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  install_signal_handlers();
  bench::keep_command_line(argc, argv);
  allow_peer_trials();
  std::optional<MpiSession> session;
  Comm world;
  try {
    if (MpiSession::launched()) session.emplace(argc, argv);
    world = Comm::world();
    if (world.rank() > 0) be_silent();
    if (world.size() > 1) require_one_command(world, argc, argv);
    const int code = run_verb(argc, argv);
    if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return fail("standard output cannot be written");
  } catch (const std::bad_alloc& error) {
    return fail(world, error, "there is not enough memory for this");
  } catch (const std::exception& error) {
    return fail(world, error, error.what());
  }
}
