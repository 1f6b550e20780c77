// The door to the dense block format of HDG: the format itself, and its typed name.
#pragma once

#include "millrace/sparse/format/dbf.hpp"
#include "millrace/sparse/stored_as.hpp"

namespace millrace::as {

/// Block rows of equal width, as in "dbf-8-64": the size of a block (0: found) and the block rows that are stored
/// together (0: one). `apart` stores block rows as long as they are.
struct Dbf {
  Index block = 0;
  Index group = 0;
  bool apart = false;
  operator FormatSpec() const;
};

}  // namespace millrace::as
