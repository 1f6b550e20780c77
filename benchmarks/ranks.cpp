// Matrices on all ranks of a job: products in each mode, and iterations of CG with Jacobi, beside PETSc where the build
// has it, on the same ranks and in turns. Every rank makes its own rows; a product is checked row by row before it is
// timed, and the slowest rank counts.
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
#if MILLRACE_BENCHMARK_PETSC
#include "ranks_petsc.hpp"
#endif

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

/// A way to multiply or to solve, and what it says of itself.
struct Contender {
  std::string name;
  std::function<void()> work;
  std::function<int()> iterations{};  // of the last work; empty: a product
  double error = 0, halo = 0;
  Samples samples{};
};

/// Seconds of the slowest rank, in turns, `runs` times; all ranks begin together.
void time_in_turns(Bench& bench, std::vector<Contender>& contenders) {
  for (int k = -2; k < bench.runs; ++k)
    for (Contender& contender : contenders) {
      bench.world.barrier();
      const auto begin = Clock::now();
      contender.work();
      double seconds[] = {seconds_since(begin)};
      bench.world.max(seconds);
      if (k >= 0) contender.samples.seconds.push_back(seconds[0]);
    }
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

/// One matrix, and all that are timed on it.
class Measurement {
 public:
  /// `block`: rows that stay together.
  Measurement(Bench& bench, const std::string& spec, int block)
      : bench_(bench),
        spec_(spec),
        rows_(together(bench.world,
                       [&] {
                         return gallery::make_rows(spec, [&](std::int64_t n) {
                           const Partition parts = by_rows(n, bench.world.size(), block);
                           return std::pair(parts.begin(bench.world.rank()), parts.end(bench.world.rank()));
                         });
                       })),
        x_(to_size(rows_.num_rows())),
        y_(x_.size()),
        solution_(x_.size()) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = entry_of_x(rows_.first + static_cast<std::int64_t>(i));
  }

  void add_own(const std::string& format, Mode mode, bool definite) {
    const auto begin = Clock::now();
    auto& a = *matrices_.emplace_back(std::make_unique<DistributedMatrix<double>>(
        bench_.world, rows_, DistributedOptions{.format = format, .mode = mode}));
    const std::string name = join("millrace ", format, ", ", to_text(mode));
    add_setup(name, seconds_since(begin), a.traffic().halo);
    a.apply(bench_.queue, {.x = x_, .y = y_});
    products_.push_back(
        {name, [this, &a] { a.apply(bench_.queue, {.x = x_, .y = y_}); }, {}, checked(name, y_), a.traffic().halo});
    if (!definite) return;
    auto& m = *diagonals_.emplace_back(std::make_unique<Jacobi<double>>(bench_.queue, a.local()));
    auto& report = *reports_.emplace_back(std::make_unique<SolveReport>());
    b_ = y_;
    solves_.push_back({name + ", jacobi",
                       [this, &a, &m, &report] {
                         std::fill(solution_.begin(), solution_.end(), 0.0);
                         report = cg(bench_.queue, a, m, b_, solution_,
                                     {.tolerance = tolerance, .max_iterations = most, .never_worse = false});
                       },
                       [&report] { return report.iterations; }, 0, a.traffic().halo});
  }

#if MILLRACE_BENCHMARK_PETSC
  void add_petsc(const std::string& type, int block, bool definite) {
    auto& a = *peers_.emplace_back(std::make_unique<bench::PetscMatrix>(type, rows_, block));
    const std::string name = "petsc " + type;
    add_setup(name, a.setup_seconds(), 0);
    a.set_x(x_);
    a.product();
    products_.push_back({name, [&a] { a.product(); }, {}, checked(name, a.y())});
    if (!definite) return;
    a.set_b(b_.empty() ? a.y() : b_);
    auto& found = *petsc_solves_.emplace_back(std::make_unique<bench::PetscSolve>());
    solves_.push_back(
        {name + ", jacobi", [&a, &found] { found = a.cg(tolerance, most); }, [&found] { return found.iterations; }});
  }
#endif

  void run() {
    time_in_turns(bench_, products_);
    for (const Contender& c : products_)
      add_point(bench_, spec_, rows_, "product", c.name, c.samples, 1, c.error, c.halo);
    time_in_turns(bench_, solves_);
    for (Contender& c : solves_) {
      for (double& seconds : c.samples.seconds) seconds /= std::max(c.iterations(), 1);
      add_point(bench_, spec_, rows_, "cg", c.name, c.samples, c.iterations(), tolerance, c.halo);
    }
  }

 private:
  static constexpr double tolerance = 1e-6;
  static constexpr int most = 400;

  double checked(const std::string& name, const std::vector<double>& y) const {
    const double error = error_of_product(bench_.world, rows_, y);
    require(error < 1e-12, spec_, ", ", name, ": an error of ", error);
    return error;
  }
  void add_setup(const std::string& name, double mine, double halo) {
    double seconds[] = {mine};
    bench_.world.max(seconds);
    add_point(bench_, spec_, rows_, "set-up", name, {.seconds = {seconds[0]}}, 0, 0, halo);
  }

  Bench& bench_;
  std::string spec_;
  GlobalRows<double> rows_;
  std::vector<double> x_, y_, solution_, b_{};
  std::vector<std::unique_ptr<DistributedMatrix<double>>> matrices_{};
  std::vector<std::unique_ptr<Jacobi<double>>> diagonals_{};
  std::vector<std::unique_ptr<SolveReport>> reports_{};
#if MILLRACE_BENCHMARK_PETSC
  std::vector<std::unique_ptr<bench::PetscMatrix>> peers_{};
  std::vector<std::unique_ptr<bench::PetscSolve>> petsc_solves_{};
#endif
  std::vector<Contender> products_{}, solves_{};
};

void measure(Bench& bench, const std::string& spec, const std::vector<std::string>& formats, int block, bool definite) {
  Measurement measurement(bench, spec, block);
  for (const std::string& format : formats)
    for (const Mode mode : {Mode::vector, Mode::overlap, Mode::task}) {
      if (bench.world.size() == 1 && mode != Mode::vector) continue;
      if (mode == Mode::task && !bench.world.serves_threads()) continue;
      measurement.add_own(format, mode, definite);
    }
#if MILLRACE_BENCHMARK_PETSC
  for (const char* type : {"aij", "sell"}) measurement.add_petsc(type, 1, definite);
  if (block > 1) measurement.add_petsc("baij", block, definite);
#endif
  measurement.run();
}

int run(int argc, char** argv) {
#if MILLRACE_BENCHMARK_PETSC
  const bench::PetscSession petsc;
#endif
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
  if (small) {
    measure(bench, "laplace3d7:n=12", {"csr", "sell-8-1"}, 1, true);
    measure(bench, "dlr1:0.01", {"bsr"}, 6, false);
  } else {
    measure(bench, "laplace3d7:n=128", {"dia", "sell-8-1"}, 1, true);
    measure(bench, "dlr1", {"bsr"}, 6, false);
    measure(bench, "uhbr:0.125", {"bsr"}, 5, false);
  }
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
