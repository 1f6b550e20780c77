// The bake-off problems on warped elements, order after order: operator and CG, unknowns per second. On a GPU fused,
// with both ways to sum or with recomputed factors, or action by action; on a CPU beside the assembled matrix in its
// fastest format; and libCEED, where it was built in. The result is compared with the host's before anything is timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "bp_peer.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/bench/bp_problem.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/sparse/matrix.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "program.hpp"

namespace millrace {
namespace {

using bench::BpRequest;
using bp_peers::Peer;
using Json = nlohmann::ordered_json;

/// How often things are done: less where time is limited.
struct Effort {
  int few_iterations = 20, more_iterations = 40, solves = 5;  // of CG
  double more_seconds = 0.02;                                 // that the further iterations should take
  int applications = 7;
};

struct Bench {
  Queue queue;
  std::vector<std::string> ways;
  double budget = std::numeric_limits<double>::infinity();  // seconds, after which no new mesh is begun
  Effort effort{};
  Json points = Json::array();
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  bool has_time() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < budget;
  }
};

/// Entries without a pattern, zero at constrained nodes.
std::vector<double> make_x(const ElementData<double>& data) {
  std::vector<double> x(static_cast<std::size_t>(data.num_dofs()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * 7919 % 10007));
  for (const Index n : data.constrained.span()) x[static_cast<std::size_t>(n)] = 0;
  return x;
}

void check(const std::string& what, const std::vector<double>& found, const std::vector<double>& expected) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    error = std::isfinite(found[i]) ? std::max(error, std::abs(found[i] - expected[i])) : INFINITY;
  }
  require(error <= 1e-11 * largest, what, ": the result differs from the host's by ", error, ", its largest entry is ",
          largest);
}

/// Operator and CG of one contender; `expected`: A x of the host. `peer`, if `a` is the whole of one: its product alone
/// is timed as the operator, eight in a row, since what it does on the host would not hide behind anything in one; and
/// CG is no graph, since work of the default stream cannot be captured.
void measure(Bench& bench, const BpRequest& r, const std::string& contender, const Operator<double>& a, Index num_elem,
             const std::vector<double>& x, const std::vector<double>& expected, Peer* peer = nullptr) {
  Queue& queue = peer ? peer->queue : bench.queue;
  const Array<double> from = Array<double>(std::span<const double>(x)).to(queue.device());
  Array<double> y(queue.device(), from.size());
  a.apply(queue, {.x = from, .y = y});
  queue.wait();
  const std::string name = fmt::format("BP{} {} order {}, {}", r.problem, millrace::name(r.cell), r.order, contender);
  check(name, y.to_vector(), expected);
  const Effort& effort = bench.effort;
  const TimingOptions often{.warm_ups = 2, .min_runs = effort.applications, .max_runs = 30};
  const Operator<double>& product = peer ? *peer->product : a;
  const int in_a_row = peer ? 8 : 1;
  Samples apply = time(
      queue,
      [&] {
        for (int i = 0; i < in_a_row; ++i) product.apply(queue, {.x = from, .y = y});
      },
      often);
  for (double& seconds : apply.seconds) seconds /= in_a_row;
  double bytes = 0;
  const auto solve = [&](int iterations) {
    SolveOptions options;
    options.tolerance = 0;
    options.max_iterations = iterations;
    options.graph = !peer;
    Array<double> u = Array<double>(from.size(), 0.0).to(queue.device());
    const SolveReport report = cg(queue, a, from, u, options);
    // With an aim of 0 it ends at the limit, or sooner where this precision reaches no less.
    require(report.iterations == iterations || report.end == SolveEnd::stagnation, name, ": ", report.reason);
    bytes = report.iteration_bytes;
    return std::pair{report.seconds, report.iterations};
  };
  // At most 300: the residual of a mass matrix would become 0.
  const int more = static_cast<int>(
      std::clamp(effort.more_seconds / (2 * apply.median()), static_cast<double>(effort.more_iterations), 300.0));
  solve(effort.few_iterations);
  Samples iteration;
  for (int run = 0; run < effort.solves; ++run) {  // the difference: what a solver sets up is not part of an iteration
    const auto [few, few_made] = solve(effort.few_iterations);
    const auto [many, many_made] = solve(effort.few_iterations + more);
    // On a busy machine the difference may vanish; with all that was set up it is at least not too fast.
    const bool differs = many > few && many_made > few_made;
    iteration.seconds.push_back(differs ? (many - few) / (many_made - few_made) : many / many_made);
  }
  const auto dofs = static_cast<double>(from.size());
  bench.points.push_back({{"problem", r.problem},
                          {"element", millrace::name(r.cell)},
                          {"order", r.order},
                          {"contender", contender},
                          {"dofs", from.size()},
                          {"elements", num_elem},
                          {"operator_bytes", a.traffic().total()},
                          {"operator_samples_us", bench::samples_json(apply)},
                          {"operator_us", apply.median() * 1e6},
                          {"operator_gdof_s", dofs / apply.median() * 1e-9},
                          {"iteration_bytes", bytes},
                          {"iteration_samples_us", bench::samples_json(iteration)},
                          {"iteration_us", iteration.median() * 1e6},
                          {"cg_gdof_s", dofs / iteration.median() * 1e-9}});
  if (peer) bench.points.back()["version"] = peer->version;
  fmt::print("{:48} {:>12} unknowns  operator {:8.3f} GDOF/s  {:6.1f} GB/s  cg {:8.3f} GDOF/s\n", name, from.size(),
             dofs / apply.median() * 1e-9, a.traffic().total() / apply.median() * 1e-9,
             dofs / iteration.median() * 1e-9);
  std::fflush(stdout);
}

