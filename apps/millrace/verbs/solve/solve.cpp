// millrace solve: A x = b by a Krylov method or a factorisation, chosen by name or by what the matrix looks like.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/precond/by_name.hpp"
#include "millrace/solve/by_name.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "millrace/tune/null_vector.hpp"
#include "terminal/progress.hpp"
#include "terminal/residual_view.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"
#include "verbs/solve/report.hpp"

namespace millrace::command {

namespace {

struct SolveArguments {
  std::string matrix, rhs, start, solution, without, method = "auto", precond = "auto", format = "auto", order,
                                                     precision, device = "cpu", history;
  double tolerance = -1, absolute = 0;
  std::uint64_t max_factor_bytes = 0;
  int max_iterations = 1000, restart = 0, num_threads = 0;
  bool mixed = false, json = false;
  std::int64_t max_memory = 0;
  Drawing drawing = Drawing::automatic;
};

template <class T>
double max_error(const std::vector<T>& x, const std::vector<T>& known) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(x[i] - known[i]);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

/// b = A times the known solution, on the host.
template <class T>
std::vector<T> known_product(Queue& queue, const Csr<T>& a) {
  const std::vector<T> x = known_solution<T>(a.num_cols);
  std::vector<T> b(static_cast<std::size_t>(a.num_rows));
  Queue on_host;
  const SparseMatrix<T> matrix(a.clone());
  matrix.apply(queue.device().on_host() ? queue : on_host, {.x = x, .y = b});
  return b;
}

/// What is known to be wrong before the work: a method by name on a matrix that it does not take.
std::string warning_of(const std::string& method, const AutoReport& report, bool complex_numbers) {
  const auto found = std::find_if(methods().begin(), methods().end(), [&](const auto& m) { return m.name == method; });
  if (found == methods().end() || !found->hermitian || report.symmetric) return {};
  return fmt::format("{} is for {} matrices, which this one is not: it may end anywhere; gmres takes any", method,
                     complex_numbers ? "Hermitian" : "symmetric");
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
    const AnyCsr any = read_or_make(arguments_.matrix, false, arguments_.max_memory);
    summary_.matrix = matrix_facts(arguments_.matrix, any);
    require(summary_.matrix.rows == summary_.matrix.cols, summary_.matrix.name, ": is ", summary_.matrix.rows, " x ",
            summary_.matrix.cols, "; solve takes square matrices only");
    require(summary_.matrix.rows > 0, summary_.matrix.name, ": has no rows, so there is nothing to solve");
    summary_.precision = precision_of(any, arguments_.precision);
    with_precision(summary_.precision, [&]<class T>() { solve<T>(sort_rows(in_precision<T>(any))); });
    if (arguments_.json) write_json("-", solve_json(summary_, false));
    std::fflush(stdout);
    const bool written = write_files();
    if (summary_.report.ok()) return written ? exit_ok : exit_error;
    const std::size_t tries = summary_.report.attempts.size();
    const std::string which =
        tries > 1 ? fmt::format("the best of {} tries was {}: ", tries, summary_.report.best().plan.name()) : "";
    fmt::print(stderr, "millrace: not solved: {}{}\n", which, summary_.report.reason);
    return exit_not_solved;
  }

