// Numbers of the nodes on the surface of a hex, for host and device: where an element leaves what it adds to nodes that
// neighbours share.
#pragma once

#include "millrace/base/build.hpp"

namespace millrace::cuda {

/// Number of a node among those on the surface of a hex with P nodes a direction: the planes k = 0 and P - 1, then the
/// rings between.
template <int P>
MILLRACE_HD constexpr int surface_number(int i, int j, int k) {
  if (k == 0) return i + P * j;
  if (k == P - 1) return P * P + i + P * j;
  const int ring = 2 * P * P + (k - 1) * (4 * P - 4);
  if (j == 0) return ring + i;
  if (j == P - 1) return ring + P + i;
  return ring + 2 * P + (i == 0 ? 0 : P - 2) + j - 1;
}
MILLRACE_HD constexpr int num_surface(int P) { return P * P * P - (P > 2 ? (P - 2) * (P - 2) * (P - 2) : 0); }
MILLRACE_HD constexpr bool on_surface(int P, int i, int j, int k) {
  return i == 0 || i == P - 1 || j == 0 || j == P - 1 || k == 0 || k == P - 1;
}

}  // namespace millrace::cuda
