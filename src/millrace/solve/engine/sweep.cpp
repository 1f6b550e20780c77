// What sweeps of all solvers share.
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::detail {

void require_sums(Device device, const Comm& comm) {
  require<Unsupported>(device.on_host() || comm.size() == 1 || !comm.row_starts(), "solve: reproducible sums over ",
                       comm.size(), " ranks are made on the host; on a GPU ranks add ",
                       "in their order, with other bits for another number of them");
}

}  // namespace millrace::detail
