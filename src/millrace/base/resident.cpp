// Lines of /proc/self/status; elsewhere what getrusage knows.
#include "millrace/base/resident.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace millrace {
namespace {

// The line "VmRSS:     1234 kB".
double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  return 0;
}

}  // namespace

double resident_bytes() { return status_bytes("VmRSS") - status_bytes("RssFile"); }

double peak_resident_bytes() {
  // Pages of files only grow in number while a program runs its parts for the first time.
  if (const double bytes = status_bytes("VmHWM"); bytes > 0) return bytes - status_bytes("RssFile");
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<double>(usage.ru_maxrss);
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << '5'; }

void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace millrace
