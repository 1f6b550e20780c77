// How one waits for another rank: looking again and again, ever more rarely, and not for ever.
#pragma once

#include <string>

#include "millrace/base/elapsed.hpp"

namespace millrace {

/// Lets others have the core for so long, or a little longer.
void nap(double seconds);

/// Seconds that a rank waits for another before it ends the job: MILLRACE_PATIENCE, or 300.
double patience_seconds();

/// Says who has waited for whom in what, and ends the job.
[[noreturn]] void end_of_patience(int rank, int size, double seconds, const std::string& whom, const char* what);

/// One wait. while (!done()) if (!patience.wait()) give_up();
class RankWait {
 public:
  RankWait() : begin_(Clock::now()) {}
  /// Rests: first not at all, then for the time of another's turn on the core, then in naps of up to 0.2 ms. False: the
  /// patience is at its end.
  bool wait();
  double seconds() const { return seconds_since(begin_); }

 private:
  Clock::time_point begin_;
  int times_ = 0;
};

}  // namespace millrace
