// Solves on many ranks, each with some of the rows; rank 0 reads and writes vectors in the order of the file.
#include <sys/resource.h>

#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/dist/solve.hpp"
#include "millrace/dist/system.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "terminal/progress.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"
#include "verbs/solve/run.hpp"

namespace millrace::command {

namespace {

/// Vectors of a file, read by rank 0.
template <class T, class Read>
VectorSet<T> dealt(const Comm& world, const SpreadRows<T>& spread, const Read& read) {
  VectorSet<T> all = together(world, [&] { return world.rank() == 0 ? read() : VectorSet<T>(); });
  std::int64_t num[] = {all.num};
  world.max(num);
  return {static_cast<Index>(spread.parts().size(world.rank())), static_cast<Index>(num[0]),
          spread.from_file(all.values, static_cast<int>(num[0]))};
}

/// The most memory that a rank had so far.
double peak_over_ranks(const Comm& world) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  double bytes[] = {1024.0 * static_cast<double>(usage.ru_maxrss)};
  world.max(bytes);
  return bytes[0];
}

/// What all ranks move together.
void sum_traffic(const Comm& world, AutoReport& report) {
  for (SolveAttempt& attempt : report.attempts) {
    double bytes[] = {attempt.iteration_bytes, attempt.product_bytes, attempt.narrow_bytes, attempt.report.bytes};
    world.sum(bytes);
    attempt.iteration_bytes = bytes[0];
    attempt.product_bytes = bytes[1];
    attempt.narrow_bytes = bytes[2];
    attempt.report.bytes = bytes[3];
  }
}

}  // namespace

void Solve::solve_on_ranks() {
  const Comm world = Comm::world();
  ResidualLine live;
  const AutoOptions asked = options(live);
  together(world, [&] { check_options(asked, world.size(), arguments_.ranks.reproducible); });
  AnyRows any = read_or_make_rows(arguments_.matrix, arguments_.max_memory, arguments_.ranks.reproducible);
  summary_.matrix = facts_of_rows(arguments_.matrix, any);
  summary_.num_ranks = world.size();
  together(world, [&] { check_square(summary_.matrix, "solve", "there is nothing to solve"); });
  summary_.precision = precision_of_rows(any, arguments_.precision);
  with_precision(summary_.precision,
                 [&]<class T>() { solve_on_ranks<T>(rows_in_precision<T>(std::move(any)), asked); });
}

template <class T>
void Solve::solve_on_ranks(GlobalRows<T> rows, const AutoOptions& asked) {
  const Comm world = Comm::world();
  const bool reproducible = arguments_.ranks.reproducible;
  together(world, [&] { check_numbers(sizeof(RealOf<T>) == 4); });
  note_request();
  SpreadRows<T> spread(world, std::move(rows), arguments_.ranks.partition_kind(),
                       reproducible ? Comm::reproducible_rows : 1);
  const auto here = static_cast<Index>(spread.parts().size(world.rank()));
  VectorSet<T> b{here, 1, {}};
  Queue on_host(Device::host(), threads_of_rank(arguments_.num_threads));
  if (arguments_.rhs.empty())
    b.values = plain_product(on_host, world, spread.rows(), known_values<T>(spread.file_rows()));
  else
    b = dealt<T>(world, spread, [&] { return read_rhs<T>(); });
  VectorSet<T> x{here, b.num, std::vector<T>(b.values.size())};
  if (!arguments_.start.empty())
    x = dealt<T>(world, spread, [&] { return read_start<T>(summary_.matrix.rows, b.num); });
  const Device host = Device::host();
  summary_.report = millrace::solve<T>(queue_, world, spread.take(), {host, b.values.data(), here, b.num},
                                       {host, x.values.data(), here, b.num}, asked, arguments_.ranks.how());
  sum_traffic(world, summary_.report);
  summary_.peak_bytes = peak_over_ranks(world);
  if (arguments_.rhs.empty()) {
    double error[] = {max_error(x.values, known_values<T>(spread.file_rows()))};
    world.max(error);
    summary_.error = error[0];
  }
  const double cache = static_cast<double>(millrace::facts(queue_.device()).cache_bytes) * world.size();
  if (summary_.report.best().iteration_bytes > 2 * cache) {
    Progress progress("measuring memory");
    world.barrier();
    double rate[] = {measure_bandwidth(queue_, (std::int64_t{256} << 20) / world.size()).read};
    world.sum(rate);
    summary_.read_rate = rate[0];
  }
  print(solve_text(summary_, style_));
  if (!arguments_.solution.empty())
    write_solution_ = [this, all = spread.to_file(x.values, b.num), num = b.num] { write_solution(all, num); };
}

}  // namespace millrace::command
