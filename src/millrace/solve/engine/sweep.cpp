// What sweeps of all solvers share: sums over the ranks.
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::detail {

void sum_over_ranks(const Comm& comm, float* values, std::int64_t count) {
  comm.sum(std::span(values, static_cast<std::size_t>(count)));
}
void sum_over_ranks(const Comm& comm, double* values, std::int64_t count) {
  comm.sum(std::span(values, static_cast<std::size_t>(count)));
}

void require_alone(Device device, const Comm& comm) {
  require<Unsupported>(device.on_host() || comm.size() == 1, "solve: ", comm.size(),
                       " ranks share the vectors, and the operator lives on a GPU; solvers on a GPU work on one rank, "
                       "on the host on any number");
}

}  // namespace millrace::detail
