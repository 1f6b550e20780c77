// Five rounds over all contenders; each round adds samples to each of them.
#include "millrace/bench/measure.hpp"

namespace millrace::bench {

std::vector<Samples> measure_in_turns(Queue& queue, const std::vector<std::function<void()>>& works,
                                      const MeasureOptions& options, const std::function<void(double)>& progress) {
  constexpr int num_rounds = 5, cold_runs = 60, hot_runs = 200;
  std::vector<Samples> samples(works.size());
  for (int round = 0; round < num_rounds; ++round)
    for (std::size_t i = 0; i < works.size(); ++i) {
      std::vector<double>& seconds = samples[i].seconds;
      const bool slow = !seconds.empty() && samples[i].median() > options.min_time / num_rounds;
      TimingOptions timing;
      timing.warm_ups = round == 0 ? 2 : slow ? 0 : 1;
      timing.min_runs = slow ? 1 : 2;
      timing.max_runs = (options.cold ? cold_runs : hot_runs) / num_rounds;
      timing.max_seconds = options.min_time / num_rounds;
      timing.cold = options.cold;
      const Samples more = time(queue, works[i], timing);
      seconds.insert(seconds.end(), more.seconds.begin(), more.seconds.end());
      progress(static_cast<double>(static_cast<std::size_t>(round) * works.size() + i + 1) /
               static_cast<double>(static_cast<std::size_t>(num_rounds) * works.size()));
    }
  return samples;
}

}  // namespace millrace::bench
