// /proc/stat for all processes, getrusage for this one.
#include "millrace/bench/other_load.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

namespace millrace::bench {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::optional<CoreSeconds> core_seconds() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  const std::optional<double> ticks = busy_ticks(line);
  if (!ticks) return {};
  CoreSeconds found{*ticks / static_cast<double>(sysconf(_SC_CLK_TCK)), 0};
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    found.own += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return found;
}

}  // namespace

// "cpu  user nice system idle iowait irq softirq steal guest ...": guests are counted in user already. What a
// hypervisor gave to others (steal) is load of others too.
std::optional<double> busy_ticks(const std::string& line) {
  std::istringstream words(line);
  std::string head;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, stolen = 0;
  if (!(words >> head >> user >> nice >> system >> idle) || head != "cpu") return {};
  words >> wait >> interrupts >> soft >> stolen;
  return user + nice + system + interrupts + soft + stolen;
}

OtherLoad::OtherLoad() : begin_(core_seconds()), began_(seconds_now()) {}

std::optional<double> OtherLoad::cores() const {
  constexpr double shortest = 0.5;
  const double seconds = seconds_now() - began_;
  const std::optional<CoreSeconds> end = core_seconds();
  if (!begin_ || !end || seconds < shortest) return {};
  return std::max(0.0, ((end->all - begin_->all) - (end->own - begin_->own)) / seconds);
}

std::string busy_text(std::optional<double> cores, int num_cores) {
  constexpr double least = 0.1;
  if (!cores || *cores < least) return {};
  return fmt::format("busy: other processes took {:.1f} of {} core{} meanwhile, so these times are too long", *cores,
                     num_cores, num_cores == 1 ? "" : "s");
}

}  // namespace millrace::bench
