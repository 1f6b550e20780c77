// Which states a run is timed in, and their names.
#include "millrace/bench/state.hpp"

#include "millrace/base/error.hpp"

namespace millrace::bench {

std::string_view to_string(State state) {
  switch (state) {
    case State::cold:
      return "cold";
    case State::hot:
      return "hot";
    case State::graph:
      return "graph";
  }
  return "unknown";
}

std::vector<State> states_of(const StateChoice& choice, Device device) {
  const bool none = !choice.cold && !choice.hot && !choice.both;
  std::vector<State> states;
  if (choice.cold || choice.both || (none && !device.on_host())) states.push_back(State::cold);
  if (choice.hot || choice.both || none) states.push_back(State::hot);
  require<Unsupported>(!choice.graph || !device.on_host(),
                       "bench: --graph was asked for on the cpu; CUDA graphs are of a GPU, as in --device gpu");
  if (choice.graph) states.push_back(State::graph);
  return states;
}

}  // namespace millrace::bench
