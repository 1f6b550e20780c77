// The door to block sparse rows: the format itself, and its typed name.
#pragma once

#include "millrace/sparse/format/bsr.hpp"
#include "millrace/sparse/stored_as.hpp"

namespace millrace::as {

/// Dense square blocks, as in "bsr-5"; block 0: the size with the fewest bytes.
struct Bsr {
  Index block = 0;
  operator FormatSpec() const;
};

}  // namespace millrace::as