/// One way of a GPU: fused with either sum, or action by action with either choice of products.
void measure_there(Bench& bench, const BpRequest& r, const std::string& way, ElementOperator<double>& on_host,
                   const std::vector<double>& x, const std::vector<double>& expected) {
  const bool actions = way == "actions" || way == "plain";
  on_host.set_evaluation(actions ? Evaluation::unfused : Evaluation::fused);
  on_host.set_accumulation(way == "atomic" ? Accumulation::atomic : Accumulation::deterministic);
  ::setenv("MILLRACE_GEMM", way == "plain" ? "plain" : "select", 1);
  const std::string name = way == "plain"   ? "actions, one cuBLAS GEMM"
                           : actions        ? r.cell == Cell::tet ? "actions, selected GEMM" : "actions"
                           : way == "fused" ? "fused, deterministic"
                                            : "fused, atomic";
  const ElementOperator<double> moved = on_host.to(bench.queue.device());
  measure(bench, r, name, moved, moved.data().num_elem, x, expected);
}

/// Whether the host can hold the factors twice, by element and in the order of its own loops.
bool fits(const BpRequest& r) {
  const Points points = r.problem >= 5 ? Points::on_nodes() : Points{};
  const double elements = r.dofs / std::pow(r.order, 3) * (r.cell == Cell::tet ? 6 : 1);
  const double numbers =
      elements * make_element_basis(r.cell, r.order, points).num_points() * (bench::is_mass(r.problem) ? 1 : 6);
  return 2 * numbers * sizeof(double) < 0.7 * static_cast<double>(facts(Device::host()).memory_bytes);
}

