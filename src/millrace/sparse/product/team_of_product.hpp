// How many host threads a product takes.
#pragma once

#include "millrace/base/parallel.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::host {

/// For so many entries and rows.
inline Team team_of_product(int num_threads, Offset work) { return threads_for(num_threads, work, {.bytes = 8}); }

}  // namespace millrace::host
