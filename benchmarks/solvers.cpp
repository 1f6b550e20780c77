// How long an iteration of our solvers takes, beside the loop that one writes with cuSPARSE and cuBLAS (GPU) or Eigen's
// solver (CPU), and beside what its memory traffic allows. Every solution is checked by the host before its time
// counts.
//
// usage: benchmark_solvers OUT.json cpu|gpu [small]     (small: tiny systems, to see that it works)
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "millrace/base/timer.hpp"
#include "millrace/bench/features.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/precond/block_jacobi.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/matrix.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "program.hpp"
#include "solver_peers.hpp"

namespace millrace::solver_peers {

double relative_residual(const Csr<double>& a, const Array<double>& b, const Array<double>& x) {
  const SparseMatrix<double> matrix(a, "csr");
  Queue queue;
  Array<double> r = b.clone();
  matrix.apply(queue, {.alpha = -1, .x = x, .beta = 1, .y = r});
  double norm = 0, rhs = 0;
  for (const double value : r.span()) norm += value * value;
  for (const double value : b.span()) rhs += value * value;
  return std::sqrt(norm / rhs);
}

}  // namespace millrace::solver_peers

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;
using Solver = SolveReport (*)(Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                               Vectors<double>, const SolveOptions&);

struct Case {
  std::string name, spec, format;
  Csr<double> a{};
  Array<double> b{};  // numbers between -1 and 1 without a pattern
  double tolerance = 1e-8;
};

struct Bench {
  Queue queue;
  bool small;
  int runs;
  double triad_bytes_s = 0;
  Json points = Json::array();
};

void add_point(Bench& bench, const Case& c, const std::string& contender, const char* kind, int iterations,
               double relative, const std::vector<double>& seconds, double bytes) {
  const Samples samples{seconds};
  fmt::print("{:<28} {:<34} {:>6} iterations {:>9.3f} us  {:.1e}\n", c.name, contender, iterations,
             samples.median() * 1e6, relative);
  bench.points.push_back({{"case", c.name},
                          {"spec", c.spec},
                          {"rows", c.a.num_rows},
                          {"entries", c.a.num_entries()},
                          {"contender", contender},
                          {"kind", kind},
                          {"iterations", iterations},
                          {"relative_residual", relative},
                          {"samples_us", bench::samples_json(samples)},
                          {"median_us", samples.median() * 1e6},
                          {"spread", samples.spread()},
                          {"iteration_bytes", bytes}});
}

