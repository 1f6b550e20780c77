// All rows of a level in bfloat16, where the queue is.
#pragma once

#include <atomic>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {

/// View is one of narrow_view.hpp. False: a number is not finite.
template <class View, class W>
bool set_narrow(Queue& queue, const View& to, const Csr<W>& a) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::set_narrow(queue, to, a);
  const MatrixView<W> from = view_of(a);
  std::atomic<bool> finite = true;
  parallel_for(queue.num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      if (!to.set_row(from, r)) finite = false;
  });
  return finite;
}

inline void require_in_range(bool finite) {
  require(finite, "amg: a level has numbers beyond the range of bfloat16; ask for full precision");
}

}  // namespace millrace::multigrid
