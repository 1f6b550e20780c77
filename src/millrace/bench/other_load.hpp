// What other processes take of this machine while something is measured: times beside a busy neighbour are too long.
#pragma once

#include <optional>
#include <string>

namespace millrace::bench {

/// Seconds of all cores together since the machine began, and of this process with its ended children.
struct CoreSeconds {
  double all = 0, own = 0;
};

class OtherLoad {
 public:
  OtherLoad();
  /// Cores that others have had on average since this was made; nothing where the system does not say, or in the first
  /// half second, as the system counts in hundredths of one.
  std::optional<double> cores() const;

 private:
  std::optional<CoreSeconds> begin_;
  double began_;
};

/// "busy: other processes took 0.9 of 2 cores meanwhile, so these times are too long"; empty below a tenth of a core.
std::string busy_text(std::optional<double> cores, int num_cores);

/// Of the first line of /proc/stat: all that ran, in ticks; nothing of another text.
std::optional<double> busy_ticks(const std::string& line);

}  // namespace millrace::bench
