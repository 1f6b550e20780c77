// millrace bp: the bake-off problems of high-order elements, solved by CG without a matrix.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/identity.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/bp/report.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct BpArguments {
  BpRequest request{};
  std::string element = "hex", precision = "double", device = "cpu", sum = "deterministic", evaluation = "fused", gemm,
              precond, smoothing = "auto", json;
  std::vector<int> levels{};
  int iterations = 0, max_iterations = 5000, num_threads = 0, degree = 0;
  double tolerance = 0;
  Drawing drawing = Drawing::automatic;
};

/// The diagonal as a preconditioner.
template <class T>
Jacobi<T> jacobi_of(Queue& queue, const ElementOperator<T>& a) {
  const auto n = static_cast<Index>(a.shape().rows);
  Array<std::int64_t> row_ptr(std::int64_t{n} + 1);
  Array<Index> cols(n);
  Array<T> vals(n);
  for (Index i = 0; i <= n; ++i) row_ptr.data()[i] = i;
  for (Index i = 0; i < n; ++i) cols.data()[i] = i;
  a.diagonal(queue, vals);
  return Jacobi<T>(queue, Csr<T>(n, n, std::move(row_ptr), std::move(cols), std::move(vals)));
}

class Bp {
 public:
  explicit Bp(const BpArguments& arguments)
      : arguments_(arguments),
        queue_(parse_device(arguments.device), arguments.num_threads),
        style_(style_of_stdout(arguments.drawing)) {
    if (!arguments.gemm.empty()) ::setenv("MILLRACE_GEMM", arguments.gemm.c_str(), 1);
    BpRequest& r = summary_.request = arguments.request;
    r.cell = arguments.element == "tet" ? Cell::tet : Cell::hex;
    r.sum = arguments.sum == "atomic" ? Accumulation::atomic : Accumulation::deterministic;
    r.evaluation = arguments.evaluation == "actions" ? Evaluation::unfused : Evaluation::fused;
    require(r.cell == Cell::hex || r.order <= 8, "--order ", r.order, ": tets have orders 1 to 8");
    require(r.cell == Cell::hex || r.problem <= 4, "BP", r.problem,
            " has its points on the nodes, which only hexes can; tets take 1 to 4");
    require(arguments.precond == "pmg" ||
                (arguments.levels.empty() && arguments.degree == 0 && arguments.smoothing == "auto"),
            "--levels, --degree and --smoothing are those of --precond pmg, which was not asked for");
    summary_.precond = !arguments.precond.empty() ? arguments.precond : r.ceed ? "jacobi" : "none";
    summary_.precision = arguments.precision;
    summary_.device = queue_.device();
    summary_.device_name = to_string(queue_.device());
    summary_.num_threads = queue_.device().on_host() ? queue_.num_threads() : 0;
  }

  int operator()() {
    if (arguments_.precision == "float")
      run<float>();
    else
      run<double>();
    if (!arguments_.json.empty()) write_json(arguments_.json, bp_json(summary_));
    const bool fixed = arguments_.iterations > 0 && summary_.report.end == SolveEnd::max_iterations;
    if (summary_.report.ok() || fixed) return exit_ok;
    std::fflush(stdout);
    fmt::print(stderr, "millrace: not solved: {}\n", summary_.report.reason);
    return exit_not_solved;
  }