void run_order(Bench& bench, Cell cell, const std::vector<int>& problems, double dofs, int order) {
  BpRequest r;
  r.cell = cell;
  r.order = order;
  r.dofs = dofs;
  const Mesh mesh = bench::make_bp_mesh(r);
  const Space space = make_space(mesh, order);
  Queue host;
  for (const int problem : problems) {
    r.problem = problem;
    if (!fits(r)) {
      fmt::print("BP{} {} order {}: left out, {} unknowns need too much memory of the host\n", problem,
                 millrace::name(cell), order, dofs);
      continue;
    }
    ElementOperator<double> on_host = bench::make_bp_operator<double>(r, mesh, space);
    const std::vector<double> x = make_x(on_host.data());
    std::vector<double> expected(x.size());
    on_host.apply(host, {.x = x, .y = expected});
    for (const std::string& way : bench.ways) {
      if (way == "libceed") {
        if constexpr (bp_peers::has_libceed) {
          Peer peer = bp_peers::make_libceed(on_host, bench.queue.device());
          measure(bench, r, peer.name, *peer.whole, on_host.data().num_elem, x, expected, &peer);
        }
      } else if (way == "recomputed") {
        BpRequest anew = r;
        anew.recompute = true;
        anew.sum = Accumulation::atomic;
        const auto moved = bench::make_bp_operator<double>(anew, mesh, space).to(bench.queue.device());
        measure(bench, r, "fused, atomic, recomputed factors", moved, moved.data().num_elem, x, expected);
      } else if (!bench.queue.device().on_host()) {
        measure_there(bench, r, way, on_host, x, expected);
      } else if (way == "host") {
        measure(bench, r, cell == Cell::hex ? "sum factorisation" : "dense products", on_host, on_host.data().num_elem,
                x, expected);
      } else {
        const Csr<double> matrix = on_host.assemble(host);
        for (const char* format : {"csr", "sell-8-1"})
          measure(bench, r, std::string("assembled, ") + format, SparseMatrix<double>(matrix, format),
                  on_host.data().num_elem, x, expected);
      }
    }
  }
}

int run(int argc, char** argv) {
  require(
      argc >= 3 && argc <= 9,
      "usage: benchmark_bp OUT.json cpu|gpu [UNKNOWNS,... [ORDER,... [PROBLEM,... [hex|tet [WAY,... [SECONDS]]]]]]; "
      "ways of a GPU: fused atomic recomputed actions plain libceed; of a CPU: host assembled libceed");
  const Device device = parse_device(argv[2]);
  const auto words = [&](int index, std::string_view otherwise) {
    return program::words(argc > index ? argv[index] : otherwise);
  };
  const auto numbers = [&](const char* what, int index, std::string_view otherwise) {
    std::vector<int> found;
    for (const std::string_view word : words(index, otherwise)) found.push_back(program::number<int>(what, word));
    return found;
  };
  const std::string_view element = argc > 6 ? argv[6] : "hex";
  require(element == "hex" || element == "tet", "element '", element, "'; there are: hex tet");
  Bench bench{Queue(device), {}};
  const std::string_view known =
      device.on_host() ? "host,assembled,libceed" : "fused,atomic,recomputed,actions,plain,libceed";
  const std::vector<std::string_view> ways = program::words(known);
  for (const std::string_view way : words(7, device.on_host() ? "host,assembled" : "fused,atomic")) {
    require(std::find(ways.begin(), ways.end(), way) != ways.end(), "way '", way, "'; there are: ", known);
    require<Unsupported>(bp_peers::has_libceed || way != "libceed",
                         "way 'libceed': this build has no libCEED; configure with -DMILLRACE_LIBCEED=FOLDER, where it "
                         "was built (benchmarks/README.md)");
    bench.ways.emplace_back(way);
  }
  if (argc > 8) {
    bench.budget = program::number<double>("seconds", argv[8]);
    bench.effort = {10, 20, 3, 0.01, 5};
  }
  const Bandwidth bandwidth = measure_bandwidth(bench.queue, device.on_host() ? std::int64_t{256} << 20 : 0);
  const std::vector<int> problems = numbers("problem", 5, "1,3,5");
  for (const std::string_view dofs : words(3, device.on_host() ? "3e5" : "22e6"))
    for (const int order : numbers("order", 4, device.on_host() ? "1,2,4,7" : "2,3,4,5,6,7,8,1"))
      if (bench.has_time())
        run_order(bench, element == "tet" ? Cell::tet : Cell::hex, problems, program::number<double>("unknowns", dofs),
                  order);
  bench::write_json(argv[1], bench::points_record("millrace.bp-orders", device, bandwidth, std::move(bench.points)));
  return 0;
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_bp", [&] { return millrace::run(argc, argv); });
}
