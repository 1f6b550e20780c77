// The door to the padded formats, one family: the formats themselves, and their typed names.
#pragma once

#include "millrace/sparse/format/padded.hpp"
#include "millrace/sparse/stored_as.hpp"

namespace millrace::as {

/// ELLPACK: all rows padded to the longest.
struct Ell {
  Storage storage = Storage::automatic;
  operator FormatSpec() const;
};

/// ELLPACK-R: the same, and every row knows its length.
struct Ellr {
  Storage storage = Storage::automatic;
  operator FormatSpec() const;
};

/// SELL-C-sigma: slices of C rows, sorted by length in windows of sigma rows, as in "sell-32-1024". `rcm` orders rows
/// and columns by reverse Cuthill-McKee first.
struct Sell {
  Index slice = 32;
  Index sigma = 1;
  Storage storage = Storage::automatic;
  bool rcm = false;
  operator FormatSpec() const;
};

/// Row-grouped CSR: groups of rows, each padded to its longest, as in "rgcsr-128".
struct Rgcsr {
  Index group = 128;
  Storage storage = Storage::automatic;
  operator FormatSpec() const;
};

/// Jagged diagonals: all rows sorted by length.
struct Jds {
  Storage storage = Storage::automatic;
  operator FormatSpec() const;
};

/// Padded jagged diagonals: the same, padded in blocks of rows, as in "pjds-32".
struct Pjds {
  Index block = 32;
  Storage storage = Storage::automatic;
  operator FormatSpec() const;
};

}  // namespace millrace::as
