// millrace tune-gemm: which product is the fastest for the tables of tets on this GPU, and the table that says so.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/base/error.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"
#include "verbs/tune_gemm/run.hpp"

namespace millrace::command {
namespace {

using Json = nlohmann::ordered_json;

struct TuneArguments {
  std::string device = "gpu", orders = "1..8", columns = "1e3,1e4,1e5,1e6", etas, sizes, precisions = "double,float";
  std::string output, json;
  int num_threads = 0;
  GemmTuning tuning{};
};

double number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{} && end == text.data() + text.size() && value >= 1 && value <= 2e9, "'", text,
          "' is no number from 1 to 2e9");
  return value;
}

/// "3" and "1..8" in a list.
std::vector<int> numbers(const std::string& list) {
  std::vector<int> all;
  for (const std::string& part : split(list)) {
    const std::size_t dots = part.find("..");
    const int first = static_cast<int>(number(part.substr(0, dots)));
    const int last = dots == part.npos ? first : static_cast<int>(number(part.substr(dots + 2)));
    for (int i = first; i <= last; ++i) all.push_back(i);
  }
  return all;
}

std::pair<int, int> size_of(const std::string& text) {
  const std::size_t cross = text.find('x');
  require(cross != text.npos, "'", text, "' is no size; nodes and points are written 27x64");
  return {static_cast<int>(number(text.substr(0, cross))), static_cast<int>(number(text.substr(cross + 1)))};
}

std::vector<GemmCase> all_cases(const TuneArguments& a) {
  std::vector<GemmCase> cases;
  for (const std::string& columns : split(a.columns)) {
    const auto n = static_cast<std::int64_t>(number(columns));
    for (const std::string& size : split(a.sizes))
      cases.push_back(plain_case(size_of(size).first, size_of(size).second, n));
    if (!a.sizes.empty()) continue;
    for (const int order : numbers(a.orders)) {
      require(order <= 8, "--orders ", order, ": tets have orders 1 to 8");
      for (GemmCase& c : tet_cases(order, n)) cases.push_back(std::move(c));
    }
  }
  return cases;
}

Json point_json(const GemmPoint& p) {
  return {{"name", p.name},
          {"precision", p.precision},
          {"m", p.shape.m},
          {"n", p.shape.n},
          {"k", p.shape.k},
          {"transposed", p.shape.transposed},
          {"variant", p.variant},
          {"median_us", p.samples.median() * 1e6},
          {"spread", p.samples.spread()},
          {"gflop_s", p.gflop_s()}};
}

/// The fastest of every case, beside one product of cuBLAS.
std::string table_text(const std::vector<GemmPoint>& points) {
  using Align = Table::Align;
  Table table({{"table", Align::left},
               {"precision", Align::left},
               {"m"},
               {"k"},
               {"n"},
               {"fastest", Align::left},
               {"GFLOP/s"},
               {"of cublas"}});
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    const GemmPoint& first = points[begin];
    std::size_t best = begin, library = points.size();
    for (end = begin; end < points.size() && points[end].name == first.name && points[end].shape.n == first.shape.n &&
                      points[end].precision == first.precision;
         ++end) {
      if (points[end].samples.median() < points[best].samples.median()) best = end;
      if (points[end].variant == "cublas") library = end;
    }
    const double ratio = library < points.size() ? points[library].samples.median() / points[best].samples.median() : 0;
    table.add({first.name, first.precision, std::to_string(first.shape.m), std::to_string(first.shape.k),
               count_text(first.shape.n), points[best].variant, fmt::format("{:.1f}", points[best].gflop_s()),
               ratio > 0 ? fmt::format("{:.2f}", ratio) : "-"});
  }
  return table.text(style_of_stdout());
}

void write_table(const std::filesystem::path& file, const std::vector<GemmPoint>& points, const std::string& device) {
  const GemmTable table = best_variants(points);
  const std::string text = file.extension() == ".cpp" ? gemm_table_source(table, device) : gemm_table_text(table);
  std::error_code none;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), none);
  OutputFile output(file);
  output.write(text);
  output.commit();
}

