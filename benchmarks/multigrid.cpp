// Multigrid for matrices of the gallery: how long the set-up, new values and a solve by conjugate gradients to 1e-8
// take, in double outside, for every precision of the levels, beside conjugate gradients alone and, on the host,
// hypre's BoomerAMG. Every solution is checked by its true residual, and a second solve must have the same bits.
//
// usage: benchmark_multigrid OUT.json cpu|gpu SPEC,SPEC,... [RUNS [CONTENDER]]
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "millrace/base/comm.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/precond/amg.hpp"
#include "millrace/precond/boomer_amg.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/sparse/gallery.hpp"
#include "millrace/tune/choose_format.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;

constexpr double tolerance = 1e-8;

/// A matrix where it is solved, with a right-hand side of random numbers.
struct Problem {
  std::string spec;
  Csr<double> csr;
  SparseMatrix<double> matrix;
  Array<double> b;
};

struct Bench {
  Queue& queue;
  int runs;
  std::string_view only{};  // a contender; empty: all
  Json points = Json::array();
};

/// Seconds until what is given to the queue is done.
template <class Work>
double measure_once(Bench& bench, Work&& work) {
  bench.queue.wait();
  const auto begin = Clock::now();
  work();
  bench.queue.wait();
  return seconds_since(begin);
}
/// Of some runs, after one that is not counted. `end` is not measured.
template <class Work, class End>
Samples measure(Bench& bench, int runs, Work&& work, End&& end) {
  Samples samples;
  for (int run = 0; run <= runs; ++run) {
    const double seconds = measure_once(bench, work);
    if (run > 0) samples.seconds.push_back(seconds);
    end();
  }
  return samples;
}

Json samples_ms(const Samples& samples) {
  Json list = Json::array();
  for (const double seconds : samples.seconds) list.push_back(seconds * 1e3);
  return {{"median", samples.median() * 1e3}, {"spread", samples.spread()}, {"samples", list}};
}
double median_of(const Json& point, const char* what) {
  return point.contains(what) ? point.at(what).at("median").get<double>() : 0;
}
Json levels_json(const AmgReport& report) {
  Json levels = Json::array();
  for (const AmgLevelReport& level : report.levels)
    levels.push_back({{"rows", level.rows}, {"entries", level.entries}, {"format", level.format}});
  return levels;
}
Json phases_json(const AmgReport& r) {
  const auto ms = [](double seconds) { return seconds * 1e3; };
  return {{"strength", ms(r.strength)},       {"aggregates", ms(r.aggregates)}, {"prolongators", ms(r.prolongators)},
          {"patterns", ms(r.patterns)},       {"products", ms(r.products)},     {"formats", ms(r.formats)},
          {"eigenvalues", ms(r.eigenvalues)}, {"coarsest", ms(r.coarsest)}};
}

/// Solves, checks, and completes the point.
void solve(Bench& bench, const Problem& p, const Operator<double>* m, int runs, Json point) {
  Array<double> x(p.b.size(), 0.0);
  x = x.to(bench.queue.device());
  const Array<double> zero = x.clone();
  std::vector<double> first;
  SolveReport report;
  const Samples samples = measure(
      bench, runs,
      [&] {
        report = m ? cg(bench.queue, p.matrix, *m, p.b, x, {.tolerance = tolerance, .max_iterations = 5000})
                   : cg(bench.queue, p.matrix, p.b, x, {.tolerance = tolerance, .max_iterations = 5000});
      },
      [&] {
        const std::vector<double> now = x.to_vector();
        require(first.empty() || std::memcmp(first.data(), now.data(), now.size() * sizeof(double)) == 0, p.spec,
                ": two solves have other bits");
        first = now;
        x.assign(zero.device_span());
      });
  if (!m && !report.ok()) {  // hard matrices need more iterations than are allowed without a preconditioner
    fmt::print("{:<28} cg is left out: {}\n", p.spec, report.reason);
    return;
  }
  require(report.ok() && report.relative <= tolerance, p.spec, ": the solve ended at ", report.relative, ": ",
          report.reason);
  point["iterations"] = report.iterations;
  point["residual"] = report.relative;
  point["solve_ms"] = samples_ms(samples);
  fmt::print("{:<28} {:<22} set-up {:>9.2f} new values {:>8.2f} solve {:>9.2f} ms, {} iterations\n", p.spec,
             point["contender"].get<std::string>(), median_of(point, "setup_ms"), median_of(point, "update_ms"),
             samples.median() * 1e3, report.iterations);
  std::fflush(stdout);
  bench.points.push_back(std::move(point));
}

Json head(const Problem& p, const char* contender, const Bench& bench) {
  return {{"matrix", p.spec},
          {"rows", p.csr.num_rows},
          {"entries", p.csr.num_entries()},
          {"contender", contender},
          {"threads", bench.queue.device().on_host() ? bench.queue.num_threads() : 0}};
}

