// Sizes of dense blocks for which kernels of the host were compiled, and the largest size of all.
#pragma once

#include <utility>

#include "millrace/base/scalar.hpp"

namespace millrace::host {

/// Sizes of blocks that have a kernel of their own; all others take the one of run-time size.
using BlockSizes = std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 24>;
constexpr Index max_block_size = 1024;

/// Calls f<M>() with M = size if that was compiled, otherwise f<0>(). True if it was.
template <class F>
constexpr bool with_block_size(Index size, F&& f) {
  const bool found = [&]<int... Sizes>(std::integer_sequence<int, Sizes...>) {
    return ((size == Sizes ? (f.template operator()<Sizes>(), true) : false) || ...);
  }(BlockSizes{});
  if (!found) f.template operator()<0>();
  return found;
}
constexpr bool has_own_kernel(Index size) {
  return with_block_size(size, []<int>() {});
}

}  // namespace millrace::host