int tune(const TuneArguments& a) {
  const std::vector<GemmCase> cases = all_cases(a);
  const Device device = parse_device(a.device);
  require<Unsupported>(
      !device.on_host() || a.output.empty(), "tune-gemm: -o ", a.output,
      " was asked for on the cpu; a table of the fastest kernels is of a GPU, and all points go to --json");
  if (!a.json.empty() && a.json != "-") check_output_place(a.json);
  Queue queue(device, a.num_threads);
  std::vector<GemmPoint> points;
  {
    Progress progress("timing products of tables");
    for (const std::string& precision : split(a.precisions)) {
      const auto of = precision == "float" ? tune_gemm<float> : tune_gemm<double>;
      for (GemmPoint& p : of(queue, cases, a.tuning, progress.callback())) points.push_back(std::move(p));
    }
  }
  if (a.json != "-") fmt::print("{}", table_text(points));
  if (!a.json.empty()) {
    Json list = Json::array();
    for (const GemmPoint& p : points) list.push_back(point_json(p));
    const Bandwidth bandwidth = measure_bandwidth(queue, device.on_host() ? std::int64_t{256} << 20 : 0);
    write_json(a.json, points_record("millrace.gemm", device, bandwidth, std::move(list)));
  }
  if (device.on_host() || (a.output.empty() && !a.sizes.empty())) return exit_ok;  // nothing to choose from
  const std::filesystem::path file = a.output.empty() ? gemm_table_file() : std::filesystem::path(a.output);
  require(!file.empty(),
          "tune-gemm: there is no folder of caches (MILLRACE_CACHE, XDG_CACHE_HOME, HOME); name a file by -o");
  write_table(file, points, facts(device).name);
  if (a.json != "-") fmt::print("written to {}\n", file.string());
  return exit_ok;
}

}  // namespace

Verb add_tune_gemm(CLI::App& root) {
  CLI::App* app = root.add_subcommand("tune-gemm", "The fastest products for the tables of tets on this GPU");
  auto a = std::make_shared<TuneArguments>();
  const auto list = checked_by([](const std::string& part) { numbers(part); });
  add_device(*app, a->device);
  app->add_option("--orders", a->orders, "Of the tets: 1 to 8")->check(list)->type_name("P,..")->capture_default_str();
  app->add_option("--n", a->columns, "Columns: elements times components")
      ->check(checked_by([](const std::string& part) { number(part); }))
      ->type_name("N,...")
      ->capture_default_str();
  app->add_option("--eta", a->etas, "Columns of one product of a batch (default: 16 to 4096)")
      ->check(list)
      ->type_name("ETA,...");
  app->add_option("--sizes", a->sizes, "Tables of these nodes and points instead of tets': 27x64")
      ->check(checked_by([](const std::string& part) { size_of(part); }))
      ->type_name("PxQ,...");
  app->add_option("--precision", a->precisions, "double, float")
      ->check(checked_by([](const std::string& name) {
        require(name == "double" || name == "float", "'", name, "' is no precision here; accepted: double float");
      }))
      ->type_name("NAME,...")
      ->capture_default_str();
  app->add_option("--min-time", a->tuning.min_time, "Seconds of samples for each point")
      ->check(CLI::Range(0.0, 60.0).description(""))
      ->type_name("S")
      ->capture_default_str();
  add_threads(*app, a->num_threads)->description("Host threads, with --device cpu");
  app->add_option("-o,--output", a->output, "Write the table there (default: the folder of caches); .cpp: as a source")
      ->type_name("FILE");
  app->add_option("--json", a->json, "Write all points as JSON; - is standard output")->type_name("FILE");
  add_examples(*app, {{"millrace tune-gemm", "tables for the actions of tets, used from now on"},
                      {"millrace tune-gemm -o src/millrace/fem/gemm_table.cpp", "the table that is built in"},
                      {"MILLRACE_GEMM_TABLE=mine.txt millrace bp 3 --element tet --device gpu", "another table"}});
  return {app, [a] {
            a->tuning.etas = numbers(a->etas);
            return tune(*a);
          }};
}

}  // namespace millrace::command
