// The door to coordinates in tiles of columns: the format itself, and its typed name.
#pragma once

#include "millrace/sparse/format/tcoo.hpp"
#include "millrace/sparse/stored_as.hpp"

namespace millrace::as {

/// Coordinates tile by tile of columns, as in "tcoo-65536"; 0: its own choice. For a CPU.
struct Tcoo {
  Index tile_columns = 0;
  operator FormatSpec() const;
};

}  // namespace millrace::as
