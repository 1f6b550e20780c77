// A verb of the command: its options stand in a CLI11 subcommand, its work is one function.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace millrace::command {

/// What a verb returns to the shell, beside 128 + the signal that ended it.
enum ExitCode { exit_ok = 0, exit_error = 1, exit_usage = 2, exit_wrong_result = 3, exit_not_solved = 4 };

struct Verb {
  CLI::App* options;
  std::function<int()> run;  // returns an ExitCode
  bool on_ranks = false;     // works on many ranks, too
};

/// Runs the verb that the command line names, or says what is wrong with it. Returns an ExitCode.
int run_verb(int argc, char** argv);

Verb add_inspect(CLI::App& root);
Verb add_bench(CLI::App& root);
Verb add_solve(CLI::App& root);
Verb add_eig(CLI::App& root);
Verb add_pde(CLI::App& root);
Verb add_flow(CLI::App& root);
Verb add_bp(CLI::App& root);
Verb add_tune_gemm(CLI::App& root);
Verb add_convert(CLI::App& root);
Verb add_gen(CLI::App& root);
Verb add_devices(CLI::App& root);

}  // namespace millrace::command
