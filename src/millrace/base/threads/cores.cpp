// sched_getaffinity, and cpu.max or cpu.cfs_quota_us of the process's group and of those above it.
#include "millrace/base/threads/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "millrace/base/loaded_function.hpp"

namespace millrace {
namespace detail {
namespace {

namespace fs = std::filesystem;

/// "max 100000" or "150000 100000", and of version 1 two files with one number each; 0: no limit.
double cores_granted(const fs::path& folder, bool second_version) {
  double quota = 0, period = 0;
  if (second_version) {
    std::ifstream file(folder / "cpu.max");
    if (!(file >> quota >> period)) return 0;
  } else {
    std::ifstream quota_file(folder / "cpu.cfs_quota_us"), period_file(folder / "cpu.cfs_period_us");
    if (!(quota_file >> quota && period_file >> period)) return 0;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

int cores_of_own_mask() {
  // More than 1024 cores need a larger set than cpu_set_t.
  for (std::size_t size = 1024; size <= std::size_t{1} << 20; size *= 2) {
    cpu_set_t* const set = CPU_ALLOC(size);
    if (!set) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    CPU_ZERO_S(bytes, set);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known) return std::max(1, count);
  }
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

// With OMP_PROC_BIND, OpenMP binds the first thread to one place when the library is loaded, as one that a direct
// solver needs. What the mask was before, its places tell.
std::vector<std::vector<int>> places_of_openmp() {
  const auto bind = loaded_function<int (*)()>("omp_get_proc_bind"),
             count = loaded_function<int (*)()>("omp_get_num_places");
  const auto size = loaded_function<int (*)(int)>("omp_get_place_num_procs");
  const auto list = loaded_function<void (*)(int, int*)>("omp_get_place_proc_ids");
  if (!bind || !count || !size || !list || bind() == 0) return {};
  std::vector<std::vector<int>> places;
  for (int place = 0; place < count(); ++place) {
    std::vector<int>& cores = places.emplace_back(static_cast<std::size_t>(std::max(0, size(place))));
    list(place, cores.data());
  }
  return places;
}

int cores_of_mask() {
  int in_places = 0;
  for (const std::vector<int>& place : places_of_openmp()) in_places += static_cast<int>(place.size());
  return std::max(cores_of_own_mask(), in_places);
}

// A line is "0::/group" in version 2, and "3:cpu,cpuacct:/group" in version 1, whose folder is named so or "cpu". In a
// container the group's own folder is often the mount itself.
int cores_of_groups(const fs::path& groups, const fs::path& mount) {
  double least = 0;
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    for (const std::string& name : std::vector<std::string>{controllers, "cpu"}) {
      const fs::path root = controllers.empty() ? mount : mount / name;
      for (fs::path group = fs::path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
        const double cores = cores_granted(group.empty() ? root : root / group, controllers.empty());
        if (cores > 0) least = least > 0 ? std::min(least, cores) : cores;
        if (group.empty()) break;
      }
    }
  }
  return least > 0 ? static_cast<int>(std::ceil(std::min(least, 1e6))) : 0;
}

}  // namespace detail

int available_cores() {
  const int mask = detail::cores_of_mask(), granted = detail::cores_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
  return granted > 0 ? std::min(mask, granted) : mask;
}

}  // namespace millrace
