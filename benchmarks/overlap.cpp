// How much of the exchange of a halo each mode hides behind the product: all of it measured in one run, in turns.
//
// usage: mpirun -n P benchmark_overlap OUT.json SPEC FORMAT BLOCK RATE [RECORD.json...]
// SPEC: a matrix of the gallery whose rows stay together in blocks of BLOCK. RATE: of the link in Mbit/s, for the
// record; 0: whatever there is. Points of the records named are taken over. benchmarks/slow_link.sh runs it over a slow
// link.
//
// exchange: the halo alone. compute: the local part and that of the halo, without an exchange. Then each mode.
// hidden = (exchange + compute - time of the mode) / exchange.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/dist/exchange.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/sparse/gallery.hpp"
#include "rank_program.hpp"

namespace {

using namespace millrace;
using program::entry_of_x, program::seconds_of_slowest, program::take_over;
using Json = nlohmann::ordered_json;

constexpr int num_runs = 41;

struct Work {
  std::string name;
  std::function<void()> run;
  Samples samples{};
};

/// A mode's product must be that of the first one, up to rounding.
void require_same(const Comm& world, const std::vector<double>& found, const std::vector<double>& wanted) {
  double worst[] = {0, 0};
  for (std::size_t i = 0; i < found.size(); ++i) {
    worst[0] = std::max(worst[0], std::abs(found[i] - wanted[i]));
    worst[1] = std::max(worst[1], std::abs(wanted[i]));
  }
  world.max(worst);
  require(worst[0] <= 1e-12 * worst[1], "products of two modes differ by ", worst[0]);
}

Json measure(const Comm& world, const std::string& spec, const std::string& format, int block, double rate) {
  Queue queue;
  const HaloRows<double> here = with_halo(world, together(world, [&] {
                                            return gallery::make_rows(spec, [&](std::int64_t n) {
                                              const Partition parts = by_rows(n, world.size(), block);
                                              return std::pair(parts.begin(world.rank()), parts.end(world.rank()));
                                            });
                                          }));
  const std::size_t rows = to_size(here.rows.num_rows);
  std::vector<double> x(rows), y(rows), first;
  for (std::size_t i = 0; i < rows; ++i)
    x[i] = entry_of_x(here.parts.begin(world.rank()) + static_cast<std::int64_t>(i));
  const SplitRows<double> both = split(here.rows);
  const SparseMatrix<double> local(both.local, format), nonlocal(both.nonlocal, "csr");
  Exchange<double> exchange(world, here.plan);
  exchange.start(queue, x);
  const Vectors<const double> came = exchange.finish();
  const std::vector<double> ghosts(came.data, came.data + came.size);
  std::vector<double> added(to_size(both.boundary_rows.size()));
  std::vector<Work> works;
  works.push_back({"exchange", [&] {
                     exchange.start(queue, x);
                     exchange.finish();
                   }});
  works.push_back({"local", [&] { local.apply(queue, {.x = x, .y = y}); }});
  works.push_back({"compute", [&] {
                     local.apply(queue, {.x = x, .y = y});
                     nonlocal.apply(queue, {.x = ghosts, .y = added});
                     for (std::size_t i = 0; i < added.size(); ++i)
                       y[to_size(both.boundary_rows.data()[i])] += added[i];
                   }});
  std::vector<std::unique_ptr<DistributedMatrix<double>>> matrices;
  double halo = 0;
  for (const Mode mode : {Mode::vector, Mode::overlap, Mode::task}) {
    auto& a = *matrices.emplace_back(
        std::make_unique<DistributedMatrix<double>>(world, here, DistributedOptions{.format = format, .mode = mode}));
    halo = a.traffic().halo;
    a.apply(queue, {.x = x, .y = y});
    if (first.empty()) first = y;
    require_same(world, y, first);
    works.push_back({std::string(to_text(mode)), [&] { a.apply(queue, {.x = x, .y = y}); }});
  }
  for (int k = -3; k < num_runs; ++k)
    for (Work& work : works) {
      const double seconds = seconds_of_slowest(world, work.run);
      if (k >= 0) work.samples.seconds.push_back(seconds);
    }
  double bytes[] = {halo};
  world.sum(bytes);
  Json point = {{"matrix", spec},        {"format", format},
                {"ranks", world.size()}, {"threads", queue.num_threads()},
                {"link_mbit_s", rate},   {"halo_bytes", bytes[0]}};
  const auto median = [&](std::size_t k) { return works[k].samples.median(); };
  for (std::size_t k = 0; k < works.size(); ++k) {
    Json list = Json::array();
    for (const double seconds : works[k].samples.seconds) list.push_back(seconds * 1e6);
    const double hidden = (median(0) + median(2) - median(k)) / median(0);
    point["times"].push_back({{"what", works[k].name},
                              {"median_us", median(k) * 1e6},
                              {"spread", works[k].samples.spread()},
                              {"samples_us", list}});
    if (k >= 3) point["hidden"][works[k].name] = hidden;
    if (world.rank() == 0)
      fmt::print("{:<12} {:<9} {:>10.1f} us +- {:.1f} %{}\n", spec, works[k].name, median(k) * 1e6,
                 100 * works[k].samples.spread(), k < 3 ? "" : fmt::format(", hides {:.0f} %", 100 * hidden));
  }
  std::fflush(stdout);
  return point;
}

int run(int argc, char** argv) {
  const Comm world = Comm::world();
  Json points = Json::array();
  together(world, [&] {
    require(argc >= 6, "usage: mpirun -n P benchmark_overlap OUT.json SPEC FORMAT BLOCK RATE [RECORD.json...]");
    for (int i = 6; i < argc && world.rank() == 0; ++i) take_over(argv[i], points);
  });
  points.push_back(measure(world, argv[2], argv[3], std::stoi(argv[4]), std::stod(argv[5])));
  if (world.rank() == 0) {
    Queue queue;
    bench::write_json(
        argv[1], bench::points_record("millrace.overlap", Device::host(), measure_bandwidth(queue), std::move(points)));
  }
  world.barrier();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const millrace::MpiSession session(argc, argv);
  return millrace::program::guarded_on_ranks("benchmark_overlap", [&] { return run(argc, argv); });
}
