// millrace solve: A x = b by a Krylov method, chosen by name or by what the matrix looks like.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "terminal/progress.hpp"
#include "terminal/residual_view.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"
#include "verbs/solve/auto.hpp"
#include "verbs/solve/format.hpp"
#include "verbs/solve/methods.hpp"
#include "verbs/solve/preconds.hpp"
#include "verbs/solve/report.hpp"

namespace millrace::command {

namespace {

struct SolveArguments {
  std::string matrix, rhs, solution, method = "auto", precond = "auto", format = "auto", order, precision,
                                     device = "cpu", history;
  double tolerance = 0, absolute = 0;
  int max_iterations = 1000, restart = 0, num_threads = 0;
  bool mixed = false, json = false;
  Drawing drawing = Drawing::automatic;
};

constexpr int kept_for_the_last = 100;  // iterations that earlier tries leave for the last one

template <class T>
double max_error_from_ones(const std::vector<T>& x) {
  double largest = 0;
  for (const T& value : x) {
    const double error = std::abs(value - T{1});
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

void check_order(const std::string& text) {
  for (const std::string& word : split(text, '+'))
    if (word != "match" && word != "negate") parse_ordering(word);
}

class Solve {
 public:
  explicit Solve(const SolveArguments& arguments)
      : arguments_(arguments),
        queue_(parse_device(arguments.device), arguments.num_threads),
        style_(style_of_stdout(arguments.drawing)) {
    for (const std::string& output : {arguments.solution, arguments.history})
      if (!output.empty() && output != "-") check_output_place(output);
    if (!arguments.solution.empty()) check_output(arguments.solution, {".mtx", ".mtx.gz", ".mtx.xz"});
  }

  int operator()() {
    const AnyCsr any = read_or_make(arguments_.matrix);
    summary_.matrix = matrix_facts(arguments_.matrix, any);
    require(summary_.matrix.rows == summary_.matrix.cols, summary_.matrix.name, ": is ", summary_.matrix.rows, " x ",
            summary_.matrix.cols, "; solve takes square matrices only");
    require(summary_.matrix.rows > 0, summary_.matrix.name, ": has no rows, so there is nothing to solve");
    summary_.precision = precision_of(any, arguments_.precision);
    with_precision(summary_.precision, [&]<class T>() { solve<T>(sort_rows(in_precision<T>(any))); });
    if (!arguments_.history.empty()) write_json(arguments_.history, solve_json(summary_, true));
    if (arguments_.json) write_json("-", solve_json(summary_, false));
    if (summary_.solved()) return exit_ok;
    std::fflush(stdout);
    fmt::print(stderr, "millrace: not solved: {}{}\n",
               summary_.attempts.size() > 1
                   ? fmt::format("the best of {} tries was {}: ", summary_.attempts.size(), summary_.best().name())
                   : "",
               summary_.best().report.reason);
    return exit_not_solved;
  }

 private:
  void print(const std::string& text) const {
    if (arguments_.json || arguments_.history == "-") return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  template <class T>
  void solve(const Csr<T>& a) {
    const SystemFacts facts = system_facts(a, compute_stats(a));
    require<Unsupported>(!arguments_.mixed || sizeof(RealOf<T>) == 8,
                         "--mixed: the numbers are float already; it takes --precision double or complex-double");
    require(facts.finite, summary_.matrix.name, ": holds NaN or Inf; a system needs finite entries");
    summary_.device = to_string(queue_.device());
    summary_.num_threads = queue_.device().on_host() ? queue_.num_threads() : 0;
    summary_.checks = facts.text();
    summary_.symmetric = facts.hermitian;
    summary_.positive_diagonal = facts.zero_diagonal == 0 && facts.negative_diagonal == 0;
    summary_.rhs = arguments_.rhs.empty() ? "A times ones, so that x should be ones"
                                          : std::filesystem::path(arguments_.rhs).filename().string();
    const std::vector<T> b = right_hand_side(a);
    summary_.options = options<T>();
    const FormatChoice format = chosen_format(facts);
    summary_.format = format.format;
    summary_.format_reason = format.reason;
    print(solve_head(summary_, style_));

    std::vector<T> x(b.size());
    run_plans(a, plans<T>(facts), b, x);
    summary_.error_from_ones = arguments_.rhs.empty() ? max_error_from_ones(x) : -1;
    const double cache = static_cast<double>(millrace::facts(queue_.device()).cache_bytes);
    if (summary_.best().iteration_bytes > 2 * cache) {
      Progress progress("measuring memory");
      summary_.read_rate = measure_bandwidth(queue_, std::int64_t{256} << 20).read;
    }
    print(solve_text(summary_, style_));
    if (!arguments_.solution.empty()) write_solution(x);
  }

  template <class T>
  void write_solution(const std::vector<T>& x) const {
    const SolveReport& r = summary_.best().report;
    require(r.end != SolveEnd::not_a_number, arguments_.solution,
            ": not written, for there is no solution: ", r.reason);
    WriteOptions options;
    options.comment = fmt::format("x of A x = b, A: {}, b: {}; {}: {}", summary_.matrix.name, summary_.rhs,
                                  to_string(r.end), r.reason);
    write_vector<T>(arguments_.solution, x, options);
  }

  template <class T>
  std::vector<T> right_hand_side(const Csr<T>& a) {
    if (arguments_.rhs.empty()) return product_with_ones(queue_, a);
    std::vector<T> b = read_vector<T>(arguments_.rhs);
    require(std::ssize(b) == a.num_rows, arguments_.rhs, ": has ", b.size(), " numbers; the matrix has ", a.num_rows,
            " rows");
    return b;
  }

  template <class T>
  SolveOptions options() const {
    SolveOptions options;
    const double reachable = sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-8;
    options.tolerance = arguments_.tolerance > 0 ? arguments_.tolerance : reachable;
    options.absolute = arguments_.absolute;
    options.max_iterations = arguments_.max_iterations;
    return options;
  }

  FormatChoice chosen_format(const SystemFacts& facts) const {
    if (arguments_.format != "auto") return {arguments_.format, ""};
    const bool plain_cg = arguments_.method == "cg" && arguments_.precond == "none";
    return choose_format(facts.stats, queue_.device(), plain_cg);
  }

  template <class T>
  std::vector<Plan> plans(const SystemFacts& facts) const {
    AutoRequest request{arguments_.method,  arguments_.precond, arguments_.max_iterations,
                        arguments_.restart, sizeof(T),          arguments_.mixed};
    std::vector<Plan> plans = plan_solve(facts, request);
    for (Plan& plan : plans)
      if (!arguments_.order.empty()) plan.order = arguments_.order;
    return plans;
  }

  template <class T>
  void run_plans(const Csr<T>& a, const std::vector<Plan>& plans, const std::vector<T>& b, std::vector<T>& x) {
    SystemToSolve<T> system(queue_, a, summary_.format, arguments_.format == "auto");
    ResidualLine live;
    SolveOptions options = summary_.options;
    double reached = 1;
    int left = options.max_iterations;
    const int kept = std::min(left / 5, kept_for_the_last);
    for (std::size_t k = 0; k < plans.size(); ++k) {
      if (!worth_trying(plans[k], summary_.attempts)) continue;
      const bool others = k + 1 < plans.size();
      options.max_iterations = others ? std::max(0, left - kept) : left;
      if (options.max_iterations == 0 && left > 0) continue;
      Patience patience(options.tolerance, options.max_iterations, patience_window(plans[k], options.max_iterations));
      if (live.shown() || others)
        options.monitor = [&](int iteration, double relative) {
          live.update(iteration, relative);
          return !others || patience(iteration, relative);
        };
      else
        options.monitor = nullptr;
      live.start(Attempt{.plan = plans[k]}.name(), options.tolerance, options.max_iterations);
      std::vector<T> next = x;
      summary_.attempts.push_back(system.attempt(plans[k], b, next, options));
      Attempt& attempt = summary_.attempts.back();
      if (attempt.report.end == SolveEnd::stopped)
        attempt.report.reason =
            fmt::format("given up after {} iterations with a residual of {:.1e}: at this rate the aim is too far",
                        attempt.iterations(), attempt.report.relative);
      if (attempt.report.relative < reached || attempt.report.ok()) {
        reached = attempt.report.relative;
        x = std::move(next);
      }
      live.wipe();
      print(attempt_text(summary_, summary_.attempts.size() - 1, style_));
      left -= attempt.iterations();
      if (attempt.report.ok() || left <= 0) break;
    }
    const StoredMatrix<T>& stored = system.stored();
    if (stored.format != summary_.format) summary_.format_reason = stored.refused;
    summary_.format = stored.format;
  }

  const SolveArguments& arguments_;
  Queue queue_;
  Style style_;
  SolveSummary summary_;
};

}  // namespace

Verb add_solve(CLI::App& root) {
  CLI::App* app = root.add_subcommand("solve", "Solve A x = b, and say how it went");
  auto arguments = std::make_shared<SolveArguments>();
  const auto named = [](auto parse) {
    return checked_by([parse](const std::string& text) {
      if (text != "auto") parse(text);
    });
  };
  app->add_option("A", arguments->matrix, "Matrix file, or a gallery spec such as poisson3d7:n=64")
      ->required()
      ->type_name("MATRIX");
  app->add_option("-b,--rhs", arguments->rhs, "Right-hand side, a file with one column (default: A times ones)")
      ->type_name("FILE");
  app->add_option("-x,--solution", arguments->solution, "Write x as a Matrix Market array")->type_name("FILE");
  app->add_option("--method", arguments->method, fmt::format("auto {}", method_names()))
      ->check(named([](const std::string& text) { find_method(text); }))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--precond", arguments->precond, fmt::format("auto {}", precond_usage()))
      ->check(named([](const std::string& text) { parse_precond(text); }))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--tol", arguments->tolerance, "|b - A x| <= TOL |b| is the aim (default: 1e-8, in float 1e-5)")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("TOL");
  app->add_option("--abs-tol", arguments->absolute, "... or |b - A x| <= TOL")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("TOL");
  app->add_option("--max-iterations", arguments->max_iterations, "Of all tries together")
      ->check(CLI::Range(0, 1 << 30).description(""))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--restart", arguments->restart, "Length of a cycle of GMRES (default: 30; auto: what memory allows)")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("M");
  app->add_option("--format", arguments->format, fmt::format("auto, or one of: {}", format_usage()))
      ->check(named([](const std::string& text) { format_choices<double>({text}); }))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--order", arguments->order, "Reorder first: match, an ordering such as rcm, or match+rcm")
      ->check(checked_by(check_order))
      ->type_name("NAME");
  add_precision(*app, arguments->precision, false);
  app->add_flag("--mixed", arguments->mixed, "Solve with matrix and preconditioner in float, and refine in double");
  add_device(*app, arguments->device);
  app->add_option("--threads", arguments->num_threads, "Host threads (default: OMP_NUM_THREADS, or one a core)")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  app->add_option("--history", arguments->history, "Write the record with all residuals as JSON")->type_name("FILE");
  app->add_flag("--json", arguments->json, "The record as JSON on standard output instead of the text");
  add_drawing(*app, arguments->drawing);
  add_examples(*app,
               {{"millrace solve A.mtx", "b = A times ones; method, preconditioner and format are chosen"},
                {"millrace solve A.mtx -b b.mtx -x x.mtx --tol 1e-10", "one system, its solution into a file"},
                {"millrace solve poisson3d7:n=64 --method cg --precond none --device gpu", "as asked, on a GPU"}});
  return {app, [arguments] { return Solve(*arguments)(); }};
}

}  // namespace millrace::command
