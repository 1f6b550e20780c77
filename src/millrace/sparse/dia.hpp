// The door to diagonals: the format itself, and its typed name.
#pragma once

#include "millrace/sparse/format/dia.hpp"
#include "millrace/sparse/stored_as.hpp"

namespace millrace::as {

/// Diagonals in tiles of rows, as in "dia-8"; tile 0: its own choice.
struct Dia {
  Index tile = 0;
  operator FormatSpec() const;
};

}  // namespace millrace::as
