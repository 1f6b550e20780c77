// Elasticity of a cube of tets of order 1, held at one side, with algebraic multigrid and rigid-body modes: iterations
// of CG to 1e-8 in double, a random right-hand side, on finer and finer meshes. Every solution is checked by its true
// residual.
//
// usage: benchmark_elasticity OUT.json cpu|gpu CELLS,CELLS,...    cells of an edge: 31 has 98,304 unknowns
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "millrace/base/elapsed.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/fem.hpp"
#include "millrace/fem/p_multigrid.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;

constexpr double tolerance = 1e-8;

Json measure(Queue& queue, int cells) {
  const Mesh mesh = make_box(Cell::tet, {cells, cells, cells});
  const Space space = make_space(mesh, 1, 3);
  const ElementOptions held{.constrained = space.boundary[0].nodes};
  const fem::Elasticity<3> steel{{1.0}, {1.0}};
  auto begin = Clock::now();
  const PMultigrid<double> m = make_p_multigrid<double>(queue, mesh, space, steel, held);
  queue.wait();
  const double setup = seconds_since(begin);
  const auto on_host = make_element_operator<double>(mesh, space, steel, held);
  const auto a = on_host.to(queue.device());
  Array<double> b(space.num_dofs()), x(space.num_dofs(), 0.0);
  for (std::int64_t i = 0; i < b.size(); ++i) b.data()[i] = bench::random_real(1, static_cast<std::uint64_t>(i));
  b = b.to(queue.device()), x = x.to(queue.device());
  begin = Clock::now();
  const SolveReport report = cg(queue, a, m, b, x, {.tolerance = tolerance, .max_iterations = 500});
  const double solve = seconds_since(begin);
  require(report.ok() && report.relative <= tolerance, cells, " cells: the solve ended at ", report.relative, ": ",
          report.reason);
  const AmgReport& amg = m.report().amg;
  fmt::print("{:>3} cells {:>9} unknowns: {} iterations, set-up {:.2f} s, of which algebraic {:.2f}, solve {:.3f} s\n",
             cells, space.num_dofs(), report.iterations, setup, m.report().algebraic, solve);
  std::fflush(stdout);
  return {{"cells", cells},
          {"unknowns", space.num_dofs()},
          {"iterations", report.iterations},
          {"residual", report.relative},
          {"setup_ms", setup * 1e3},
          {"algebraic_ms", m.report().algebraic * 1e3},
          {"solve_ms", solve * 1e3},
          {"levels", amg.levels.size()},
          {"operator_complexity", amg.operator_complexity}};
}

int run(int argc, char** argv) {
  require(argc == 4, "usage: benchmark_elasticity OUT.json cpu|gpu CELLS,CELLS,...");
  const std::string_view where = argv[2];
  require(where == "cpu" || where == "gpu", "'", where, "' is no device; cpu and gpu are accepted");
  Queue queue(where == "cpu" ? Device::host() : Device::gpu());
  Json points = Json::array();
  for (const std::string_view cells : program::words(argv[3]))
    points.push_back(measure(queue, program::number<int>("cells", cells)));
  bench::write_json(argv[1], bench::points_record("millrace.elasticity", queue.device(), measure_bandwidth(queue),
                                                  std::move(points)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_elasticity", [&] { return run(argc, argv); });
}
