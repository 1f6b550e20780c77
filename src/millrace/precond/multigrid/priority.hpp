// The order in which nodes become roots of aggregates: a hash of their number, so that neighbours in memory are far
// apart in it, the same on every device and for any number of threads.
#pragma once

#include <cstdint>

#include "millrace/base/scalar.hpp"

namespace millrace::multigrid {

/// Mixes 32 bits (the finaliser of MurmurHash3, A. Appleby 2011): one to one.
MILLRACE_HD inline std::uint32_t mix_bits(std::uint32_t bits) {
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return bits ^ (bits >> 16);
}

/// A node's state and priority in one number: states first, then the hash, then the node; all keys differ.
using Key = std::uint64_t;
enum class NodeState : std::uint32_t { out = 0, undecided = 1, root = 2 };

MILLRACE_HD inline Key make_key(NodeState state, Index node) {
  const auto number = static_cast<std::uint32_t>(node);
  return Key{static_cast<std::uint32_t>(state)} << 62 | Key{mix_bits(number) >> 2} << 32 | number;
}
MILLRACE_HD inline NodeState state_of(Key key) { return static_cast<NodeState>(key >> 62); }
MILLRACE_HD inline Index node_of(Key key) { return static_cast<Index>(key & 0xffffffffu); }

}  // namespace millrace::multigrid
