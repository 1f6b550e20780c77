// The list of all verbs, and the run of the one that the command line names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "command.hpp"
#include "millrace/base/comm.hpp"
#include "millrace/base/printable.hpp"
#include "millrace/bench/build_info.hpp"
#include "terminal/terminal.hpp"
#include "verb.hpp"
#include "verbs/bench/peer_trial.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

constexpr Verb (*verbs[])(CLI::App&) = {
    add_inspect, add_bench,     add_solve,   add_eig, add_pde,
#if MILLRACE_COMMAND_FLOW
    add_flow,
#endif
    add_bp,      add_tune_gemm, add_convert, add_gen, add_devices,
};

// CLI11's text in one line, with where to look further.
int usage_error(const std::string& text, const std::string& verb) {
  const std::string line = printable(text.substr(0, text.find('\n')));
  if (talks()) fmt::print(stderr, "millrace: {} (see millrace {}--help)\n", line, verb.empty() ? "" : verb + " ");
  return exit_usage;
}

// A verb for one rank would do its work as many times as there are ranks, and write the same files.
bool may_run(const Verb& verb, const std::vector<Verb>& list) {
  const int ranks = Comm::world().size();
  if (ranks == 1 || verb.on_ranks) return true;
  std::vector<std::string> names;
  for (const Verb& other : list)
    if (other.on_ranks) names.push_back(other.options->get_name());
  if (talks())
    fmt::print(stderr, "millrace: {} works on one rank, and was started on {}; {} work on many\n",
               verb.options->get_name(), ranks, fmt::join(names, ", "));
  return false;
}

}  // namespace

int run_verb(int argc, char** argv) {
  CLI::App app("Millrace: sparse products at the speed of memory, and how close to it they come.");
  app.name("millrace");
  app.get_formatter()->column_width(34);
  app.set_version_flag("--version", version_text(), "Version and features of this build");
  app.require_subcommand(0, 1);
  app.footer(
      "Examples:\n  millrace inspect A.mtx\n  millrace bench A.mtx\n  millrace gen poisson3d7:n=64 -o A.mrx\n"
      "\nEach verb has its own help: millrace bench --help\n"
      "Exit codes: 0 done, 1 an error in the input, 2 wrong usage, 3 a wrong result, 4 not solved, 130 Ctrl-C");
  std::vector<Verb> list;
  std::string names;
  for (const auto add : verbs) {
    list.push_back(add(app));
    refuse_infinite_values(*list.back().options);
    names += (names.empty() ? "" : " ") + list.back().options->get_name();
  }
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == peer_trial_word) return try_peers(argc, argv);
  const bool known =
      std::any_of(list.begin(), list.end(), [&](const Verb& v) { return v.options->get_name() == first; });
  if (!first.empty() && first[0] != '-' && !known)
    return usage_error(fmt::format("unknown verb '{}'; there are: {}", first, names), "");
  try {
    app.parse(argc, argv);
    for (const Verb& verb : list)
      if (verb.options->parsed()) return may_run(verb, list) ? verb.run() : exit_error;
  } catch (const CLI::Success& asked) {  // --help or --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    for (const std::string& word : app.remaining(true))  // what was written before what was left out
      if (word.starts_with('-')) return usage_error(fmt::format("unknown option '{}'", word), known ? first : "");
    return usage_error(error.what(), first.starts_with('-') ? "" : first);
  }
  if (talks()) fmt::print(stderr, "{}", app.help());
  return exit_usage;
}

}  // namespace millrace::command
