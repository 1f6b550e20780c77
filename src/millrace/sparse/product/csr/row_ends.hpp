// Where the rows of a CSR matrix end, marked among its entries: for kernels that give every lane entries instead of
// rows.
#pragma once

#include <cstdint>

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

/// Of 32 entries: a bit for each with which a row ends, and how many rows with entries end before them.
struct RowEnds {
  std::uint32_t bits;
  Index before;
};

/// The row that goes on behind a chunk's begin: the chunks of its first and last entry. Both the chunk itself: no row.
struct CutRow {
  Index first, last;
};

struct RowMarksView {
  Index chunk, num_chunks, num_vacant;
  const RowEnds* ends;  // [num_chunks * chunk / 32]
  const CutRow* cuts;   // [num_chunks + 1]
  const Index* filled;  // the rows with entries, or null: all
  const Index* vacant;  // [num_vacant]

  MILLRACE_HD Index row(Index i) const { return filled ? filled[i] : i; }  // with entries
};

/// Entries are shared out in chunks. Rows are numbered without those that have no entries, which are listed apart.
struct RowMarks {
  Index chunk = 0;      // entries, a multiple of 32
  Array<RowEnds> ends;  // [num_chunks * chunk / 32]
  Array<CutRow> cuts;   // [num_chunks + 1], or empty: nothing was made
  Array<Index> filled;  // the rows with entries, or empty: all
  Array<Index> vacant;  // the rows without

  bool empty() const { return cuts.empty(); }
  Index num_chunks() const { return static_cast<Index>(cuts.size()) - 1; }
  std::int64_t bytes() const { return ends.bytes() + cuts.bytes() + filled.bytes() + vacant.bytes(); }
  RowMarksView view() const {
    return {chunk,        num_chunks(), static_cast<Index>(vacant.size()),
            ends.data(),  cuts.data(),  filled.empty() ? nullptr : filled.data(),
            vacant.data()};
  }
};

}  // namespace millrace
