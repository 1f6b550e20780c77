// The nodes of an entity of an element (a vertex, an edge, a face or its inside), where their numbers run evenly. NVRTC
// reads this file, too.
#pragma once

#include "millrace/base/scalar.hpp"

namespace millrace {

/// The nodes of an entity of a hex, without those of its ends, where their numbers run evenly: node (i, j, k) is
/// first + step[0] (i - 1) + step[1] (j - 1) + step[2] (k - 1), and number node - first + before of them.
struct EntityNodes {
  Index first = -1;  // negative: they are constrained
  std::int8_t step[3] = {};
  std::uint8_t before = 0;
};
static_assert(sizeof(EntityNodes) == 8);

/// Elements of a group, which follow each other, add up what they share before it is written: where the last x of one
/// is the first x of the next, the next one has the sum. These bits tell of which faces that is so.
struct FaceMerge {
  enum Bits : std::uint8_t { with_previous = 1, with_next = 2 };
};

}  // namespace millrace