 private:
  void print(const std::string& text) const {
    if (arguments_.json == "-") return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  template <class T>
  void run() {
    const BpRequest& r = summary_.request;
    const auto begin = Clock::now();
    std::optional<Progress> progress(std::in_place, "making mesh, space and factors");
    const Mesh mesh = make_bp_mesh(r);
    const Space space = make_space(mesh, r.order, num_comps(r.problem));
    Queue host(Device::host(), arguments_.num_threads);
    const auto on_host = make_bp_operator<T>(r, mesh, space);
    const auto b = Array<T>(std::span<const T>(make_bp_load<T>(host, r, mesh, space))).to(queue_.device());
    std::unique_ptr<Operator<T>> m;
    if (summary_.precond == "jacobi") m = std::make_unique<Jacobi<T>>(jacobi_of(host, on_host).to(queue_.device()));
    if (summary_.precond == "pmg") {
      PMultigridOptions options{.orders = arguments_.levels, .degree = arguments_.degree};
      if (arguments_.smoothing != "auto")
        options.blocks = arguments_.smoothing == "points" ? PMultigridBlocks::points : PMultigridBlocks::elements;
      auto multigrid = std::make_unique<PMultigrid<T>>(make_bp_p_multigrid<T>(queue_, r, mesh, space, options));
      summary_.multigrid = multigrid->report();
      m = std::move(multigrid);
    }
    std::optional<ElementOperator<T>> moved;
    if (!queue_.device().on_host()) moved.emplace(on_host.to(queue_.device()));
    const ElementOperator<T>& a = moved ? *moved : on_host;
    summary_.setup_seconds = seconds_since(begin);
    summary_.num_dofs = a.shape().rows;
    summary_.num_elem = a.data().num_elem;
    summary_.num_points = a.data().basis.num_points();
    summary_.compiled = a.has_compiled_loops();
    summary_.traffic = a.traffic();
    progress.reset();
    print(bp_head(summary_, style_));
    solve(a, m.get(), b, space);
    print(bp_text(summary_));
  }

  template <class T>
  void solve(const ElementOperator<T>& a, const Operator<T>* m, const Array<T>& b, const Space& space) {
    SolveOptions options;
    options.tolerance = arguments_.tolerance > 0 ? arguments_.tolerance : sizeof(T) == 4 ? 1e-5 : 1e-10;
    options.max_iterations = arguments_.max_iterations;
    if (arguments_.iterations > 0) {
      options.tolerance = 0;
      options.max_iterations = arguments_.iterations;
    }
    Array<T> x = Array<T>(b.size(), T{0}).to(queue_.device()), y(queue_.device(), b.size());
    {
      Progress progress("conjugate gradients");
      options.monitor = [&](int iteration, double relative) {
        progress.update(static_cast<double>(iteration) / options.max_iterations,
                        fmt::format("cg: {} iterations, residual {:.1e}", iteration, relative));
        return true;
      };
      summary_.report = m ? cg(queue_, a, *m, b, x, options) : cg(queue_, a, b, x, options);
    }
    summary_.error = bp_error(space, x.to_vector());
    Progress progress("measuring operator and memory");
    summary_.operator_samples =
        time(queue_, [&] { a.apply(queue_, {.x = b, .y = y}); }, {.warm_ups = 2, .min_runs = 5, .max_runs = 100});
    const double cache = static_cast<double>(facts(queue_.device()).cache_bytes);
    if (summary_.traffic.total() > 2 * cache)  // smaller ones do not come from memory
      summary_.bandwidth = measure_bandwidth(queue_, queue_.device().on_host() ? std::int64_t{256} << 20 : 0);
  }

  const BpArguments& arguments_;
  Queue queue_;
  Style style_;
  BpSummary summary_;
};

}  // namespace

