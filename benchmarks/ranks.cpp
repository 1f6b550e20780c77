// Matrices on all ranks of a job: products in each mode, and iterations of CG with Jacobi, beside PETSc where the build
// has it, on the same ranks and in turns. Every rank makes its own rows; a product is checked row by row before it is
// timed, and the slowest rank counts.
//
// usage: mpirun -n P benchmark_ranks OUT.json [small | gpu] [RECORD.json...]
// OMP_NUM_THREADS says how many threads a rank has. Points of the records named are taken over, so one record can hold
// several numbers of ranks. gpu: CG on a GPU that all ranks share, as MPS lets them, and a sum over ranks in a graph.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/mailbox.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/sparse/gallery.hpp"
#include "rank_program.hpp"
#if MILLRACE_BENCHMARK_PETSC
#include "ranks_petsc.hpp"
#endif

namespace {

using namespace millrace;
using program::entry_of_x, program::seconds_of_slowest, program::take_over;
using Json = nlohmann::ordered_json;

struct Bench {
  Comm world;
  Queue queue;
  int runs = 0;
  Json points = Json::array();
};

struct Solved {
  int iterations = 0;
  double relative = 0;  // |b - A x| over |b|
};

/// A way to multiply or to solve, and what it says of itself.
struct Contender {
  std::string name;
  std::function<void()> work;
  std::function<Solved()> solved{};  // by the last work; empty: a product
  double error = 0, halo = 0;
  Samples samples{};
};

/// Seconds of the slowest rank, in turns, `runs` times; all ranks begin together.
void time_in_turns(Bench& bench, std::vector<Contender>& contenders, int runs) {
  for (int k = -2; k < runs; ++k)
    for (Contender& contender : contenders) {
      const double seconds = seconds_of_slowest(bench.world, contender.work);
      if (k >= 0) contender.samples.seconds.push_back(seconds);
    }
}

int threads_of(const Bench& bench) { return bench.queue.device().on_host() ? bench.queue.num_threads() : 1; }

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
             bench.world.size(), threads_of(bench), samples.median() * 1e6, 100 * samples.spread());
  std::fflush(stdout);
  bench.points.push_back({{"matrix", spec},
                          {"rows", rows.num_cols},
                          {"entries", entries[0]},
                          {"task", task},
                          {"contender", contender},
                          {"ranks", bench.world.size()},
                          {"threads", threads_of(bench)},
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
        x_(rows_.num_rows()),
        y_(bench.queue.device(), rows_.num_rows()),
        solution_(rows_.num_rows(), 0.0) {
    for (std::int64_t i = 0; i < rows_.num_rows(); ++i) x_.data()[i] = entry_of_x(rows_.first + i);
    x_ = x_.to(bench.queue.device());
    solution_ = solution_.to(bench.queue.device());
    zeros_ = solution_.clone();
    Array<double> b(rows_.num_rows());  // without order, so that all of the spectrum is in it
    for (std::int64_t i = 0; i < b.size(); ++i)
      b.data()[i] = bench::random_value<double>(7, static_cast<std::uint64_t>(rows_.first + i));
    b_ = b.to(bench.queue.device());
  }

  void add_own(const std::string& format, Mode mode, bool definite) {
    const auto begin = Clock::now();
    auto& a = *matrices_.emplace_back(std::make_unique<DistributedMatrix<double>>(
        bench_.world, rows_, DistributedOptions{.format = format, .mode = mode, .device = bench_.queue.device()}));
    const std::string name = join("millrace ", format, ", ", to_text(mode));
    add_setup(name, seconds_since(begin), a.traffic().halo);
    const auto product = [this, &a] {
      a.apply(bench_.queue, {.x = x_, .y = y_});
      bench_.queue.wait();
    };
    product();
    products_.push_back({name, product, {}, checked(name, y_.to_vector()), a.traffic().halo});
    if (!definite) return;
    const bool on_host = bench_.queue.device().on_host();  // on a GPU without a preconditioner, as its bars are
    Operator<double>& m = *preconditioners_.emplace_back(
        on_host ? std::unique_ptr<Operator<double>>(std::make_unique<Jacobi<double>>(bench_.queue, a.local()))
                : std::make_unique<Identity<double>>(a));
    auto& report = *reports_.emplace_back(std::make_unique<SolveReport>());
    solves_.push_back({name + (on_host ? ", jacobi" : ""),
                       [this, &a, &m, &report] {
                         solution_.assign(zeros_.device_span());
                         report = cg(bench_.queue, a, m, b_, solution_,
                                     {.tolerance = tolerance, .max_iterations = most, .never_worse = false});
                       },
                       [&report] {
                         return Solved{report.iterations, report.relative};
                       },
                       0, a.traffic().halo});
  }

#if MILLRACE_BENCHMARK_PETSC
  void add_petsc(const std::string& type, int block, bool definite) {
    auto& a = *peers_.emplace_back(std::make_unique<bench::PetscMatrix>(type, rows_, block));
    const std::string name = "petsc " + type;
    add_setup(name, a.setup_seconds(), 0);
    a.set_x(x_.span());
    a.product();
    products_.push_back({name, [&a] { a.product(); }, {}, checked(name, a.y())});
    if (!definite) return;
    a.set_b(b_.to_vector());
    auto& found = *petsc_solves_.emplace_back(std::make_unique<bench::PetscSolve>());
    solves_.push_back({name + ", jacobi", [&a, &found] { found = a.cg(tolerance, most); },
                       [&found] {
                         return Solved{found.iterations, found.relative};
                       }});
  }
#endif

  void run() {
    time_in_turns(bench_, products_, bench_.runs);
    for (const Contender& c : products_)
      add_point(bench_, spec_, rows_, "product", c.name, c.samples, 1, c.error, c.halo);
    time_in_turns(bench_, solves_, std::min(bench_.runs, 3));  // each is many iterations
    for (Contender& c : solves_) {
      const Solved last = c.solved();
      for (double& seconds : c.samples.seconds) seconds /= std::max(last.iterations, 1);
      add_point(bench_, spec_, rows_, "cg", c.name, c.samples, last.iterations, last.relative, c.halo);
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
  Array<double> x_, y_, solution_, zeros_{}, b_{};  // on the device of the queue
  std::vector<std::unique_ptr<DistributedMatrix<double>>> matrices_{};
  std::vector<std::unique_ptr<Operator<double>>> preconditioners_{};
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
  const std::vector<std::string> types{"aij", "sell", "baij"};
  for (std::size_t k = 0; bench.queue.device().on_host() && k < (block > 1 ? 3u : 2u); ++k)
    measurement.add_petsc(types[k], k < 2 ? 1 : block, definite);
#endif
  measurement.run();
}

/// A sum over ranks inside a graph: 64 of them, one after another, and that 16 times, for ranks do not begin at once.
void measure_sums(Bench& bench) {
  if (bench.world.size() == 1) return;
  constexpr int num = 64, replays = 16;
  Array<double> value = Array<double>(std::int64_t{1}, 1e-300).to(bench.queue.device());
  sum_on_gpu(bench.queue, bench.world, value.data(), 1);
  bench.queue.wait();
  require(bench.queue.mailbox().kernels_wait(), "the ranks share a GPU without MPS: ", bench.queue.mailbox().details());
  const Graph graph(
      bench.queue, [&] { sum_on_gpu(bench.queue, bench.world, value.data(), 1); }, num);
  std::vector<Contender> sums;
  sums.push_back({"millrace mailbox", [&] {
                    for (int k = 0; k < replays; ++k) graph.replay();
                    bench.queue.wait();
                  }});
  time_in_turns(bench, sums, bench.runs);
  for (double& seconds : sums[0].samples.seconds) seconds /= num * replays;
  add_point(bench, "one number", GlobalRows<double>(), "sum", sums[0].name, sums[0].samples, num, 0, 0);
}

int run(int argc, char** argv) {
#if MILLRACE_BENCHMARK_PETSC
  const bench::PetscSession petsc;
#endif
  const std::string_view word = argc > 2 ? argv[2] : "";
  const bool small = word == "small", gpu = word == "gpu";
  Bench bench{Comm::world(), Queue(gpu ? Device::gpu() : Device::host())};
  together(bench.world, [&] {
    require(argc >= 2, "usage: mpirun -n P benchmark_ranks OUT.json [small | gpu] [RECORD.json...]");
    for (int i = small || gpu ? 3 : 2; i < argc; ++i) take_over(argv[i], bench.points);
  });
  bench.runs = small ? 1 : 21;
  if (small) {
    measure(bench, "laplace3d7:n=12", {"csr", "sell-8-1"}, 1, true);
    measure(bench, "dlr1:0.01", {"bsr"}, 6, false);
  } else if (gpu) {
    if constexpr (build::cuda) measure_sums(bench);
    measure(bench, "laplace3d7:n=160", {"csr", "dia-32"}, 1, true);
  } else {
    measure(bench, "laplace3d7:n=128", {"dia", "sell-8-1"}, 1, true);
    if (bench.world.size() == 1)  // what each of two ranks has
      measure(bench, "laplace3d7:n=128,nz=64", {"dia", "sell-8-1"}, 1, true);
    measure(bench, "dlr1", {"bsr"}, 6, false);
    measure(bench, "uhbr:0.125", {"bsr"}, 5, false);
  }
  if (bench.world.rank() == 0)
    bench::write_json(argv[1], bench::points_record("millrace.ranks", bench.queue.device(),
                                                    measure_bandwidth(bench.queue), std::move(bench.points)));
  bench.world.barrier();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const millrace::MpiSession session(argc, argv);
  return millrace::program::guarded_on_ranks("benchmark_ranks", [&] { return run(argc, argv); });
}
