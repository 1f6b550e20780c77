// millrace bench: every format and every peer on the user's matrices, checked, timed and compared.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/base/printable.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/other_load.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/record.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/bench/arguments.hpp"
#include "verbs/bench/report.hpp"
#include "verbs/bench/run.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

int parse_num_vectors(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= 1024, "'", text,
          "' is no number of right-hand sides; 1 to 1024 are accepted");
  return number;
}

namespace {

class Run {
 public:
  explicit Run(const BenchArguments& arguments)
      : arguments_(arguments),
        queue_(parse_device(arguments.device), arguments.num_threads),
        style_(style_of_stdout(arguments.drawing)),
        quiet_(arguments.json == "-") {
    options_.formats = split(arguments.formats);
    options_.with_peers = !arguments.no_peers;
    options_.with_gather = arguments.gather;
    require<Unsupported>(!arguments.gather || !queue_.device().on_host(),
                         "bench: --gather was asked for on the cpu; this ceiling is of a GPU, as in --device gpu");
    options_.states = states_of(arguments.states, queue_.device());
    options_.min_time = arguments.min_time;
    for (const std::string& argument : arguments.matrices) check_matrix(argument);
    Progress progress("measuring the memory of this machine");
    limit_ = measure_bandwidth(queue_);
  }

  int operator()() {
    print_head();
    for (const std::string& argument : arguments_.matrices) {
      const AnyCsr any = read_or_make(argument, false, arguments_.max_memory);
      const MatrixFacts matrix = matrix_facts(argument, any);
      std::vector<std::string> precisions = split(arguments_.precisions);
      if (precisions.empty()) precisions = {precision_of(any, "")};
      for (const std::string& precision : precisions)
        with_precision(precision, [&]<class T>() {
          const Csr<T> a = in_precision<T>(any);
          for (const std::string& number : split(arguments_.num_vectors)) bench(a, matrix, parse_num_vectors(number));
        });
    }
    const std::optional<double> others = load_.cores();
    if (const std::string text = busy_text(others, facts(Device::host()).num_units); !text.empty())
      fmt::print(quiet_ ? stderr : stdout, "{}{}\n", quiet_ ? "" : "\n", text);
    if (!arguments_.json.empty()) write_json(arguments_.json, bench_record(queue_.device(), limit_, points_, others));
    const auto wrong = std::find_if(points_.begin(), points_.end(), [](const Point& p) { return !p.check.ok(); });
    if (wrong == points_.end()) return exit_ok;
    fmt::print(stderr, "millrace: {} on {}: wrong result\n", wrong->contender.name, wrong->matrix.name);
    return exit_wrong_result;
  }

 private:
  void print_head() const {
    if (quiet_) return;
    const DeviceFacts device = facts(queue_.device());
    const std::string threads = queue_.device().on_host() ? fmt::format(", {} threads", queue_.num_threads()) : "";
    fmt::print("{}: {}{}; reads {:.1f} GB/s, copies {:.1f}, triad {:.1f}\n", to_string(queue_.device()), device.name,
               threads, limit_.read * 1e-9, limit_.copy * 1e-9, limit_.triad * 1e-9);
  }

  template <class T>
  void bench(const Csr<T>& a, const MatrixFacts& matrix, int num_vectors) {
    const BenchResult result = run_bench(a, matrix, num_vectors, queue_, options_);
    for (const State state : options_.states) {
      if (quiet_) break;
      std::vector<Point> points;
      for (const Point& point : result.points)
        if (point.state == state) points.push_back(point);
      fmt::print("\n{}: {} x {}, {} nonzeros, {}, {}{}\n", bold(matrix.name, style_), count_text(matrix.rows),
                 count_text(matrix.cols), count_text(matrix.entries), scalar_name<T>(), to_string(state),
                 num_vectors == 1 ? "" : fmt::format(", {} right-hand sides", num_vectors));
      fmt::print("{}", bench_table(points, limit_, style_));
    }
    for (const std::string& text : result.skipped)
      fmt::print(quiet_ ? stderr : stdout, "skipped:      {}\n", printable(text));
    std::fflush(stdout);
    points_.insert(points_.end(), result.points.begin(), result.points.end());
  }

