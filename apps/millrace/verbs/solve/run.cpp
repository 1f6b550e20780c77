// Solves on one rank; the checks, the events and the files of both.
#include "verbs/solve/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "millrace/base/together.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/dist/solve.hpp"
#include "millrace/solve/by_name.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "millrace/tune/null_vector.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

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

}  // namespace

Solve::Solve(const SolveArguments& arguments)
    : arguments_(arguments),
      queue_(device_of_rank(arguments.device), threads_of_rank(arguments.num_threads)),
      style_(style_of_stdout(arguments.drawing)) {
  for (const std::string& output : {arguments.solution, arguments.history})
    if (!output.empty() && output != "-") check_output_place(output);
  if (!arguments.solution.empty()) check_output(arguments.solution, {".mtx", ".mtx.gz", ".mtx.xz"});
}

int Solve::operator()() {
  arguments_.ranks.wanted() ? solve_on_ranks() : solve_here();
  if (arguments_.json && talks()) write_json("-", solve_json(summary_, false));
  std::fflush(stdout);
  const bool written = write_files();
  if (summary_.report.ok()) return written ? exit_ok : exit_error;
  const std::size_t tries = summary_.report.attempts.size();
  const std::string which =
      tries > 1 ? fmt::format("the best of {} tries was {}: ", tries, summary_.report.best().plan.name()) : "";
  if (talks()) fmt::print(stderr, "millrace: not solved: {}{}\n", which, summary_.report.reason);
  return exit_not_solved;
}

void Solve::check_numbers(bool narrow) const {
  require<Unsupported>(!arguments_.mixed || !narrow,
                       "--mixed: the numbers are float already; it takes --precision double or complex-double");
}

void Solve::note_request() {
  summary_.device = to_string(queue_.device());
  summary_.num_threads = queue_.device().on_host() ? queue_.num_threads() : 0;
  summary_.rhs = arguments_.rhs.empty() ? "A times a pseudo-random vector, so that x is known"
                                        : std::filesystem::path(arguments_.rhs).filename().string();
  summary_.absolute = arguments_.absolute;
  summary_.max_iterations = arguments_.max_iterations;
}

void Solve::print(const std::string& text) const {
  if (arguments_.json || arguments_.history == "-" || !talks()) return;
  fmt::print("{}", text);
  std::fflush(stdout);
}

/// History and solution, when all has been said: a file that cannot be written changes neither the report nor the
/// exit code of a system that was not solved.
bool Solve::write_files() {
  bool written = true;
  if (!talks()) return written;
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

AutoOptions Solve::options(ResidualLine& live) {
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
VectorSet<T> Solve::read_rhs() const {
  VectorSet<T> b = read_vectors<T>(arguments_.rhs);
  require(b.size == summary_.matrix.rows, arguments_.rhs, ": has ", b.size, " numbers in a column; the matrix has ",
          summary_.matrix.rows, " rows");
  require(b.num > 0, arguments_.rhs, ": has no columns, so there is nothing to solve for");
  return b;
}

template <class T>
VectorSet<T> Solve::read_start(Index size, Index num) const {
  VectorSet<T> x = read_vectors<T>(arguments_.start);
  require(x.size == size && x.num == num, arguments_.start, ": is ", x.size, " x ", x.num,
          "; start vectors need the size of the right-hand side, ", size, " x ", num);
  return x;
}

template <class T>
void Solve::write_solution(const std::vector<T>& x, Index num) const {
  const SolveReport& r = summary_.report;
  WriteOptions options;
  options.comment =
      fmt::format("x of A x = b, A: {}, b: {}; {}: {}", summary_.matrix.name, summary_.rhs, to_string(r.end), r.reason);
  write_vectors<T>(arguments_.solution, x, num, options);
}

void Solve::solve_here() {
  const AnyCsr any = read_or_make(arguments_.matrix, false, arguments_.max_memory);
  summary_.matrix = matrix_facts(arguments_.matrix, any);
  check_square(summary_.matrix, "solve", "there is nothing to solve");
  summary_.precision = precision_of(any, arguments_.precision);
  with_precision(summary_.precision, [&]<class T>() { solve_here<T>(sort_rows(in_precision<T>(any))); });
}

template <class T>
void Solve::solve_here(const Csr<T>& a) {
  check_numbers(sizeof(RealOf<T>) == 4);
  note_request();
  const VectorSet<T> b = right_hand_side(a);
  std::vector<T> x = arguments_.start.empty() ? std::vector<T>(b.values.size()) : read_start<T>(b.size, b.num).values;
  ResidualLine live;
  const Device host = Device::host();
  summary_.report = millrace::solve(queue_, a, {host, b.values.data(), b.size, b.num}, {host, x.data(), b.size, b.num},
                                    options(live));
  if (arguments_.rhs.empty()) compare(a, x);
  const double cache = static_cast<double>(millrace::facts(queue_.device()).cache_bytes);
  if (summary_.report.best().iteration_bytes > 2 * cache) {
    Progress progress("measuring memory");
    summary_.read_rate = measure_bandwidth(queue_, std::int64_t{256} << 20).read;
  }
  print(solve_text(summary_, style_));
  if (!arguments_.solution.empty()) write_solution_ = [this, x = std::move(x), num = b.num] { write_solution(x, num); };
}

/// With the x that b was made of. Far from it, although A takes both to b: is A singular?
template <class T>
void Solve::compare(const Csr<T>& a, const std::vector<T>& x) {
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

template <class T>
VectorSet<T> Solve::right_hand_side(const Csr<T>& a) {
  if (arguments_.rhs.empty()) return {a.num_rows, 1, known_product(queue_, a)};
  return read_rhs<T>();
}

#define MILLRACE_INSTANTIATE(T)                                   \
  template VectorSet<T> Solve::read_rhs<T>() const;               \
  template VectorSet<T> Solve::read_start<T>(Index, Index) const; \
  template void Solve::write_solution(const std::vector<T>&, Index) const
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace::command
