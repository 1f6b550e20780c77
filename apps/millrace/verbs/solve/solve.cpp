// millrace solve: A x = b by a Krylov method or a factorisation, chosen by name or by what the matrix looks like.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "command.hpp"
#include "millrace/base/together.hpp"
#include "millrace/precond/amg_words.hpp"
#include "millrace/precond/by_name.hpp"
#include "millrace/solve/by_name.hpp"
#include "verb.hpp"
#include "verbs/options.hpp"
#include "verbs/solve/run.hpp"

namespace millrace::command {

namespace {

std::string word_of(const MethodFacts& method) { return std::string(method.name); }
std::string word_of(const PrecondFacts& precond) { return precond.usage(); }

template <class Facts>
Meanings meanings(const std::vector<Facts>& list) {
  Meanings found;
  for (const Facts& facts : list) found.emplace_back(word_of(facts), facts.help);
  return found;
}

Meanings solve_methods() {
  Meanings found = meanings(methods());
  found.emplace_back("direct[-KIND]", direct_help());
  return found;
}

void check_tolerance(const std::string& text) {
  double value = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(status == std::errc{} && end == text.data() + text.size() && value >= 0 && std::isfinite(value), "'", text,
          "' is no tolerance; accepted are finite numbers from 0 on");
}

Meanings solve_ends() {
  return {{"converged", "exit code 0: |b - A x|, recomputed from x, is not above the aim"},
          {"nearly_converged", "exit code 4, as all that follow: up to ten times the aim, and it goes no lower"},
          {"max_iterations", "more of them might help"},
          {"stagnation", "the residual goes no lower, for want of precision or of a better method"},
          {"breakdown", "the method divides by zero or diverges"},
          {"indefinite", "A or the preconditioner is not definite, as the method needs it"},
          {"not_a_number", "NaN or Inf in the data, or numbers that overflowed"},
          {"stopped", "given up, for the aim was too far"}};
}

}  // namespace

Verb add_solve(CLI::App& root) {
  CLI::App* app = root.add_subcommand("solve", "Solve A x = b, and say how it went");
  auto arguments = std::make_shared<SolveArguments>();
  app->add_option("A", arguments->matrix, "Matrix file, or a gallery spec such as laplace3d7:n=64")
      ->required()
      ->type_name("MATRIX");
  app->add_option("-b,--rhs", arguments->rhs,
                  "Right-hand side, a file of one or more columns (default: A times a random vector)")
      ->type_name("FILE");
  app->add_option("--x0", arguments->start, "Start vector, a file as that of b (default: zeros)")->type_name("FILE");
  app->add_option("-x,--solution", arguments->solution, "Write x as a Matrix Market array")->type_name("FILE");
  app->add_option("--method", arguments->method, method_choices())
      ->check(checked_by([](const std::string& text) { check_method_choice(text); }))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--precond", arguments->precond, precond_choices())
      ->check(checked_by([](const std::string& text) { check_precond_choice(text); }, false))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--tol", arguments->tolerance,
                  "|b - A x| <= TOL |b| is the aim, 0: as low as it goes (default: 1e-8, in float 1e-5)")
      ->check(checked_by(check_tolerance))
      ->type_name("TOL");
  app->add_option("--abs-tol", arguments->absolute, "... or |b - A x| <= TOL")
      ->check(checked_by(check_tolerance))
      ->type_name("TOL");
  app->add_option("--max-iterations", arguments->max_iterations, "Of all tries together")
      ->check(CLI::Range(0, 1 << 30).description(""))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--restart", arguments->restart, "Length of a cycle of GMRES (default: 30; auto: what memory allows)")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("M");
  app->add_option("--format", arguments->format, fmt::format("auto, or one of: {}", format_usage()))
      ->check(checked_by([](const std::string& text) {
        if (text != "auto") format_choices<double>({text});
      }))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--order", arguments->order, "Reorder first: scale, match, an ordering such as rcm, or match+rcm")
      ->check(checked_by([](const std::string& text) { order_words(text); }))
      ->type_name("NAME");
  app->add_option("--max-factors", arguments->max_factor_bytes,
                  "Memory for the factors of a direct solve, such as 8G (default: half of the machine's)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("BYTES");
  app->add_option("--without", arguments->without,
                  fmt::format("Parts that auto leaves out, joined by commas: {}", solve_parts()))
      ->check(checked_by([](const std::string& text) { check_solve_part(text); }))
      ->type_name("NAMES");
  add_precision(*app, arguments->precision, false);
  app->add_flag("--mixed", arguments->mixed, "Solve with matrix and preconditioner in float, and refine in double");
  add_device(*app, arguments->device);
  add_threads(*app, arguments->num_threads);
  app->add_option("--history", arguments->history, "Write the record with all residuals as JSON")->type_name("FILE");
  app->add_flag("--json", arguments->json, "The record as JSON on standard output instead of the text");
  add_max_memory(*app, arguments->max_memory);
  add_ranks(*app, arguments->ranks);
  add_drawing(*app, arguments->drawing);
  add_examples(*app,
               {{"millrace solve A.mtx", "b = A times a random vector; method, preconditioner and format are chosen"},
                {"millrace solve A.mtx -b b.mtx -x x.mtx --tol 1e-10", "one system, its solution into a file"},
                {"millrace solve A.mtx --method direct", "a factorisation, with a condition estimate"},
                {"millrace solve laplace3d7:n=64 --method cg --precond none --device gpu", "as asked, on a GPU"},
                {"mpirun -n 4 millrace solve A.mtx -x x.mtx", "on four ranks, none of which has all of A"}},
               word_list("Ends, as the report names them", solve_ends()) + word_list("Methods", solve_methods()) +
                   word_list("Preconditioners", meanings(preconditioners())) +
                   word_list("Keys of amg, as in amg:theta=0.25,cycle=v", amg_keys()));
  return {app,
          [arguments] {
            auto solve = together(Comm::world(), [&] { return std::make_unique<Solve>(*arguments); });
            return (*solve)();
          },
          true};
}

}  // namespace millrace::command
