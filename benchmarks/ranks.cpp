// Matrices on all ranks of a job: products in each mode, and iterations of CG with Jacobi. Every rank makes its own
// rows; a product is checked row by row before it is timed, and the slowest rank counts.
//
// usage: mpirun -n P benchmark_ranks OUT.json [small] [RECORD.json...]
// OMP_NUM_THREADS says how many threads a rank has. Points of the records named are taken over, so one record can hold
// several numbers of ranks.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/sparse/gallery.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;

double entry_of_x(std::int64_t row) { return std::sin(0.37 * static_cast<double>(row)); }

struct Bench {
  Comm world;
  Queue queue{};
  int runs = 0;
  Json points = Json::array();
};

/// Seconds of the slowest rank, `runs` times; all begin together.
Samples time_on_ranks(Bench& bench, const std::function<void()>& work) {
  Samples samples;
  for (int k = -2; k < bench.runs; ++k) {
    bench.world.barrier();
    const auto begin = Clock::now();
    work();
    double seconds[] = {seconds_since(begin)};
    bench.world.max(seconds);
    if (k >= 0) samples.seconds.push_back(seconds[0]);
  }
  return samples;
}

void add_point(Bench& bench, const std::string& spec, const GlobalRows<double>& rows, const std::string& task,
               const std::string& contender, const Samples& samples, double iterations, double error, double halo) {
  std::int64_t entries[] = {rows.num_entries()};
  bench.world.sum(entries);
  double bytes[] = {halo};
  bench.world.sum(bytes);
  if (bench.world.rank() != 0) return;
  Json list = Json::array();
  for (const double seconds : samples.seconds) list.push_back(seconds * 1e6);
  fmt::print("{:<20} {:<8} {:<26} {} ranks of {} threads {:>10.1f} us +- {:.1f} %\n", spec, task, contender,
             bench.world.size(), bench.queue.num_threads(), samples.median() * 1e6, 100 * samples.spread());
  std::fflush(stdout);
  bench.points.push_back({{"matrix", spec},
                          {"rows", rows.num_cols},
                          {"entries", entries[0]},
                          {"task", task},
                          {"contender", contender},
                          {"ranks", bench.world.size()},
                          {"threads", bench.queue.num_threads()},
                          {"iterations", iterations},
                          {"error", error},
                          {"halo_bytes", bytes[0]},
                          {"samples_us", list},
                          {"median_us", samples.median() * 1e6},
                          {"spread", samples.spread()}});
}

/// The largest error of y = A x, over the sum of |a x| of its row.
double error_of_product(const Comm& world, const GlobalRows<double>& rows, const std::vector<double>& y) {
  double worst[] = {0};
  for (std::int64_t r = 0; r < rows.num_rows(); ++r) {
    double sum = 0, size = 0;
    for (Offset s = rows.row_ptr.data()[r]; s < rows.row_ptr.data()[r + 1]; ++s) {
      const double term = rows.vals.data()[s] * entry_of_x(rows.cols.data()[s]);
      sum += term;
      size += std::abs(term);
    }
    worst[0] = std::max(worst[0], std::abs(y[to_size(r)] - sum) / std::max(size, 1e-300));
  }
  world.max(worst);
  return worst[0];
}

/// `block`: rows that stay together.
void measure(Bench& bench, const std::string& spec, const std::string& format, int block, bool definite) {
  const Comm& world = bench.world;
  const GlobalRows<double> rows = together(world, [&] {
    return gallery::make_rows(spec, [&](std::int64_t n) {
      const Partition parts = by_rows(n, world.size(), block);
      return std::pair(parts.begin(world.rank()), parts.end(world.rank()));
    });
  });
  std::vector<double> x(to_size(rows.num_rows())), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = entry_of_x(rows.first + static_cast<std::int64_t>(i));
  for (const Mode mode : {Mode::vector, Mode::overlap, Mode::task}) {
    if (world.size() == 1 && mode != Mode::vector) continue;
    if (mode == Mode::task && !world.serves_threads()) continue;
    const auto begin = Clock::now();
    const DistributedMatrix<double> a(world, rows, {.format = format, .mode = mode});
    double set_up[] = {seconds_since(begin)};
    world.max(set_up);
    a.apply(bench.queue, {.x = x, .y = y});
    const double error = error_of_product(world, rows, y);
    require(error < 1e-12, spec, ", ", to_text(mode), ": an error of ", error);
    const std::string contender = join("millrace ", format, ", ", to_text(mode));
    const double halo = a.traffic().halo;
    add_point(bench, spec, rows, "set-up", contender, {.seconds = {set_up[0]}}, 0, 0, halo);
    add_point(bench, spec, rows, "product", contender,
              time_on_ranks(bench, [&] { a.apply(bench.queue, {.x = x, .y = y}); }), 1, error, halo);
    if (!definite) continue;
    const Jacobi<double> m(bench.queue, a.local());
    std::vector<double> solution(x.size());
    int iterations = 0;
    double relative = 0;
    Samples samples = time_on_ranks(bench, [&] {
      std::fill(solution.begin(), solution.end(), 0.0);
      const SolveReport report =
          cg(bench.queue, a, m, y, solution, {.tolerance = 1e-6, .max_iterations = 400, .never_worse = false});
      iterations = report.iterations;
      relative = report.residual / report.rhs_norm;
    });
    for (double& seconds : samples.seconds) seconds /= std::max(iterations, 1);
    add_point(bench, spec, rows, "cg", contender + ", jacobi", samples, iterations, relative, halo);
  }
}

int run(int argc, char** argv) {
  Bench bench{Comm::world()};
  const bool small = argc > 2 && std::string_view(argv[2]) == "small";
  together(bench.world, [&] {
    require(argc >= 2, "usage: mpirun -n P benchmark_ranks OUT.json [small] [RECORD.json...]");
    for (int i = small ? 3 : 2; i < argc; ++i) {
      std::ifstream file(argv[i]);
      require<IoError>(file.good(), argv[i], ": cannot be opened");
      for (const Json& point : Json::parse(file).at("points")) bench.points.push_back(point);
    }
  });
  bench.runs = small ? 1 : 21;
  measure(bench, small ? "laplace3d7:n=12" : "laplace3d7:n=128", small ? "csr" : "dia", 1, true);
  measure(bench, small ? "laplace3d7:n=12" : "laplace3d7:n=128", "sell-8-1", 1, true);
  measure(bench, small ? "dlr1:0.01" : "dlr1", "bsr", 6, false);
  if (!small) measure(bench, "uhbr:0.125", "bsr", 5, false);
  if (bench.world.rank() == 0)
    bench::write_json(argv[1], bench::points_record("millrace.ranks", Device::host(), measure_bandwidth(bench.queue),
                                                    std::move(bench.points)));
  bench.world.barrier();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const millrace::MpiSession session(argc, argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    const bool everywhere = dynamic_cast<const millrace::OnAllRanks*>(&error) != nullptr;
    if (!everywhere || millrace::Comm::world().rank() == 0) std::fprintf(stderr, "benchmark_ranks: %s\n", error.what());
    if (!everywhere) millrace::MpiSession::end_job(1);
    return 1;
  }
}
