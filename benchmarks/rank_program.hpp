// What the programs of benchmarks on ranks share: the end of a job, points of other records, and the slowest rank.
#pragma once

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/together.hpp"

namespace millrace::program {

/// The x that products are checked with, by the number of the row in the whole matrix.
inline double entry_of_x(std::int64_t row) { return std::sin(0.37 * static_cast<double>(row)); }

/// Seconds of the slowest rank; all begin together.
inline double seconds_of_slowest(const Comm& world, const std::function<void()>& work) {
  world.barrier();
  const auto begin = Clock::now();
  work();
  double seconds[] = {seconds_since(begin)};
  world.max(seconds);
  return seconds[0];
}

/// Adds the points of a record to a list.
inline void take_over(const char* record_file, nlohmann::ordered_json& points) {
  std::ifstream file(record_file);
  require<IoError>(file.good(), record_file, ": cannot be opened");
  const nlohmann::ordered_json record = nlohmann::ordered_json::parse(file);
  for (const auto& point : record.at("points")) points.push_back(point);
}

/// What main returns: run's answer, or 1 after an error, which one rank tells that all know; one that a rank alone
/// knows ends the job.
template <class Run>
int guarded_on_ranks(const char* name, Run&& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    const bool everywhere = dynamic_cast<const OnAllRanks*>(&error) != nullptr;
    if (!everywhere || Comm::world().rank() == 0) std::fprintf(stderr, "%s: %s\n", name, error.what());
    if (!everywhere) MpiSession::end_job(1);
    return 1;
  }
}

}  // namespace millrace::program