Case make_case(const std::string& name, const std::string& spec, const std::string& format) {
  Case c{name, spec, format};
  c.a = gallery::make(spec);
  c.b = Array<double>(c.a.num_rows);
  std::uint64_t state = 1;
  for (double& value : c.b.span()) {  // a linear congruence (D. Knuth's MMIX)
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
  return c;
}

/// Seconds an iteration: the time of a whole solution less that of its first iterations, over the iterations between.
int measure_own(Bench& bench, const Case& c, const std::string& contender, Solver solver, const Operator<double>& a,
                const Operator<double>& m, int first) {
  Queue& queue = bench.queue;
  const Array<double> b = c.b.to(queue.device()), zero = Array<double>(c.b.size(), 0.0).to(queue.device());
  Array<double> x = zero.clone();
  const auto solve = [&](int most) {
    x.assign(zero.device_span());
    return solver(queue, a, m, b, x, {.tolerance = c.tolerance, .max_iterations = most});
  };
  const SolveReport whole = solve(100000);
  require(whole.ok(), c.name, ", ", contender, ": ", whole.reason);
  const double relative = solver_peers::relative_residual(c.a, c.b, x.to(Device::host()));
  require(relative <= 1.1 * c.tolerance, c.name, ", ", contender, ": |b - A x| is ", relative, " of |b|; ", c.tolerance,
          " was the aim");
  const int begin = bench.small ? 0 : std::min(first, whole.iterations / 2);  // a small one is over too soon
  std::vector<double> seconds;
  for (int run = 0; run < bench.runs; ++run) {
    const double before = bench.small ? 0 : solve(begin).seconds;
    seconds.push_back((solve(100000).seconds - before) / (whole.iterations - begin));
  }
  add_point(bench, c, contender, "own", whole.iterations, relative, seconds, whole.iteration_bytes);
  return whole.iterations;
}

void add_peer(Bench& bench, const Case& c, const solver_peers::Result& peer, double worst) {
  require(peer.relative <= worst, c.name, ", ", peer.name, ": |b - A x| is ", peer.relative, " of |b| after ",
          peer.iterations, " iterations; at most ", worst, " was expected");
  add_point(bench, c, peer.name, "peer", peer.iterations, peer.relative, peer.seconds, 0);
}

/// One product, and 72 bytes per unknown at the speed of a triad: what an iteration of CG must take.
void add_model(Bench& bench, const Case& c, const SparseMatrix<double>& a) {
  Queue& queue = bench.queue;
  const Array<double> x = Array<double>(c.a.num_cols, 1.0).to(queue.device());
  Array<double> y(queue.device(), c.a.num_rows);
  const auto product = [&] { a.apply(queue, {.x = x, .y = y}); };
  constexpr int times = 20;
  Samples samples;
  if (queue.device().on_host()) {
    samples = time(queue, product);
  } else {
    const Graph graph(queue, product, times);
    samples = time(queue, [&] { graph.replay(); });
    for (double& seconds : samples.seconds) seconds /= times;
  }
  const double vectors = 72.0 * c.a.num_rows;
  for (double& seconds : samples.seconds) seconds += vectors / bench.triad_bytes_s;
  samples.seconds.resize(std::min<std::size_t>(samples.seconds.size(), 101));
  add_point(bench, c, "product + 72 bytes an unknown", "model", 0, 0, samples.seconds, a.traffic().total() + vectors);
}

void run_cg(Bench& bench, const Case& c, bool with_model) {
  const Device device = bench.queue.device();
  const SparseMatrix<double> a = SparseMatrix<double>(c.a, c.format).to(device);
  const Identity<double> none(a.shape().rows, device);
  if (with_model) add_model(bench, c, a);
  const int iterations = measure_own(bench, c, "cg, " + c.format, cg<double>, a, none, 30);
  if (device.on_host()) {
    const Jacobi<double> jacobi(bench.queue, c.a);
    measure_own(bench, c, "cg + jacobi, " + c.format, cg<double>, a, jacobi, 30);
    if constexpr (bench::features::eigen) {
      for (const bool diagonal : {false, true})
        add_peer(bench, c,
                 solver_peers::eigen_cg(bench.queue.num_threads(), c.a, c.b, c.tolerance, diagonal, bench.runs),
                 1.1 * c.tolerance);
    }
  } else if constexpr (bench::features::cublas && bench::features::cusparse) {
    add_peer(bench, c, solver_peers::cublas_cg(bench.queue, c.a, c.b, iterations, bench.runs), 2 * c.tolerance);
  }
}

/// Couplings between blocks grow by a factor, until GMRES(30) needs a hundred iterations or two.
void strengthen_couplings(Csr<double>& a, Index block, double factor) {
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      if (a.cols.data()[k] / block != r / block) a.vals.data()[k] *= factor;
}

void run_gmres(Bench& bench, Case c, Index block) {
  strengthen_couplings(c.a, block, 8);
  Queue host;
  const Device device = bench.queue.device();
  const SparseMatrix<double> a = SparseMatrix<double>(c.a, c.format).to(device);
  const BlockJacobi<double> on_host(host, c.a, {.size = block}), m = on_host.to(device);
  constexpr int restart = 30;
  const int iterations = measure_own(bench, c, "gmres(30) + block jacobi, " + c.format, gmres<double>, a, m, restart);
  if constexpr (bench::features::cublas && bench::features::cusparse) {
    if (device.on_host()) return;
    Array<double> inverses(static_cast<Offset>(c.a.num_rows) * block);  // column by column: of unit vectors
    Array<double> x(c.a.num_rows, 0.0), y(c.a.num_rows);
    for (Index j = 0; j < block; ++j) {
      for (Index r = 0; r < c.a.num_rows; ++r) x.data()[r] = r % block == j ? 1 : 0;
      on_host.apply(host, {.x = x, .y = y});
      for (Index r = 0; r < c.a.num_rows; ++r)
        inverses.data()[static_cast<Offset>(r / block) * block * block + j * block + r % block] = y.data()[r];
    }
    const int cycles = (iterations + restart - 1) / restart;
    add_peer(bench, c, solver_peers::cublas_gmres(bench.queue, c.a, c.b, inverses, block, restart, cycles, bench.runs),
             2 * c.tolerance);
  }
}

int run(int argc, char** argv) {
  require(argc == 3 || argc == 4, "usage: benchmark_solvers OUT.json cpu|gpu [small]");
  const Device device = parse_device(argv[2]);
  const bool small = argc > 3;
  Bench bench{Queue(device), small, small ? 2 : device.on_host() ? 5 : 9};
  const Bandwidth bandwidth = measure_bandwidth(bench.queue);
  bench.triad_bytes_s = bandwidth.triad;
  const auto side = [&](int large, int tiny) { return std::to_string(small ? tiny : large); };
  if (device.on_host()) {
    run_cg(bench, make_case("3D 7-point", "laplace3d7:n=" + side(128, 12), "dia"), true);
  } else {
    run_cg(bench, make_case("3D 7-point", "laplace3d7:n=" + side(160, 12), "dia-32"), true);
    run_cg(bench, make_case("2D 5-point, tiny", "laplace2d5:n=" + side(100, 20), "csr"), false);
  }
  run_gmres(bench, make_case("HDG-like", "hdg:m=24,faces=" + side(device.on_host() ? 2000 : 11656, 60), "dbf"), 24);
  bench::write_json(argv[1], bench::points_record("millrace.solvers", device, bandwidth, std::move(bench.points)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_solvers", [&] { return run(argc, argv); });
}