Verb add_bp(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bp", "A bake-off problem of high-order elements: matrix-free operator and CG");
  auto arguments = std::make_shared<BpArguments>();
  app->add_option("problem", arguments->request.problem,
                  "1 mass, 3 diffusion, 5 diffusion with points on the nodes; 2, 4, 6: with three components")
      ->required()
      ->check(CLI::Range(1, 6).description(""))
      ->type_name("1..6");
  app->add_option("--order", arguments->request.order, "Of the elements: 1 to 16; 1 to 8 are compiled, and all of tets")
      ->check(CLI::Range(1, 16).description(""))
      ->type_name("P")
      ->capture_default_str();
  app->add_option("--dofs", arguments->request.dofs, "About this many unknowns")
      ->check(CLI::Range(1.0, 2e9).description(""))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--element", arguments->element, "hex or tet")
      ->check(CLI::IsMember({"hex", "tet"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--geometry-order", arguments->request.geometry_order,
                  "Of the curved elements, 1 to 4 (default: 1, warped tets 2)")
      ->check(CLI::Range(1, 4).description(""))
      ->type_name("G");
  app->add_option("--precond", arguments->precond,
                  "none, jacobi, or pmg: p-multigrid in float (default: none, with --ceed jacobi)")
      ->check(CLI::IsMember({"none", "jacobi", "pmg"}).description(""))
      ->type_name("NAME");
  app->add_option("--levels", arguments->levels,
                  "Orders of p-multigrid, such as 7,5,3,1 (default: halved until 1; of tets a third less)")
      ->delimiter(',')
      ->type_name("P,...");
  app->add_option("--degree", arguments->degree,
                  "Products of its smoother (default: 3, from order 8 on 4, of tets from 3 on)")
      ->check(CLI::Range(1, 20).description(""))
      ->type_name("N");
  app->add_option("--smoothing", arguments->smoothing,
                  "What that inverts: points, the diagonal; elements, a brick for each hex; or auto, by element")
      ->check(CLI::IsMember({"auto", "points", "elements"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--kershaw", arguments->request.kershaw,
                  "Kershaw's mesh of a cube with this epsilon, at most 1, where it is uniform; instead of a warped one")
      ->check(CLI::Range(1e-3, 1.0).description(""))
      ->type_name("E");
  app->add_flag("--random", arguments->request.random, "A random right-hand side; its solution is not known");
  app->add_flag("--ceed", arguments->request.ceed, "The official variant: Jacobi, mass without boundary condition");
  app->add_flag("--recompute", arguments->request.recompute, "Geometry in every application instead of stored factors");
  app->add_option("--sum", arguments->sum,
                  "How elements add to nodes they share on a GPU: deterministic, or atomic (other bits in every run)")
      ->check(CLI::IsMember({"deterministic", "atomic"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--evaluation", arguments->evaluation,
                  "On a GPU: fused, one kernel; or actions, one for each step, through memory")
      ->check(CLI::IsMember({"fused", "actions"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--gemm", arguments->gemm,
                  "Actions of tets: select the fastest product, one GEMM of cuBLAS (plain), or one of ours (own)")
      ->check(CLI::IsMember({"select", "plain", "own"}).description(""))
      ->type_name("NAME");
  app->add_option("--tol", arguments->tolerance, "|b - A x| <= TOL |b| is the aim (default: 1e-10, in float 1e-5)")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("TOL");
  app->add_option("--max-iterations", arguments->max_iterations, "Before it gives up")
      ->check(CLI::Range(0, 1 << 30).description(""))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--iterations", arguments->iterations, "Exactly N iterations, whatever the residual")
      ->check(CLI::Range(1, 1 << 30).description(""))
      ->type_name("N");
  app->add_option("--precision", arguments->precision, "double or float")
      ->check(CLI::IsMember({"double", "float"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  add_device(*app, arguments->device);
  add_threads(*app, arguments->num_threads);
  app->add_option("--json", arguments->json, "Write the record as JSON; - is standard output")->type_name("FILE");
  add_drawing(*app, arguments->drawing);
  add_examples(*app, {{"millrace bp 3 --order 4 --dofs 1e6", "diffusion on a million unknowns"},
                      {"millrace bp 5 --order 7 --dofs 2e7 --device gpu --iterations 100", "a benchmark on a GPU"},
                      {"millrace bp 5 --order 7 --kershaw 0.3 --precond pmg --tol 1e-8", "how good is p-multigrid?"},
                      {"millrace bp 1 --ceed --json bp1.json", "the official variant, with a record"}});
  return {app, [arguments] { return Bp(*arguments)(); }};
}

}  // namespace millrace::command
