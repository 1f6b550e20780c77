// A number, or a few in a struct, from where a queue works to the host.
#pragma once

#include "millrace/base/memory.hpp"
#include "millrace/base/queue.hpp"

namespace millrace {

/// What the queue's work so far leaves there; waits for it.
template <class T>
T read_back(Queue& queue, const T* there) {
  T here{};
  copy_bytes(queue, Device::host(), &here, queue.device(), there, sizeof(T));
  queue.wait();
  return here;
}

}  // namespace millrace
