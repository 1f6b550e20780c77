// When a matrix or a prolongator is small.
#pragma once

#include "millrace/base/scalar.hpp"

namespace millrace::multigrid {

/// With fewer entries caches of a GPU hold it, and slices do not pay.
inline constexpr Offset few_entries = 4'000'000;

}  // namespace millrace::multigrid
