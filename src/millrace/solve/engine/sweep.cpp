// What sweeps of all solvers share.
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::detail {

void require_alone(Device device, const Comm& comm) {
  require<Unsupported>(device.on_host() || comm.size() == 1, "solve: ", comm.size(),
                       " ranks share the vectors, and the operator lives on a GPU; solvers on a GPU work on one rank, "
                       "on the host on any number");
}

}  // namespace millrace::detail
