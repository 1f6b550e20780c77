// The cores that this process may use: those of its affinity mask, and no more than its control groups grant.
#pragma once

#include <filesystem>
#include <vector>

namespace millrace {

/// At least 1. A control group that grants the time of 1.5 cores grants 2.
int available_cores();

namespace detail {
/// Cores that the affinity mask allows; where OpenMP has bound the thread (OMP_PROC_BIND), those of all its places.
int cores_of_mask();
/// The places of an OpenMP in this process that has bound its thread, each a list of cores; else none.
std::vector<std::vector<int>> places_of_openmp();
/// Cores whose time the control groups grant, versions 1 and 2; 0: they say nothing. `groups` is what /proc/self/cgroup
/// holds, `mount` where the groups are (/sys/fs/cgroup).
int cores_of_groups(const std::filesystem::path& groups, const std::filesystem::path& mount);
}  // namespace detail

}  // namespace millrace