  const BenchArguments& arguments_;
  Queue queue_;
  OtherLoad load_;
  Style style_;
  bool quiet_;  // only JSON goes to standard output
  BenchOptions options_;
  Bandwidth limit_;
  std::vector<Point> points_;
};

}  // namespace

Verb add_bench(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bench", "Time every format and the peers on matrices, after checking them");
  auto arguments = std::make_shared<BenchArguments>();
  app->add_option("A", arguments->matrices, "Matrix files, or gallery specs such as poisson3d7:n=64")
      ->required()
      ->type_name("MATRIX");
  app->add_option("--formats", arguments->formats, fmt::format("all, or some of: {}", format_usage()))
      ->check(checked_by([](const std::string& text) { format_choices<double>({text}); }))
      ->type_name("NAME,...")
      ->capture_default_str();
  add_precision(*app, arguments->precisions, true);
  add_device(*app, arguments->device);
  add_threads(*app, arguments->num_threads);
  app->add_option("--rhs", arguments->num_vectors, "Numbers of right-hand sides")
      ->check(checked_by([](const std::string& text) { parse_num_vectors(text); }))
      ->type_name("K,...")
      ->capture_default_str();
  app->add_flag("--cold", arguments->states.cold, "Empty the caches before every run");
  app->add_flag("--hot", arguments->states.hot, "Leave the caches as the run before left them (default on a CPU)");
  app->add_flag("--both", arguments->states.both, "Cold and hot, one table for each (default on a GPU)");
  app->add_flag("--graph", arguments->states.graph,
                "Add a state on a GPU: hot, 20 products in one CUDA graph, the time of one of them");
  app->add_flag("--gather", arguments->gather,
                "Add a ceiling on a GPU: all entries with 4-byte columns and x gathered, no rows, no y");
  app->add_option("--min-time", arguments->min_time, "Seconds of samples for each contender")
      ->check(CLI::Range(0.0, 3600.0).description(""))
      ->type_name("S")
      ->capture_default_str();
  add_max_memory(*app, arguments->max_memory);
  app->add_flag("--no-peers", arguments->no_peers,
                "Leave out the plain loops, Eigen, GraphBLAS, PETSc, cuSPARSE and cuBLAS");
  app->add_option("--json", arguments->json, "Write the record to this file, or to standard output for -")
      ->type_name("FILE");
  add_ranks(*app, arguments->ranks);
  add_drawing(*app, arguments->drawing);
  add_examples(*app, {{"millrace bench A.mtx", "all formats and peers on the CPU, in the precision of the file"},
                      {"millrace bench poisson3d7:n=128 --formats csr,sell-32-1024 --precision double,float",
                       "two formats in two precisions on a generated matrix"},
                      {"millrace bench A.mrx B.mrx --device gpu --both --json record.json",
                       "on a GPU with caches emptied and not, with a record of every sample"},
                      {"millrace bench A.mrx --device gpu --cold --graph --gather",
                       "cold and in a CUDA graph, beside the fastest that 4-byte columns allow"},
                      {"millrace bench A.mtx --rhs 1,4,8 --no-peers", "several right-hand sides at once"},
                      {"mpirun -n 4 millrace bench A.mtx --mode task", "on four ranks, each with some of the rows"}});
  return {app,
          [arguments] {
            together(Comm::world(), [&] {
              if (!arguments->json.empty() && arguments->json != "-") check_output_place(arguments->json);
            });
            return arguments->ranks.wanted() ? bench_on_ranks(*arguments) : Run(*arguments)();
          },
          true};
}

}  // namespace millrace::command
