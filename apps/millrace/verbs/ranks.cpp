// Options of ranks, and rows from files and generators.
#include "verbs/ranks.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "millrace/base/environment.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/load.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/global_rows_values.hpp"
#include "terminal/progress.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

// What launchers tell of the ranks on this node; 0: nothing.
int ranks_on_node() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"})
    if (const int found = std::atoi(environment(name).c_str()); found > 0) return found;
  return 0;
}

// May this process run on all cores, so that other ranks do, too?
bool on_all_cores() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) >= sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace

bool RankArguments::wanted() const {
  return Comm::world().size() > 1 || reproducible || !partition.empty() || !mode.empty();
}

void add_ranks(CLI::App& app, RankArguments& arguments) {
  app.add_option("--partition", arguments.partition,
                 "On ranks: rows, entries or metis share out the rows (default: entries)")
      ->check(checked_by([](const std::string& text) { partition_of(text); }))
      ->type_name("NAME");
  app.add_option("--mode", arguments.mode,
                 "On ranks: vector, overlap or task, of the exchange and the product (default: auto, by time)")
      ->check(checked_by([](const std::string& text) { mode_of(text); }))
      ->type_name("NAME");
  app.add_flag("--reproducible", arguments.reproducible, "On ranks: the bits of one rank on any number of them");
}

Device device_of_rank(const std::string& text) {
  const Device device = parse_device(text);
  if (text != "gpu" || Comm::world().size() == 1) return device;
  const int place = std::max(0, std::atoi(environment("OMPI_COMM_WORLD_LOCAL_RANK").c_str()));
  return Device::gpu(place % std::max(1, num_gpus()));
}

int threads_of_rank(int asked) {
  if (asked > 0 || Comm::world().size() == 1 || !environment("OMP_NUM_THREADS").empty() || !on_all_cores())
    return asked;
  const int ranks = ranks_on_node();
  return std::max(1, default_num_threads() / (ranks > 0 ? ranks : Comm::world().size()));
}

AnyRows read_or_make_rows(const std::string& argument, std::int64_t max_memory, bool reproducible) {
  const Comm world = Comm::world();
  const std::int64_t multiple = reproducible ? Comm::reproducible_rows : 1;
  together(world, [&] { check_matrix(argument); });
  const bool generated = is_gallery_spec(argument);
  Progress progress((generated ? "generating " : "reading ") + argument);
  if (!generated) {
    ReadOptions options;
    options.max_memory = max_memory;
    options.num_threads = threads_of_rank(0);
    options.progress = progress.callback();
    return read_rows(world, argument, options, multiple);
  }
  return together(world, [&]() -> AnyRows {
    const gallery::SomeRows mine = [&](std::int64_t all) {
      const Partition parts = by_rows(all, world.size(), multiple);
      return std::pair(parts.begin(world.rank()), parts.end(world.rank()));
    };
    return gallery::make_rows(argument, mine, progress.callback(), threads_of_rank(0), max_memory);
  });
}

template <class T>
GlobalRows<T> rows_in_precision(AnyRows&& rows) {
  return together(Comm::world(),
                  [&] { return std::visit([](auto& here) { return convert_values<T>(std::move(here)); }, rows); });
}

std::string precision_of_rows(const AnyRows& rows, const std::string& asked) {
  if (!asked.empty()) return asked;
  return std::visit([]<class T>(const GlobalRows<T>&) { return std::string(scalar_name<T>()); }, rows);
}

MatrixFacts facts_of_rows(const std::string& argument, const AnyRows& rows) {
  const bool from_file = std::filesystem::exists(argument);
  return std::visit(
      [&](const auto& here) -> MatrixFacts {
        std::int64_t counts[] = {here.num_rows(), here.num_entries()};
        Comm::world().sum(counts);
        return {from_file ? std::filesystem::path(argument).filename().string() : argument,
                from_file,
                static_cast<Index>(counts[0]),
                static_cast<Index>(here.num_cols),
                counts[1],
                ""};
      },
      rows);
}

template <class T>
std::vector<T> known_values(const std::vector<std::int64_t>& file_rows) {
  std::vector<T> values(file_rows.size());
  std::ranges::transform(file_rows, values.begin(),
                         [](std::int64_t row) { return random_value<T>(1, static_cast<std::uint64_t>(row)); });
  return values;
}

std::string workers_text(int num_ranks, int num_threads) {
  const std::string threads = fmt::format("{} {}", num_threads, num_threads == 1 ? "thread" : "threads");
  return num_ranks > 1 ? fmt::format("{} ranks of {}", num_ranks, threads) : threads;
}

#define MILLRACE_INSTANTIATE(T)                        \
  template GlobalRows<T> rows_in_precision(AnyRows&&); \
  template std::vector<T> known_values(const std::vector<std::int64_t>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace::command