void measure_amg(Bench& bench, const Problem& p, const char* contender, const AmgOptions& options) {
  std::optional<Amg<double>> m;
  AmgReport made;
  const Samples setup = measure(
      bench, bench.runs, [&] { m.emplace(bench.queue, p.csr, options); },
      [&] {
        made = m->report();
        m.reset();
        bench.queue.wait();
      });
  m.emplace(bench.queue, p.csr, options);
  const auto renew = [&] { m->update_values(bench.queue, p.csr, trust); };
  // On a GPU this one also finds where products go, if the set-up has not.
  const double first_update = measure_once(bench, renew);
  const Samples update = measure(bench, bench.runs, renew, [] {});
  Json point = head(p, contender, bench);
  point["setup_ms"] = samples_ms(setup);
  point["first_update_ms"] = first_update * 1e3;
  point["update_ms"] = samples_ms(update);
  point["operator_complexity"] = made.operator_complexity;
  point["cycle_bytes"] = made.cycle_bytes;
  point["update_bytes"] = m->report().update_bytes;
  point["levels"] = levels_json(made);
  point["phases_ms"] = phases_json(made);
  point["update_phases_ms"] = phases_json(m->report());
  solve(bench, p, &*m, bench.runs, std::move(point));
}

void measure_problem(Bench& bench, const std::string& spec) {
  Csr<double> csr = gallery::make(spec);
  if (!bench.queue.device().on_host()) csr = csr.to(bench.queue.device());
  Array<double> b(bench.queue, csr.num_rows);
  {
    Array<double> host(csr.num_rows);
    for (Index i = 0; i < csr.num_rows; ++i) host.data()[i] = bench::random_real(1, static_cast<std::uint64_t>(i));
    b.assign(host.device_span());
  }
  SparseMatrix<double> matrix = make_matrix(bench.queue, csr);
  const Problem p{spec, std::move(csr), std::move(matrix), std::move(b)};
  const auto wanted = [&](std::string_view contender) { return bench.only.empty() || contender == bench.only; };
  if (wanted("amg, double levels")) measure_amg(bench, p, "amg, double levels", {});
  if (wanted("amg, float levels")) measure_amg(bench, p, "amg, float levels", {.precision = Precision::single});
  if (wanted("amg, bfloat16 levels")) measure_amg(bench, p, "amg, bfloat16 levels", {.precision = Precision::bfloat16});
  constexpr const char* prepared = "amg, bfloat16 levels, updates prepared";
  if (wanted(prepared) && !bench.queue.device().on_host())
    measure_amg(bench, p, prepared, {.precision = Precision::bfloat16, .prepare_updates = true});
  if (wanted("cg")) solve(bench, p, nullptr, std::min(bench.runs, 3), head(p, "cg", bench));
  if (!wanted("hypre, 1 thread") || !bench.queue.device().on_host() || !build::hypre) return;
  std::optional<BoomerAmg> m;
  const Samples setup = measure(
      bench, bench.runs, [&] { m.emplace(bench.queue, p.csr, BoomerAmgOptions{.strong_threshold = 0.5}); },
      [&] { m.reset(); });
  m.emplace(bench.queue, p.csr, BoomerAmgOptions{.strong_threshold = 0.5});
  Json point = head(p, "hypre, 1 thread", bench);
  point["setup_ms"] = samples_ms(setup);
  solve(bench, p, &*m, bench.runs, std::move(point));
}

int run(int argc, char** argv) {
  require(argc >= 4 && argc <= 6, "usage: benchmark_multigrid OUT.json cpu|gpu SPEC,SPEC,... [RUNS [CONTENDER]]");
  const std::string_view where = argv[2];
  require(where == "cpu" || where == "gpu", "'", where, "' is no device; cpu and gpu are accepted");
  const MpiSession session(argc, argv);
  Queue queue(where == "cpu" ? Device::host() : Device::gpu());
  Bench bench{queue, argc > 4 ? program::number<int>("runs", argv[4]) : 7};
  if (argc > 5) bench.only = argv[5];
  std::string spec;
  for (const std::string_view part : program::words(argv[3])) {  // "laplace3d7:64,contrast=100" has a comma of its own
    if (part.find(':') != part.npos && !spec.empty()) measure_problem(bench, std::exchange(spec, ""));
    spec += spec.empty() ? std::string(part) : ',' + std::string(part);
  }
  measure_problem(bench, spec);
  bench::write_json(argv[1], bench::points_record("millrace.multigrid", queue.device(), measure_bandwidth(queue),
                                                  std::move(bench.points)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_multigrid", [&] { return run(argc, argv); });
}
