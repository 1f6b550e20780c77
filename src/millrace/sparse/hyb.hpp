// The door to ELLPACK with the rest as coordinates: the format itself, and its typed name.
#pragma once

#include "millrace/sparse/format/hyb.hpp"
#include "millrace/sparse/stored_as.hpp"

namespace millrace::as {

/// ELLPACK of that width and the entries beyond it as coordinates, as in "hyb-7"; width 0: the one with the fewest
/// bytes.
struct Hyb {
  Index width = 0;
  Storage storage = Storage::automatic;
  operator FormatSpec() const;
};

}  // namespace millrace::as
