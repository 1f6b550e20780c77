// The dot product, repeatable on every device: fixed parts, summed in a fixed tree.
#pragma once

#include "millrace/base/operator.hpp"

namespace millrace {

/// result[v] = <x_v, y_v> = sum conj(x) y for every vector v; result lives on the queue's device.
/// Result: the same bits for any number of threads. Traffic: x and y once.
template <class T>
void dot(Queue& queue, Vectors<const T> x, Vectors<const T> y, T* result);

/// The same over all ranks that share the vectors, on the host.
template <class T>
void dot_over_ranks(Queue& queue, const Comm& comm, Vectors<const T> x, Vectors<const T> y, T* result);

}  // namespace millrace