 private:
  void print(const std::string& text) const {
    if (arguments_.json || arguments_.history == "-") return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  /// History and solution, when all has been said: a file that cannot be written changes neither the report nor the
  /// exit code of a system that was not solved.
  bool write_files() {
    bool written = true;
    const auto guarded = [&](const std::function<void()>& write) {
      try {
        if (write) write();
      } catch (const std::exception& error) {
        fmt::print(stderr, "millrace: {}\n", error.what());
        written = false;
      }
    };
    if (!arguments_.history.empty()) guarded([&] { write_json(arguments_.history, solve_json(summary_, true)); });
    guarded(write_solution_);
    return written;
  }

  template <class T>
  void solve(const Csr<T>& a) {
    require<Unsupported>(!arguments_.mixed || sizeof(RealOf<T>) == 8,
                         "--mixed: the numbers are float already; it takes --precision double or complex-double");
    summary_.device = to_string(queue_.device());
    summary_.num_threads = queue_.device().on_host() ? queue_.num_threads() : 0;
    summary_.rhs = arguments_.rhs.empty() ? "A times a pseudo-random vector, so that x is known"
                                          : std::filesystem::path(arguments_.rhs).filename().string();
    summary_.absolute = arguments_.absolute;
    summary_.max_iterations = arguments_.max_iterations;
    const VectorSet<T> b = right_hand_side(a);
    std::vector<T> x = start_vectors(b);
    ResidualLine live;
    const Device host = Device::host();
    summary_.report = millrace::solve(queue_, a, {host, b.values.data(), b.size, b.num},
                                      {host, x.data(), b.size, b.num}, options(live));
    if (arguments_.rhs.empty()) compare(a, x);
    const double cache = static_cast<double>(millrace::facts(queue_.device()).cache_bytes);
    if (summary_.report.best().iteration_bytes > 2 * cache) {
      Progress progress("measuring memory");
      summary_.read_rate = measure_bandwidth(queue_, std::int64_t{256} << 20).read;
    }
    print(solve_text(summary_, style_));
    if (!arguments_.solution.empty())
      write_solution_ = [this, x = std::move(x), num = b.num] { write_solution(x, num); };
  }

  /// With the x that b was made of. Far from it, although A takes both to b: is A singular?
  template <class T>
  void compare(const Csr<T>& a, const std::vector<T>& x) {
    constexpr double far = 1e-2;  // of entries up to 1
    const std::vector<T> known = known_solution<T>(a.num_cols);
    AutoReport& report = summary_.report;
    summary_.error = max_error(x, known);
    if (!report.ok() || report.rcond || !(summary_.error > far)) return;
    Progress progress("looking for a null vector");
    std::vector<T> e = x;
    for (std::size_t i = 0; i < e.size(); ++i) e[i] -= known[i];
    const double bound = bound_of_rcond(queue_, a, report, arguments_.max_iterations, std::move(e));
    if (bound < DirectReport::min_rcond) report.rcond = bound;
  }

  AutoOptions options(ResidualLine& live) {
    AutoOptions options{.method = arguments_.method,
                        .precond = arguments_.precond,
                        .format = arguments_.format,
                        .order = arguments_.order,
                        .tolerance = arguments_.tolerance,
                        .absolute = arguments_.absolute,
                        .max_iterations = arguments_.max_iterations,
                        .restart = arguments_.restart,
                        .mixed = arguments_.mixed,
                        .max_factor_bytes = static_cast<double>(arguments_.max_factor_bytes),
                        .without = split(arguments_.without)};
    options.on.planned = [this](const AutoReport& report) {
      summary_.report = report;
      summary_.warning = warning_of(arguments_.method, report, summary_.precision.starts_with("complex"));
      print(solve_head(summary_, style_));
    };
    options.on.started = [this, &live](const SolvePlan& plan, const SolveOptions& under) {
      print(attempt_head(plan, ++tries_, style_));  // before the set-up, which may take long
      live.start(plan.name(), under.tolerance, under.max_iterations);
    };
    if (live.shown())
      options.on.monitor = [&live](int iteration, double relative) {
        live.update(iteration, relative);
        return true;
      };
    options.on.finished = [this, &live](const AutoReport& report) {
      live.wipe();
      print(attempt_text(report.attempts.back()));
    };
    options.on.skipped = [this](const AutoReport& report) { print(named_line("skipped", report.skipped.back())); };
    return options;
  }

  template <class T>
  void write_solution(const std::vector<T>& x, Index num) const {
    const SolveReport& r = summary_.report;
    WriteOptions options;
    options.comment = fmt::format("x of A x = b, A: {}, b: {}; {}: {}", summary_.matrix.name, summary_.rhs,
                                  to_string(r.end), r.reason);
    write_vectors<T>(arguments_.solution, x, num, options);
  }

  template <class T>
  VectorSet<T> right_hand_side(const Csr<T>& a) {
    if (arguments_.rhs.empty()) return {a.num_rows, 1, known_product(queue_, a)};
    VectorSet<T> b = read_vectors<T>(arguments_.rhs);
    require(b.size == a.num_rows, arguments_.rhs, ": has ", b.size, " numbers in a column; the matrix has ", a.num_rows,
            " rows");
    require(b.num > 0, arguments_.rhs, ": has no columns, so there is nothing to solve for");
    return b;
  }

  template <class T>
  std::vector<T> start_vectors(const VectorSet<T>& b) const {
    if (arguments_.start.empty()) return std::vector<T>(b.values.size());
    VectorSet<T> x = read_vectors<T>(arguments_.start);
    require(x.size == b.size && x.num == b.num, arguments_.start, ": is ", x.size, " x ", x.num,
            "; start vectors need the size of the right-hand side, ", b.size, " x ", b.num);
    return std::move(x.values);
  }

  const SolveArguments& arguments_;
  Queue queue_;
  Style style_;
  SolveSummary summary_;
  std::size_t tries_ = 0;
  std::function<void()> write_solution_{};  // x into its file; empty: nowhere
};

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
      ->check(checked_by([](const std::string& text) { check_precond_choice(text); }))
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
  app->add_option("--threads", arguments->num_threads, "Host threads (default: OMP_NUM_THREADS, or one per core)")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  app->add_option("--history", arguments->history, "Write the record with all residuals as JSON")->type_name("FILE");
  app->add_flag("--json", arguments->json, "The record as JSON on standard output instead of the text");
  add_max_memory(*app, arguments->max_memory);
  add_drawing(*app, arguments->drawing);
  add_examples(*app,
               {{"millrace solve A.mtx", "b = A times a random vector; method, preconditioner and format are chosen"},
                {"millrace solve A.mtx -b b.mtx -x x.mtx --tol 1e-10", "one system, its solution into a file"},
                {"millrace solve A.mtx --method direct", "a factorisation, with a condition estimate"},
                {"millrace solve laplace3d7:n=64 --method cg --precond none --device gpu", "as asked, on a GPU"}},
               word_list("Ends, as the report names them", solve_ends()) + word_list("Methods", solve_methods()) +
                   word_list("Preconditioners", meanings(preconditioners())));
  return {app, [arguments] { return Solve(*arguments)(); }};
}

}  // namespace millrace::command
