// Which sizes of dense blocks are compiled.
#pragma once

#include "millrace/base/dispatch.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::factor {

/// Calls f<N>() for blocks of N x N, or f<0>() where that size is not compiled.
template <class F>
void with_block_size(Index size, F&& f) {
  dispatch_or_any<1, 2, 3, 4, 5, 6, 7, 8>(size, f);
}

}  // namespace millrace::factor
