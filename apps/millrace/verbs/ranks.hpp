// What verbs on many ranks share: their options, and matrices of which each rank has some rows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "command.hpp"
#include "millrace/bench/point.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/dist/read.hpp"
#include "millrace/dist/spread.hpp"

namespace millrace::command {

struct RankArguments {
  std::string partition{}, mode{};  // empty: entries, auto
  bool reproducible = false;

  /// On many ranks, or on one as if it were many, for an option asks for it.
  bool wanted() const;
  PartitionKind partition_kind() const { return partition.empty() ? PartitionKind::entries : partition_of(partition); }
  DistributedOptions how() const {
    return {.mode = mode.empty() ? Mode::choose : mode_of(mode), .reproducible = reproducible};
  }
};
/// --partition, --mode, --reproducible.
void add_ranks(CLI::App& app, RankArguments& arguments);

/// The device of this rank: "gpu" shares the GPUs of a node out among its ranks.
Device device_of_rank(const std::string& text);

/// Threads of a queue here: as asked for, or an even share of the cores of this node.
int threads_of_rank(int asked);

/// A file or a gallery spec, the rows of this rank. For all ranks.
AnyRows read_or_make_rows(const std::string& argument, std::int64_t max_memory, bool reproducible);
/// The same rows in the scalar T; complex to real is refused. For all ranks.
template <class T>
GlobalRows<T> rows_in_precision(AnyRows&& rows);
/// "double", or "complex-double" for a complex matrix, unless the user asked for another.
std::string precision_of_rows(const AnyRows& rows, const std::string& asked);
/// Of the whole matrix. For all ranks.
MatrixFacts facts_of_rows(const std::string& argument, const AnyRows& rows);

/// The pseudo-random vector of bench::known_solution by the numbers of rows in the file.
template <class T>
std::vector<T> known_values(const std::vector<std::int64_t>& file_rows);

/// "4 ranks of 2 threads", or "2 threads" on one.
std::string workers_text(int num_ranks, int num_threads);

}  // namespace millrace::command
