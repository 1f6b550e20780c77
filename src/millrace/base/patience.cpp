// Spins, then yields, then naps.
#include "millrace/base/patience.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "millrace/base/comm.hpp"
#include "millrace/base/environment.hpp"
#include "millrace/base/error.hpp"

namespace millrace {

void nap(double seconds) {
  const double whole = std::floor(seconds);
  timespec span{static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &span, nullptr);
}

double patience_seconds() {
  constexpr double usual = 300;
  const std::string given = environment("MILLRACE_PATIENCE");
  if (given.empty()) return usual;
  double seconds = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), seconds);
  require(error == std::errc{} && end == given.data() + given.size() && seconds > 0 && std::isfinite(seconds),
          "MILLRACE_PATIENCE is '", given, "'; a positive number of seconds is accepted");
  return seconds;
}

void end_of_patience(int rank, int size, double seconds, const std::string& whom, const char* what) {
  std::fprintf(stderr,
               "millrace: rank %d of %d has waited %.0f s for rank %s in %s; the job is ended "
               "(MILLRACE_PATIENCE says how long a rank waits)\n",
               rank, size, seconds, whom.c_str(), what);
  MpiSession::end_job(1);
}

bool RankWait::wait() {
  constexpr int spins = 200, turns = 2000;  // some 20 us, and a ms or more
  ++times_;
  if (times_ < spins) return true;
  if (times_ < turns) {
    sched_yield();
    return true;
  }
  nap(std::min(2e-4, 2e-6 * (times_ - turns)));
  return times_ % 64 != 0 || seconds() < patience_seconds();
}

}  // namespace millrace
