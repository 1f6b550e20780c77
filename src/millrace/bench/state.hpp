// The states in which a product is timed: what the caches hold, and how it reaches the GPU.
#pragma once

#include <string_view>
#include <vector>

#include "millrace/base/device.hpp"

namespace millrace::bench {

enum class State {
  cold,  // caches emptied before every run
  hot,   // caches as the run before left them
  graph  // hot, several products in one CUDA graph: without the cost of a launch
};
std::string_view to_string(State state);

/// What a user asked for; nothing at all means the default of the device.
struct StateChoice {
  bool cold = false, hot = false, both = false, graph = false;
};
/// cold and hot as chosen (by default hot on the host, both on a GPU), and the graph after them when it was asked for.
std::vector<State> states_of(const StateChoice& choice, Device device);

}  // namespace millrace::bench
