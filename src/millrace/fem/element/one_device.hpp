// What works where an operator lives needs its queue and its vector there.
#pragma once

#include "millrace/base/error.hpp"
#include "millrace/base/queue.hpp"

namespace millrace {

/// An Error unless all three are on one device. `what` begins its text.
inline void require_one_device(const char* what, Device of_operator, const Queue& queue, Device of_vector) {
  require(
      of_vector == of_operator && queue.device() == of_operator, what, ": the operator lives on ",
      [&] { return to_string(of_operator); }, ", the queue on ", [&] { return to_string(queue.device()); },
      ", the vector on ", [&] { return to_string(of_vector); }, "; all must be on one device");
}

}  // namespace millrace
